-- { echoOn }
CREATE TABLE e (id UInt32, u UInt64, r String, d Date, v Float64) ENGINE = Memory;
INSERT INTO e SELECT number, number % 7, ['eu', 'us', '', 'asia'][number % 4 + 1], toDate('2024-01-01') + number % 5, number / 8 FROM numbers(100);
SELECT r, count() FROM e GROUP BY r ORDER BY r;
SELECT r, u % 2 AS p, count(), sum(v) FROM e GROUP BY r, p ORDER BY r, p;
SELECT count() FROM e GROUP BY r ORDER BY count(), r;
SELECT r AS region, count() AS c FROM e GROUP BY region HAVING c >= 25 ORDER BY c DESC, region;
SELECT r, count() FROM e GROUP BY r HAVING r != '' AND sum(u) > 70 ORDER BY r;
SELECT toMonth(d) AS m, toDayOfMonth(d) AS dd, count() FROM e GROUP BY m, dd ORDER BY m, dd;
SELECT 1, u FROM e GROUP BY 1, u ORDER BY u LIMIT 3;
SELECT r, u FROM e GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 3;
SELECT length(r) + 1 AS l, count() FROM e GROUP BY length(r) ORDER BY l;
SELECT upper(r), max(v) FROM e GROUP BY r ORDER BY max(v) DESC, r;
SELECT count() FROM e GROUP BY NULL;
SELECT d, r, count() AS c FROM e WHERE u = 3 GROUP BY d, r ORDER BY c DESC, d, r LIMIT 5;
SELECT u, uniqExact(r), arraySort(groupUniqArray(r)) FROM e GROUP BY u ORDER BY u LIMIT 2;
SELECT r, count() FROM e WHERE u > 100 GROUP BY r;
SELECT count() FROM e WHERE u > 100;
SELECT count(), max(u) FROM e HAVING count() > 1000;
SELECT (r, u % 2) AS t, count() FROM e GROUP BY t ORDER BY t;
SELECT [u % 2] AS a, count() FROM e GROUP BY a ORDER BY a;
SELECT toFloat64(u % 3) AS f, count() FROM e GROUP BY f ORDER BY f;
SELECT toFixedString(r, 4) AS f, count() FROM e GROUP BY f ORDER BY f;
SELECT u = 1 AS b, count() FROM e GROUP BY b ORDER BY b;
SELECT number % 1000 AS k, count() AS c, sum(number) AS s FROM numbers(100000) GROUP BY k ORDER BY s DESC LIMIT 3;
SELECT count(), sum(c) FROM (SELECT number AS k, count() AS c FROM numbers(50000) GROUP BY k);
SELECT count(), max(c) FROM (SELECT toString(number % 20000) AS k, count() AS c FROM numbers(60000) GROUP BY k);
SELECT count(), sum(c) FROM (SELECT number % 300 AS a, toString(number % 70) AS b, count() AS c FROM numbers(60000) GROUP BY a, b);
SELECT sum(u) + count() * 2, sum(u) / count() = avg(u) FROM e;
SELECT u AS x, x + 1 AS y, count() FROM e GROUP BY x, y ORDER BY y LIMIT 2;
SELECT x, count() FROM (SELECT u % 2 AS x FROM e) GROUP BY x ORDER BY x;
SELECT r FROM e GROUP BY r ORDER BY sum(v) DESC LIMIT 1;
SELECT id FROM e GROUP BY r; -- { serverError NOT_AN_AGGREGATE }
SELECT r, id + 1 FROM e GROUP BY r, id + 2; -- { serverError NOT_AN_AGGREGATE }
