-- { configs: default }
-- An aggregating projection keeps states, which are merged into the groups of a query.
CREATE TABLE t
(
    a UInt32, b UInt32, x UInt64, n Nullable(Int32), ts DateTime('UTC'),
    PROJECTION p (SELECT a, toDate(ts), sum(x), count(), uniqExact(b), sumIf(x, b > 500), max(n), count(n) GROUP BY a, toDate(ts)),
    PROJECTION total (SELECT min(x), max(x), quantileExact(0.5)(x))
)
ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 128;
INSERT INTO t SELECT number % 10, number % 1000, number, if(number % 3 = 0, NULL, number), 1600000000 + number * 100 FROM numbers(10000);
SELECT name, type, sorting_key FROM system.projections WHERE database = currentDatabase() ORDER BY name;
SELECT name, rows, parent_rows FROM system.projection_parts WHERE database = currentDatabase() AND active ORDER BY name;
SELECT name, column, type FROM system.projection_parts_columns WHERE database = currentDatabase() AND active ORDER BY name, column_position;
SELECT a, sum(x), count(), uniqExact(b) FROM t GROUP BY a ORDER BY a SETTINGS force_optimize_projection_name = 'p';
SELECT toDate(ts) AS d, sum(x), max(n), count(n) FROM t WHERE a IN (1, 2) GROUP BY d ORDER BY d SETTINGS force_optimize_projection_name = 'p';
SELECT toYYYYMM(toDate(ts)) AS m, sumIf(x, b > 500) FROM t WHERE toDate(ts) > '2020-09-15' GROUP BY m ORDER BY m SETTINGS force_optimize_projection_name = 'p';
SELECT sum(x) + count() FROM t SETTINGS force_optimize_projection_name = 'p';
SELECT quantileExact(0.5)(x) FROM t SETTINGS force_optimize_projection_name = 'total';
SELECT a, sum(x) FROM t WHERE b = 1 GROUP BY a SETTINGS force_optimize_projection = 1; -- { serverError PROJECTION_NOT_USED }
SELECT a, avg(x) FROM t GROUP BY a SETTINGS force_optimize_projection = 1; -- { serverError PROJECTION_NOT_USED }
SELECT a, sum(x) AS s FROM t GROUP BY a HAVING s > 5000000 ORDER BY s DESC LIMIT 2 SETTINGS force_optimize_projection_name = 'p';
SELECT l.a, l.s, r.c FROM (SELECT a, sum(x) AS s FROM t GROUP BY a) AS l JOIN (SELECT a, count() AS c FROM t GROUP BY a) AS r ON l.a = r.a ORDER BY l.a LIMIT 2 SETTINGS force_optimize_projection_name = 'p';

-- Parts that lack it, merges, and changes of rows.
ALTER TABLE t CLEAR PROJECTION p;
SELECT sum(x) FROM t SETTINGS force_optimize_projection = 1; -- { serverError PROJECTION_NOT_USED }
INSERT INTO t SELECT number % 10, number % 1000, number, NULL, 1600000000 + number * 100 FROM numbers(20000);
SELECT a, sum(x), count(), uniqExact(b), max(n) FROM t WHERE a < 3 GROUP BY a ORDER BY a SETTINGS force_optimize_projection_name = 'p';
SELECT a, sum(x), count(), uniqExact(b), max(n) FROM t WHERE a < 3 GROUP BY a ORDER BY a SETTINGS optimize_use_projections = 0;
ALTER TABLE t MATERIALIZE PROJECTION p;
OPTIMIZE TABLE t FINAL;
SELECT a, sum(x), count(), uniqExact(b), max(n) FROM t WHERE a < 3 GROUP BY a ORDER BY a SETTINGS force_optimize_projection_name = 'p';
DELETE FROM t WHERE a = 1; -- { serverError SUPPORT_IS_DISABLED }
SET mutations_sync = 2;
ALTER TABLE t DELETE WHERE a = 1;
ALTER TABLE t UPDATE x = x + 1 WHERE a = 2;
SELECT a, sum(x), count() FROM t WHERE a < 3 GROUP BY a ORDER BY a SETTINGS force_optimize_projection_name = 'p';
SELECT a, sum(x), count() FROM t WHERE a < 3 GROUP BY a ORDER BY a SETTINGS optimize_use_projections = 0;
ALTER TABLE t DROP COLUMN n; -- { serverError UNKNOWN_IDENTIFIER }
