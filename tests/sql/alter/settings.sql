-- { echoOn }
CREATE TABLE t (k UInt64) ENGINE = MergeTree ORDER BY k SETTINGS max_parts_in_total = 1000 COMMENT 'old';
ALTER TABLE t MODIFY SETTING parts_to_throw_insert = 2;
INSERT INTO t VALUES (1);
SHOW CREATE TABLE t;
ALTER TABLE t MODIFY SETTING parts_to_throw_insert = 3, max_parts_in_total = 2000;
SHOW CREATE TABLE t;
ALTER TABLE t MODIFY SETTING index_granularity = 100; -- { serverError READONLY_SETTING }
ALTER TABLE t MODIFY SETTING index_granularity_bytes = 100; -- { serverError READONLY_SETTING }
ALTER TABLE t MODIFY SETTING enable_mixed_granularity_parts = 0; -- { serverError READONLY_SETTING }
ALTER TABLE t MODIFY SETTING add_minmax_index_for_numeric_columns = 1; -- { serverError READONLY_SETTING }
ALTER TABLE t MODIFY SETTING add_minmax_index_for_string_columns = 1; -- { serverError READONLY_SETTING }
ALTER TABLE t MODIFY SETTING nope = 100; -- { serverError UNKNOWN_SETTING }
ALTER TABLE t MODIFY SETTING max_threads = 3; -- { serverError UNKNOWN_SETTING }
ALTER TABLE t MODIFY SETTING storage_policy = 'x'; -- { serverError UNKNOWN_POLICY }
ALTER TABLE t MODIFY SETTING parts_to_throw_insert = 'abc'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
ALTER TABLE t MODIFY SETTING (parts_to_throw_insert = 10); -- { serverError SYNTAX_ERROR }
ALTER TABLE t RESET SETTING parts_to_throw_insert;
ALTER TABLE t RESET SETTING parts_to_throw_insert;
ALTER TABLE t RESET SETTING nope; -- { serverError BAD_ARGUMENTS }
ALTER TABLE t RESET SETTING index_granularity; -- { serverError READONLY_SETTING }
SHOW CREATE TABLE t;
ALTER TABLE t RESET SETTING max_parts_in_total, min_bytes_for_wide_part;
ALTER TABLE t ADD COLUMN v UInt8 DEFAULT 4, MODIFY SETTING min_bytes_for_wide_part = 0;
SELECT * FROM t;
SELECT engine_full, comment FROM system.tables WHERE database = currentDatabase() AND name = 't';
ALTER TABLE t MODIFY COMMENT 'new';
ALTER TABLE t MODIFY COMMENT 'newer', MODIFY COLUMN v COMMENT 'of v';
SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = 't';
SHOW CREATE TABLE t;
ALTER TABLE t MODIFY COMMENT '';
SHOW CREATE TABLE t;
ALTER TABLE t REMOVE TTL; -- { serverError BAD_ARGUMENTS }
ALTER TABLE t MATERIALIZE TTL; -- { serverError INCORRECT_QUERY }
ALTER TABLE t ON CLUSTER foo ADD COLUMN z UInt8; -- { serverError QUERY_IS_PROHIBITED }
ALTER TABLE nope MODIFY COMMENT 'x'; -- { serverError UNKNOWN_TABLE }
ALTER TABLE t MODIFY PRIMARY KEY k; -- { serverError SYNTAX_ERROR }
ALTER TABLE t MODIFY PARTITION BY k; -- { serverError SYNTAX_ERROR }
ALTER TABLE t ADD zz UInt8; -- { serverError SYNTAX_ERROR }
ALTER TABLE t DROP zz; -- { serverError SYNTAX_ERROR }
ALTER TABLE t MODIFY v UInt8; -- { serverError SYNTAX_ERROR }
ALTER TABLE t ALTER v TYPE UInt8; -- { serverError SYNTAX_ERROR }
ALTER TABLE t (ADD COLUMN y1 UInt8), (DROP COLUMN y1), (MODIFY COMMENT 'in parentheses');
SHOW CREATE TABLE t;
