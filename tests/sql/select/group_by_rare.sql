-- { echoOn }
CREATE TABLE e (id UInt32, u UInt64, r String, d Date, v Float64) ENGINE = Memory;
INSERT INTO e SELECT number, number % 7, ['eu', 'us', '', 'asia'][number % 4 + 1], toDate('2024-01-01') + number % 5, number / 8 FROM numbers(100);
SELECT sum(u) FROM e GROUP BY ();
SELECT r, count() FROM e GROUP BY r WITH TOTALS ORDER BY r;
SELECT r, u % 2 AS p, count() FROM e GROUP BY ROLLUP(r, p) ORDER BY r, p, count();
SELECT r, u % 2 AS p, count() FROM e GROUP BY CUBE(r, p) ORDER BY r, p, count();
SELECT r, u % 2 AS p, count() FROM e GROUP BY GROUPING SETS ((r), (p)) ORDER BY r, p, count();
SELECT r, count() AS c FROM e GROUP BY ALL ORDER BY ALL;
