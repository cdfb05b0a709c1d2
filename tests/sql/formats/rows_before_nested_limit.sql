-- { configs: default }
-- A limit of a subquery does not count as the result's.
CREATE TABLE t (k UInt32, x UInt32) ENGINE = MergeTree ORDER BY k;
INSERT INTO t SELECT number, number % 10 FROM numbers(1000);
SELECT x FROM (SELECT x FROM t ORDER BY k LIMIT 10) ORDER BY x LIMIT 2 FORMAT JSONCompact SETTINGS output_format_write_statistics = 0;
SELECT x FROM t ORDER BY x, k LIMIT 2 FORMAT JSONCompact SETTINGS output_format_write_statistics = 0;
SELECT x FROM t ORDER BY x, k LIMIT 2, 3 FORMAT JSONCompact SETTINGS output_format_write_statistics = 0;
