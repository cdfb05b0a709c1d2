//! The tables of experiments. What is asked of a candidate and of a kept change stands here as
//! constraints, so that nobody gets past them: neither a hurried person nor a program.

/// Statements that make what is missing.
pub const ALL: &[&str] = &[
    // What reading the code suggests. Nothing is asked of an idea.
    "CREATE TABLE IF NOT EXISTS lab.idea (
        name String, time DateTime64(3), function String, place String,
        metric Enum8('time' = 1, 'memory' = 2), workload String, reason String
     ) ENGINE = ReplacingMergeTree(time) ORDER BY name",
    // Shares of functions in the profile of a workload: of the function with all it calls.
    "CREATE TABLE IF NOT EXISTS lab.profile (
        profile_id String, time DateTime64(3), cpu LowCardinality(String),
        build LowCardinality(String), workload String, metric Enum8('time' = 1, 'memory' = 2),
        function String, samples UInt64, own UInt64, all_samples UInt64, stacks UInt64
     ) ENGINE = MergeTree ORDER BY (profile_id, function)",
    // The newest profile of each workload, whatever it says: a candidate is one by no older one.
    "CREATE TABLE IF NOT EXISTS lab.profiled (
        workload String, metric Enum8('time' = 1, 'memory' = 2), time DateTime64(3),
        profile_id String, build String, query_hash UInt64
     ) ENGINE = ReplacingMergeTree(time) ORDER BY (workload, metric)",
    "CREATE TABLE IF NOT EXISTS lab.candidate (
        name String, time DateTime64(3), function String, metric Enum8('time' = 1, 'memory' = 2),
        workload String, profile_id String, build String, share Float64, samples UInt64,
        stacks UInt64,
        CONSTRAINT has_a_profile CHECK profile_id != '',
        CONSTRAINT profile_has_stacks CHECK stacks > 0,
        CONSTRAINT workload_reaches_it CHECK workload != '' AND samples > 0,
        CONSTRAINT worth_5_percent CHECK share >= 0.05 AND share <= 1
     ) ENGINE = ReplacingMergeTree(time) ORDER BY name",
    // Tables of before have no `word`, nor its constraint, as there is no ALTER TABLE ADD COLUMN
    // yet: there only `decide` knows of it.
    "CREATE TABLE IF NOT EXISTS lab.experiment (
        name String, time DateTime64(3), profile_id String, share Float64,
        run_id String, cpu LowCardinality(String), old_commit String, new_commit String,
        old_base String, new_base String, diff String, workload String,
        metric Enum8('time' = 1, 'memory' = 2), old Float64, new Float64, processes UInt32,
        theta Float64, low Float64, high Float64, p Nullable(Float64), mde Float64,
        aa_run String, aa_time DateTime64(3), aa_comparisons UInt32, aa_flags UInt32,
        answers Enum8('not compared' = 0, 'equal' = 1, 'different' = 2),
        status Enum8('undecided' = 0, 'keep' = 1, 'discard' = 2), reason String,
        word LowCardinality(String),
        CONSTRAINT was_a_candidate CHECK name != '' AND profile_id != '' AND share >= 0.05,
        CONSTRAINT same_base CHECK status != 'keep' OR (old_base != '' AND old_base = new_base),
        CONSTRAINT five_processes CHECK status != 'keep' OR processes >= 5,
        CONSTRAINT interval_excludes_zero CHECK status != 'keep' OR (low <= high AND high < 0),
        CONSTRAINT aa_of_the_same_day CHECK status != 'keep' OR
            (aa_run != '' AND aa_comparisons > 0 AND aa_flags = 0
             AND abs(toUnixTimestamp(aa_time) - toUnixTimestamp(time)) <= 86400),
        CONSTRAINT equal_answers CHECK status != 'keep' OR answers = 'equal',
        CONSTRAINT diff_is_stored CHECK status != 'keep' OR diff != '',
        CONSTRAINT trusted_verdict CHECK status != 'keep' OR word IN ('faster', 'undecided')
     ) ENGINE = MergeTree ORDER BY (name, time)",
];
