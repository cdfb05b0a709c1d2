-- { configs: default }
-- A normal projection keeps rows in another order, and is read where that saves granules.
CREATE TABLE t (a UInt32, b UInt32, x UInt64, s String, PROJECTION by_b (SELECT b, x ORDER BY b))
ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 128;
INSERT INTO t SELECT number, cityHash64(number) % 1000, number * 2, toString(number) FROM numbers(10000);
SELECT name, projections FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active;
SELECT b, sum(x) FROM t WHERE b = 5 GROUP BY b SETTINGS force_optimize_projection_name = 'by_b';
SELECT b, sum(x) FROM t WHERE b = 5 GROUP BY b SETTINGS optimize_use_projections = 0;
SELECT x FROM t WHERE b IN (7, 8) ORDER BY x LIMIT 3 SETTINGS force_optimize_projection = 1;
SELECT s FROM t WHERE b = 5 ORDER BY s LIMIT 2 SETTINGS force_optimize_projection = 1; -- { serverError PROJECTION_NOT_USED }
SELECT s FROM t WHERE b = 5 ORDER BY s LIMIT 2 SETTINGS force_optimize_projection_name = 'by_b'; -- { serverError INCORRECT_DATA }
SELECT count() FROM t SETTINGS force_optimize_projection = 1;
SELECT name, type, sorting_key, query FROM system.projections WHERE database = currentDatabase() ORDER BY table, name;
SELECT count(), min(b), max(b) FROM mergeTreeProjection(currentDatabase(), t, by_b);
DESCRIBE mergeTreeProjection(currentDatabase(), t, by_b);
SELECT * FROM mergeTreeProjection(currentDatabase(), t, nope); -- { serverError NO_SUCH_PROJECTION_IN_TABLE }

-- The order may be computed; parts that lack a projection are read as they are.
ALTER TABLE t ADD PROJECTION by_tail (SELECT a, s ORDER BY reverse(s), a);
INSERT INTO t SELECT number, number % 10, number, toString(number) FROM numbers(10000, 1000);
SELECT name, projections FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active ORDER BY name;
SELECT count(), sum(a) FROM t WHERE reverse(s) = '4321';
SELECT count(), sum(a) FROM t WHERE reverse(s) = '4321' SETTINGS optimize_use_projections = 0;
ALTER TABLE t MATERIALIZE PROJECTION by_tail;
SELECT name, projections FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active ORDER BY name;
OPTIMIZE TABLE t FINAL;
SELECT name, projections FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active ORDER BY name;
SELECT b, sum(x) FROM t WHERE b = 5 GROUP BY b SETTINGS force_optimize_projection_name = 'by_b';
SELECT b, sum(x) FROM t WHERE b = 5 GROUP BY b SETTINGS optimize_use_projections = 0;
SELECT column, type, column_position FROM system.projection_parts_columns WHERE database = currentDatabase() AND name = 'by_tail' AND active ORDER BY column_position;
ALTER TABLE t CLEAR PROJECTION by_b;
SELECT name, projections FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active ORDER BY name;
ALTER TABLE t DROP PROJECTION by_tail;
SELECT name, projections FROM system.parts WHERE database = currentDatabase() AND table = 't' AND active ORDER BY name;
