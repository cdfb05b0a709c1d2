-- { fixedEngine }
-- Clauses that an engine does not take.
CREATE TABLE t (x UInt8) ENGINE = Memory ORDER BY x; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (x UInt8) ENGINE = Null PARTITION BY x; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (x UInt8) ENGINE = Log PRIMARY KEY x; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (x UInt8 PRIMARY KEY) ENGINE = Memory; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (x UInt8, PRIMARY KEY (x)) ENGINE = Memory; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (x UInt8) ENGINE = Memory SAMPLE BY x; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (x UInt8, d Date) ENGINE = Memory TTL d + 1; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (x UInt8 TTL now()) ENGINE = Log; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (x UInt8, INDEX i x TYPE minmax) ENGINE = Memory; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (x UInt8, PROJECTION p (SELECT x ORDER BY x)) ENGINE = Null; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (x UInt8) ENGINE = Null SETTINGS a = 1; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (x UInt8) ENGINE = Memory(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE t (x UInt8) ENGINE = Null(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE t (x UInt8) ENGINE = Log(1, 2); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE t (x UInt8) ENGINE = MergeTree(1) ORDER BY x; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE t (x UInt8) ENGINE = AggregatingMergeTree(1) ORDER BY x; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE t (x UInt8) ENGINE = Nonsense; -- { serverError UNKNOWN_STORAGE }
CREATE TABLE t (x UInt8) ENGINE = View; -- { serverError INCORRECT_QUERY }
CREATE TABLE t (x UInt8) ENGINE = MaterializedView; -- { serverError INCORRECT_QUERY }
CREATE TABLE t (x UInt8) ENGINE = Memory();
SHOW CREATE TABLE t;
SELECT name, supports_settings, supports_sort_order, supports_parallel_insert, supports_replication, supports_deduplication FROM system.table_engines WHERE name IN ('AggregatingMergeTree', 'Log', 'Memory', 'MergeTree', 'Null', 'ReplacingMergeTree', 'SummingMergeTree') ORDER BY name;
CREATE TABLE k (x UInt8, y Date, z UInt8, p UInt8) ENGINE = MergeTree PARTITION BY (toYYYYMM(y), p % 2) PRIMARY KEY x ORDER BY (x, toYear(y)) COMMENT 'hi';
SELECT engine_full, storage_policy, has_own_data, sorting_key, primary_key, partition_key FROM system.tables WHERE database = currentDatabase() AND name = 'k';
SELECT name, is_in_partition_key, is_in_sorting_key, is_in_primary_key FROM system.columns WHERE database = currentDatabase() AND table = 'k' ORDER BY position;
CREATE TABLE n (x UInt8) ENGINE = Null;
SELECT engine_full, has_own_data FROM system.tables WHERE database = currentDatabase() AND name IN ('n', 't') ORDER BY name;
