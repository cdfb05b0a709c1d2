-- Columns keep their types where the planner moves them about.

-- The sides of a join change places below DISTINCT.
SELECT count() FROM (SELECT DISTINCT x.f, x.g, y.v FROM (SELECT toUInt8(number) f, toUInt8(0) g FROM numbers(2)) x CROSS JOIN (SELECT toUInt32(number * 256) v FROM numbers(4)) y);
SELECT DISTINCT x.f, y.v FROM (SELECT toUInt8(number) f FROM numbers(2)) x CROSS JOIN (SELECT toUInt32(number * 256) v FROM numbers(4)) y ORDER BY ALL;
SELECT DISTINCT x.k, x.f, y.v FROM (SELECT toUInt8(number) k, toUInt16(number + 300) f FROM numbers(2)) x INNER JOIN (SELECT toUInt8(number % 2) k, toUInt32(number * 256) v FROM numbers(6)) y ON x.k = y.k ORDER BY ALL;
SELECT DISTINCT x.k, y.s FROM (SELECT toUInt8(number) k FROM numbers(2)) x LEFT JOIN (SELECT toUInt8(number % 3) k, toString(number) s FROM numbers(6)) y ON x.k = y.k ORDER BY ALL;
SELECT count() FROM (SELECT x.f, y.v FROM (SELECT toUInt8(number) f FROM numbers(2)) x CROSS JOIN (SELECT toUInt32(number * 256) v FROM numbers(4)) y UNION DISTINCT SELECT toUInt8(7), toUInt32(1024));
SELECT y.v, x.f, count() FROM (SELECT toUInt8(number) f FROM numbers(2)) x CROSS JOIN (SELECT toUInt32(number * 256) v FROM numbers(4)) y GROUP BY y.v, x.f ORDER BY ALL LIMIT 3;
SELECT x.f, y.v FROM (SELECT toUInt8(number) f FROM numbers(2)) x CROSS JOIN (SELECT toUInt32(number * 256) v FROM numbers(4)) y ORDER BY v, f LIMIT 1 BY f, v LIMIT 3;

-- Values of subqueries as columns of the first rows.
CREATE TABLE a (id UInt32, v Float64) ENGINE = Memory;
INSERT INTO a SELECT number, number * 2 FROM numbers(10);
SELECT id, (SELECT avg(v) FROM a) AS m FROM a ORDER BY id LIMIT 3;
SELECT id, EXISTS (SELECT 1 FROM a WHERE id = 3) AS e, NOT EXISTS (SELECT 1 FROM a WHERE id = 30) AS n FROM a ORDER BY id LIMIT 2;
SELECT id, (SELECT max(id) FROM a) + id AS m, (SELECT min(id) FROM a) FROM a ORDER BY id DESC LIMIT 2;
SELECT (SELECT avg(v) FROM a) AS m FROM a ORDER BY id LIMIT 2;
SELECT id IN (SELECT id FROM a WHERE v > 4) AS i, (SELECT 1, 'x') AS t FROM a ORDER BY id LIMIT 4;
SELECT (SELECT id, v FROM a WHERE id = 1) AS t, toTypeName(t) FROM a ORDER BY id LIMIT 1;

-- Conversions that the planner adds know the session's time zone.
SELECT n, datetime FROM (SELECT toDate('2020-01-01') + number AS date, number AS n FROM numbers(3)) AS d, (SELECT arrayJoin([toDateTime('2020-01-01 00:00:00'), toDateTime('2020-01-01 05:00:00'), toDateTime('2020-01-03 00:00:00')]) AS datetime) AS t WHERE d.date = t.datetime ORDER BY ALL SETTINGS session_timezone = 'America/New_York';
SELECT n, datetime FROM (SELECT toDate('2020-01-01') + number AS date, number AS n FROM numbers(3)) AS d, (SELECT arrayJoin([toDateTime('2020-01-01 00:00:00'), toDateTime('2020-01-01 05:00:00'), toDateTime('2020-01-03 00:00:00')]) AS datetime) AS t WHERE d.date = t.datetime ORDER BY ALL SETTINGS session_timezone = 'UTC';
SELECT n, datetime FROM (SELECT toDate('2020-01-01') + number AS date, number AS n FROM numbers(3)) AS d JOIN (SELECT arrayJoin([toDateTime('2020-01-01 00:00:00'), toDateTime('2020-01-01 05:00:00'), toDateTime('2020-01-03 00:00:00')]) AS datetime) AS t ON d.date = t.datetime ORDER BY ALL SETTINGS session_timezone = 'America/New_York';
SELECT count() FROM (SELECT toDate('2020-01-01') + number AS date, number AS n FROM numbers(3)) AS d, (SELECT arrayJoin([toDateTime('2020-01-01 00:00:00'), toDateTime('2020-01-01 05:00:00'), toDateTime('2020-01-03 00:00:00')]) AS datetime) AS t WHERE NOT (d.date != t.datetime) SETTINGS session_timezone = 'America/New_York';

-- Keys with few distinct values.
CREATE TABLE l (k LowCardinality(String), n LowCardinality(Nullable(String)), v UInt8) ENGINE = Memory;
INSERT INTO l VALUES ('a', 'x', 1), ('b', NULL, 2), ('a', NULL, 3), ('', 'y', 4), ('b', 'x', 5);
SELECT k, sum(v), toTypeName(k) FROM l GROUP BY k ORDER BY k;
SELECT n, sum(v), toTypeName(n) FROM l GROUP BY n ORDER BY n;
SELECT k, n, count() FROM l GROUP BY k, n ORDER BY ALL;
SELECT DISTINCT k FROM l ORDER BY k;
SELECT k, count() FROM l GROUP BY k WITH ROLLUP ORDER BY ALL;
SELECT x.v, y.v FROM l AS x JOIN l AS y ON x.k = y.k AND x.n = y.n ORDER BY ALL;
SELECT v FROM l ORDER BY v LIMIT 1 BY k;
