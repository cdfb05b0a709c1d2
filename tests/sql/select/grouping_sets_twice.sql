-- { largeBlocks }
-- Few groups among many rows: rows are grouped once before they are repeated for each grouping set.
CREATE TABLE t (a UInt8, b LowCardinality(String), c Nullable(UInt8), v UInt32, f Float64) ENGINE = Memory;
INSERT INTO t SELECT number % 3, toString(number % 2), if(number % 5 = 0, NULL, number % 4), number, number / 4 FROM numbers(20000);

SELECT a, b, count(), sum(v), avg(f), min(v), max(f), uniqExact(v) FROM t GROUP BY ROLLUP(a, b) ORDER BY ALL;
SELECT a, b, c, count(c), sum(v) FROM t GROUP BY CUBE(a, b, c) ORDER BY ALL LIMIT 20;
SELECT a + 1 AS x, c, sum(f), grouping(x, c) AS g FROM t GROUP BY GROUPING SETS ((x, c), (c), ()) ORDER BY ALL;
SELECT a, b, sum(v) AS s FROM t GROUP BY ROLLUP(a, b) HAVING s > 40000000 ORDER BY ALL;
SELECT a, b, countIf(v > 100), sumIf(v, a = 1), anyIf(7, a = 1), quantileExact(0.5)(v) FROM t GROUP BY CUBE(a, b) ORDER BY ALL;
SELECT a, c, count(DISTINCT b), sum(a) FROM t WHERE v < 5 GROUP BY ROLLUP(a, c) ORDER BY ALL;
SELECT a, b, count() FROM t WHERE v > 100000 GROUP BY ROLLUP(a, b) ORDER BY ALL;
SELECT a, b, count(), sum(v) FROM t GROUP BY ROLLUP(a, b) ORDER BY ALL SETTINGS group_by_use_nulls = 1;
SELECT a, b, count(), sum(v) FROM t GROUP BY ROLLUP(a, b) WITH TOTALS ORDER BY ALL;
SELECT a, sum(v) / count() AS m, rank() OVER (ORDER BY sum(v)) FROM t GROUP BY ROLLUP(a) ORDER BY ALL;

DROP TABLE t;
