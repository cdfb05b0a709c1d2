-- { configs: default }
-- Merges of a table with a TTL keep its projections.
CREATE TABLE t (d DateTime, x UInt32, PROJECTION p (SELECT x, count() GROUP BY x)) ENGINE = MergeTree ORDER BY x TTL d + INTERVAL 20 YEAR;
INSERT INTO t SELECT toDateTime('2025-01-01 00:00:00') + number, number % 3 FROM numbers(10);
INSERT INTO t SELECT toDateTime('2025-01-02 00:00:00') + number, number % 3 FROM numbers(10);
OPTIMIZE TABLE t FINAL;
SELECT count(), sum(rows) FROM system.projection_parts WHERE database = currentDatabase() AND table = 't' AND active;
SELECT x, count() FROM t GROUP BY x ORDER BY x SETTINGS force_optimize_projection = 1;
