-- { configs: default }
-- With exact_rows_before_limit, all rows are read to count those before LIMIT.
SET output_format_write_statistics = 0, exact_rows_before_limit = 1, max_block_size = 7;
SELECT number FROM system.numbers LIMIT 2 FORMAT JSONCompact;
SELECT number FROM numbers(100) WHERE number % 3 = 0 LIMIT 2 FORMAT JSONCompact;
SELECT number FROM numbers(100) WHERE number % 3 = 0 ORDER BY number DESC LIMIT 2 FORMAT JSONCompact;
SELECT number % 10 AS k, count() FROM numbers(100) GROUP BY k ORDER BY k LIMIT 3 OFFSET 2 FORMAT JSONCompact;
SELECT DISTINCT number % 10 AS k FROM numbers(100) LIMIT 3 FORMAT JSONCompact;
SELECT number FROM (SELECT number FROM numbers(100) LIMIT 50) LIMIT 1 FORMAT JSONCompact;
SELECT count() FROM (SELECT number FROM system.numbers LIMIT 50) FORMAT JSONCompact;
SELECT a.number FROM numbers(30) AS a JOIN numbers(20) AS b ON a.number = b.number ORDER BY a.number LIMIT 1 FORMAT JSONCompact;
CREATE TABLE t (k UInt32, v UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO t SELECT number, number % 7 FROM numbers(1000);
SELECT k FROM t ORDER BY k LIMIT 2 FORMAT JSONCompact;
SELECT v FROM t ORDER BY v DESC, k LIMIT 2 FORMAT JSONCompact;
SELECT k FROM t WHERE v = 3 ORDER BY k LIMIT 2 FORMAT JSONCompact;
SELECT k FROM t WHERE k >= 500 ORDER BY k LIMIT 1 FORMAT JSONCompact SETTINGS optimize_read_in_order = 1;
DROP TABLE t;
