-- { fixedEngine }
-- SETTINGS of CREATE TABLE: those of the table, those of the statement, and others.
CREATE TABLE t1 (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = '1K';
SHOW CREATE TABLE t1;
CREATE TABLE t2 (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 4096, min_bytes_for_wide_part = '10M', max_threads = 3, compress_marks = true;
SHOW CREATE TABLE t2;
CREATE TABLE t3 (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS max_threads = 2;
SHOW CREATE TABLE t3;
CREATE TABLE t4 (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS write_final_mark = 0, min_bytes_for_compact_part = 0;
SHOW CREATE TABLE t4;
CREATE TABLE t5 (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity_bytes = 0;
INSERT INTO t5 SELECT number FROM numbers(20000);
SELECT count(), sum(a) FROM t5 WHERE a >= 10000;
CREATE TABLE t6 (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS old_parts_lifetime = 1.5, ratio_of_defaults_for_sparse_serialization = 0.9, merge_max_block_size = 1000, vertical_merge_algorithm_min_rows_to_activate = 1, vertical_merge_algorithm_min_columns_to_activate = 1, enable_vertical_merge_algorithm = 1, min_rows_for_wide_part = 0, storage_policy = 'default', merge_selector_algorithm = 'Simple', parts_to_throw_insert = '1K', in_memory_parts_enable_wal = 1;
SHOW CREATE TABLE t6;
CREATE TABLE bad (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
CREATE TABLE bad (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 0; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = -1; -- { serverError CANNOT_CONVERT_TYPE }
CREATE TABLE bad (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 'x'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
CREATE TABLE bad (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity_bytes = 10; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS storage_policy = 'x'; -- { serverError UNKNOWN_POLICY }
CREATE TABLE bad (a Int32) ENGINE = MergeTree ORDER BY a SETTINGS merge_selector_algorithm = 'x'; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a Nullable(Int32)) ENGINE = MergeTree ORDER BY a; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE bad (a Float64) ENGINE = MergeTree ORDER BY a PARTITION BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE f (a Float64) ENGINE = MergeTree ORDER BY a PARTITION BY a SETTINGS allow_floating_point_partition_key = 1;
INSERT INTO f VALUES (1.5), (2.5), (1.5), (-0.25);
SELECT a, count() FROM f GROUP BY a ORDER BY a;
CREATE TABLE bad (a Int32) ENGINE = Memory SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
CREATE TABLE m (a Int32) ENGINE = Memory SETTINGS max_threads = 1;
SHOW CREATE TABLE m;
CREATE TABLE bad (a Int32) ENGINE = Null SETTINGS index_granularity = 1; -- { serverError BAD_ARGUMENTS }
