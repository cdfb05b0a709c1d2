-- { configs: default }
-- Limits of what is read, also on this server alone; counts from metadata read nothing.
CREATE TABLE t (d Date, k UInt32) ENGINE = MergeTree PARTITION BY toYYYYMM(d) ORDER BY k SETTINGS index_granularity = 100;
INSERT INTO t SELECT toDate('2024-01-01') + number % 60, number FROM numbers(6000);
SELECT count() FROM t SETTINGS max_rows_to_read_leaf = 1;
SELECT sum(k) FROM t SETTINGS max_rows_to_read_leaf = 1; -- { serverError TOO_MANY_ROWS }
SELECT sum(k) FROM t SETTINGS max_bytes_to_read_leaf = 1; -- { serverError TOO_MANY_BYTES }
SELECT sum(k) FROM t SETTINGS max_rows_to_read = 100000, max_rows_to_read_leaf = 10; -- { serverError TOO_MANY_ROWS }
SELECT sum(k) FROM t SETTINGS max_rows_to_read = 10, max_rows_to_read_leaf = 100000; -- { serverError TOO_MANY_ROWS }
SELECT sum(k) FROM t SETTINGS max_rows_to_read_leaf = 6000;
SELECT min(d), max(d), count() FROM t SETTINGS max_rows_to_read = 1;
SELECT count() FROM t SETTINGS max_rows_to_read = 1;
SELECT count(k) FROM t SETTINGS max_rows_to_read = 1;
SELECT count() FROM (SELECT * FROM t) SETTINGS max_rows_to_read = 1;
SELECT count() FROM t SETTINGS max_partitions_to_read = 1, force_primary_key = 1, force_index_by_date = 1;
