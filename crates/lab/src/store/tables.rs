//! The tables' definitions. History files a query under its test and the hash of its text.

/// Statements that make what is missing.
pub const ALL: &[&str] = &[
    "CREATE DATABASE IF NOT EXISTS lab",
    // Of rows with the same key the last one counts (read them with FINAL): a run is written when
    // it begins and when it ends, queries and verdicts once more by a run that goes on.
    "CREATE TABLE IF NOT EXISTS lab.run (
        run_id String, updated DateTime64(3), time DateTime64(3), kind LowCardinality(String),
        state LowCardinality(String), host LowCardinality(String), cpu LowCardinality(String),
        old String, new String, old_commit String, new_commit String, old_build String,
        new_build String, seed UInt64, budget Float64, spent Float64, rules String,
        arguments Array(String), facts Map(String, String)
     ) ENGINE = ReplacingMergeTree(updated) ORDER BY run_id",
    "CREATE TABLE IF NOT EXISTS lab.query (
        run_id LowCardinality(String), unit UInt32, test LowCardinality(String), query_index UInt32,
        query_hash UInt64, text String, metric LowCardinality(String), least_effect Float64,
        trouble String, planted Float64, planted_what LowCardinality(String),
        updated DateTime64(3)
     ) ENGINE = ReplacingMergeTree(updated) ORDER BY (run_id, unit)",
    "CREATE TABLE IF NOT EXISTS lab.measure (
        run_id LowCardinality(String), time DateTime, test LowCardinality(String),
        query_index UInt32, query_hash UInt64, unit UInt32, side Enum8('old' = 0, 'new' = 1),
        stage UInt8, process UInt16, run UInt16, metric LowCardinality(String), value Float32
     ) ENGINE = MergeTree ORDER BY (metric, test, query_hash, time, run_id, side, process, run)",
    // Tables of before have no `p_randomisation`, and skip what they do not know: there is no ALTER
    // TABLE ADD COLUMN yet.
    "CREATE TABLE IF NOT EXISTS lab.verdict (
        run_id LowCardinality(String), time DateTime64(3), kind LowCardinality(String),
        cpu LowCardinality(String), test LowCardinality(String), query_index UInt32,
        query_hash UInt64, unit UInt32, metric LowCardinality(String), old Float64, new Float64,
        theta Float64, low Float64, high Float64, p Nullable(Float64), adjusted_p Float64,
        mde Float64, verdict LowCardinality(String), pairs UInt16, candidate Bool,
        own_variance Nullable(Float64), own_df Nullable(Float64), prior_variance Float64,
        prior_df Float64, known_variance Nullable(Float64), known_df Nullable(Float64),
        d Float64, s Float64, class LowCardinality(String), cause String, functions Array(String),
        updated DateTime64(3), p_randomisation Nullable(Float64)
     ) ENGINE = ReplacingMergeTree(updated) ORDER BY (test, query_hash, metric, time, run_id)",
    "CREATE TABLE IF NOT EXISTS lab.stack (
        run_id LowCardinality(String), test LowCardinality(String), query_index UInt32,
        query_hash UInt64, side Enum8('old' = 0, 'new' = 1), process UInt16,
        kind LowCardinality(String), path Array(LowCardinality(String)), samples UInt64
     ) ENGINE = MergeTree ORDER BY (run_id, test, query_index, side, process)",
    "CREATE TABLE IF NOT EXISTS lab.plan (
        run_id LowCardinality(String), unit UInt32, test LowCardinality(String), query_index UInt32,
        query_hash UInt64, old String, new String, updated DateTime64(3)
     ) ENGINE = ReplacingMergeTree(updated) ORDER BY (run_id, unit)",
    // Of loops in machine code; cycles are those of a model, NaN where it has none.
    "CREATE TABLE IF NOT EXISTS lab.assembly (
        run_id LowCardinality(String), unit UInt32, test LowCardinality(String), query_index UInt32,
        query_hash UInt64, function String, same Bool, old String, new String,
        cpus Array(LowCardinality(String)), old_cycles Array(Float64), new_cycles Array(Float64),
        note String, updated DateTime64(3)
     ) ENGINE = ReplacingMergeTree(updated) ORDER BY (run_id, unit)",
    "CREATE TABLE IF NOT EXISTS lab.aa (
        run_id LowCardinality(String), time DateTime64(3), host LowCardinality(String),
        cpu LowCardinality(String), build String, comparisons UInt32, candidates UInt32,
        flags UInt32, p Array(Float64), seconds Float64
     ) ENGINE = MergeTree ORDER BY (time, run_id)",
];
