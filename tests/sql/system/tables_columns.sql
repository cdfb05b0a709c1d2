-- { configs: default }
-- What system.tables and system.columns say of tables, views and dictionaries.
CREATE TABLE source (a UInt64, b String) ENGINE = Memory;
CREATE DICTIONARY names (a UInt64, b String DEFAULT 'x') PRIMARY KEY a SOURCE(CLICKHOUSE(TABLE 'source')) LAYOUT(FLAT()) LIFETIME(10);
CREATE TABLE keyed (d Date, k UInt32, s String, INDEX i1 s TYPE bloom_filter, INDEX i2 k TYPE minmax) ENGINE = MergeTree PARTITION BY toYYYYMM(d) PRIMARY KEY k ORDER BY (k, s) SAMPLE BY k COMMENT 'words';
CREATE VIEW wanted AS SELECT k, s FROM keyed WHERE k = {number:UInt32} AND s = {word:Nullable(String)};
CREATE VIEW plain AS SELECT k FROM keyed;
CREATE TABLE target (k UInt32) ENGINE = Memory;
CREATE MATERIALIZED VIEW copied TO target AS SELECT k FROM keyed;
SELECT name, parameterized_view_parameters, toTypeName(parameterized_view_parameters) FROM system.tables WHERE database = currentDatabase() AND engine = 'View' ORDER BY name;
SELECT name, skipping_indices_types, partition_key, sorting_key, primary_key, sampling_key, comment, engine_full FROM system.tables WHERE database = currentDatabase() AND name = 'keyed';
SELECT name, dependencies_table, loading_dependencies_table, loading_dependent_table, loading_dependent_database = [currentDatabase()] FROM system.tables WHERE database = currentDatabase() AND name IN ('source', 'names', 'keyed') ORDER BY name;
SELECT name, target_database = currentDatabase(), target_table FROM system.tables WHERE database = currentDatabase() AND name = 'copied';
SELECT name, total_bytes_uncompressed, parts, active_parts, total_marks FROM system.tables WHERE database = currentDatabase() AND name IN ('source', 'keyed', 'plain') ORDER BY name;
CREATE TABLE kinds (f Float32, g Nullable(Float64), d Date32, e Enum8('a' = 1), u UUID, b Bool, i Int128, fs FixedString(5), s String, dt DateTime('UTC'), a Array(Int32), lc LowCardinality(Nullable(String)), t64 DateTime64(9, 'UTC'), dd Nullable(Date), dec Nullable(Decimal(10, 3))) ENGINE = Memory;
SELECT name, position, character_octet_length, numeric_precision, numeric_precision_radix, numeric_scale, datetime_precision FROM system.columns WHERE database = currentDatabase() AND table = 'kinds' ORDER BY position;
SELECT name, readonly FROM system.merge_tree_settings WHERE name IN ('index_granularity', 'index_granularity_bytes', 'old_parts_lifetime', 'table_disk') ORDER BY name;
