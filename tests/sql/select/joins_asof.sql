-- { echoOn }
CREATE TABLE quotes (sym String, t UInt32, price Int32) ENGINE = Memory;
CREATE TABLE deals (sym String, t UInt32, size UInt8) ENGINE = Memory;
INSERT INTO quotes VALUES ('a', 10, 100), ('a', 20, 110), ('a', 30, 120), ('b', 15, 7), ('c', 5, 1);
INSERT INTO deals VALUES ('a', 5, 1), ('a', 10, 2), ('a', 25, 3), ('a', 99, 4), ('b', 14, 5), ('b', 16, 6), ('d', 1, 7);
SELECT sym, d.t, size, q.t, price FROM deals AS d ASOF JOIN quotes AS q ON d.sym = q.sym AND d.t >= q.t ORDER BY size;
SELECT d.sym, d.t, size, q.t, price FROM deals AS d ASOF LEFT JOIN quotes AS q ON d.sym = q.sym AND d.t >= q.t ORDER BY size;
SELECT size, q.t FROM deals AS d ASOF LEFT JOIN quotes AS q ON d.sym = q.sym AND d.t > q.t ORDER BY size;
SELECT size, q.t FROM deals AS d ASOF LEFT JOIN quotes AS q ON d.sym = q.sym AND d.t <= q.t ORDER BY size;
SELECT size, q.t FROM deals AS d ASOF LEFT JOIN quotes AS q ON d.sym = q.sym AND d.t < q.t ORDER BY size;
SELECT size, q.t FROM deals AS d ASOF JOIN quotes AS q ON q.t <= d.t AND q.sym = d.sym ORDER BY size;
SELECT sym, t, size, price FROM deals ASOF JOIN quotes USING (sym, t) ORDER BY size;
SELECT sym, t, size, price FROM deals ASOF LEFT JOIN quotes USING (sym, t) ORDER BY size;
SELECT size, q.price FROM deals AS d ASOF LEFT JOIN quotes AS q ON d.sym = q.sym AND d.t >= q.t WHERE price > 100 ORDER BY size;
SELECT size, q.price FROM deals AS d ASOF LEFT JOIN quotes AS q ON d.sym = q.sym AND d.t >= q.t ORDER BY size SETTINGS join_use_nulls = 1;
SELECT size, q.t FROM deals AS d ASOF JOIN quotes AS q ON d.sym = q.sym AND d.t + 5 >= q.t ORDER BY size;
SELECT count(), sum(price) FROM (SELECT number % 10 AS k, number AS t FROM numbers(1000)) AS d ASOF JOIN (SELECT number % 10 AS k, number * 7 AS t, number AS price FROM numbers(200)) AS q ON d.k = q.k AND d.t >= q.t;
SELECT a.x, b.x FROM (SELECT 1 AS k, arrayJoin([1.5, 2.5, 9]) AS x) AS a ASOF JOIN (SELECT 1 AS k, arrayJoin([1, 2, 3]) AS x) AS b ON a.k = b.k AND a.x >= b.x ORDER BY a.x;
SELECT size FROM deals AS d ASOF JOIN quotes AS q ON d.sym = q.sym; -- { serverError INVALID_JOIN_ON_EXPRESSION }
SELECT size FROM deals AS d ASOF JOIN quotes AS q ON d.t >= q.t; -- { serverError NOT_IMPLEMENTED }
