-- { fixedEngine }
-- { echoOn }
CREATE TABLE visits (day Date, user UInt64, page Nullable(String) COMMENT 'where', note String DEFAULT concat('n', toString(user)), w Float32 CODEC(ZSTD(3))) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (day, user) SETTINGS index_granularity = 4;
CREATE TABLE plain (a Int8, b FixedString(3)) ENGINE = Memory;
INSERT INTO visits (day, user, page, w) SELECT toDate('2024-01-30') + number % 4, number, if(number % 2 = 0, NULL, 'p'), number FROM numbers(10);
SELECT name, engine, partition_key, sorting_key, primary_key, total_rows, is_temporary FROM system.tables WHERE database = currentDatabase() ORDER BY name;
SELECT table, name, type, position, default_kind, comment, is_in_partition_key, is_in_sorting_key, is_in_primary_key FROM system.columns WHERE database = currentDatabase() ORDER BY table, position;
SELECT name, compression_codec, numeric_precision, numeric_precision_radix, numeric_scale, character_octet_length FROM system.columns WHERE database = currentDatabase() ORDER BY table, position;
SELECT partition, partition_id, rows, marks, active, level FROM system.parts WHERE database = currentDatabase() AND table = 'visits' ORDER BY partition;
SELECT count() > 0 FROM system.databases WHERE name = currentDatabase();
SELECT name FROM system.databases WHERE name IN ('system', 'default') ORDER BY name;
SELECT name, is_aggregate FROM system.functions WHERE name IN ('plus', 'sum', 'lower') ORDER BY name;
SELECT name, alias_to, case_insensitive FROM system.functions WHERE name IN ('lcase', 'length', 'count') ORDER BY name;
SET max_block_size = 777;
SELECT name, value, changed FROM system.settings WHERE name = 'max_block_size';
SELECT name, is_input, is_output FROM system.formats WHERE name IN ('TabSeparated', 'PrettyCompact', 'Null') ORDER BY name;
SELECT name FROM system.table_functions WHERE name IN ('numbers', 'file') ORDER BY name;
SELECT dummy FROM system.one;
SELECT count() FROM system.tables WHERE database = 'system' AND name IN ('one', 'tables', 'columns', 'parts', 'settings', 'functions', 'databases', 'processes');
