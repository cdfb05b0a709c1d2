-- { echoOn }
CREATE TABLE l (id UInt32, k UInt8, v String) ENGINE = Memory;
CREATE TABLE r (id UInt32, w String, x Nullable(Int32)) ENGINE = Memory;
INSERT INTO l VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, 3, 'd');
INSERT INTO r VALUES (1, 'one', 10), (3, 'three', NULL), (3, 'drei', 33), (9, 'nine', 99);
SELECT l.id, l.v, r.w FROM l INNER JOIN r ON l.id = r.id ORDER BY l.id, r.w;
SELECT l.id, v, w, x FROM l LEFT JOIN r ON l.id = r.id ORDER BY l.id, w;
SELECT id, v, w FROM l JOIN r USING (id) ORDER BY id, w;
SELECT id, v, w FROM l LEFT JOIN r USING id ORDER BY id, w;
SELECT l.id, r.w FROM l LEFT JOIN r ON l.id = r.id AND r.w != 'drei' ORDER BY l.id, r.w;
SELECT a.id, b.id FROM l AS a JOIN l AS b ON a.k = b.k ORDER BY a.id, b.id;
SELECT a.id, b.id FROM l AS a JOIN l AS b ON a.k = b.k AND a.id = b.id ORDER BY a.id;
SELECT a.id, b.id FROM l AS a JOIN l AS b ON a.k = b.k WHERE a.id < b.id ORDER BY a.id, b.id;
SELECT l.k, count(), sum(x) FROM l LEFT JOIN r ON l.id = r.id GROUP BY l.k ORDER BY l.k;
SELECT l.id, s.c FROM l JOIN (SELECT id, count() AS c FROM r GROUP BY id) AS s ON l.id = s.id ORDER BY l.id;
SELECT * FROM l INNER JOIN r ON l.id = r.id ORDER BY l.id, r.w;
SELECT l.id, r.w FROM l JOIN r ON l.id + 0 = r.id ORDER BY l.id, r.w;
SELECT l.v, r.w FROM l JOIN r ON l.id = r.id AND l.k = 1 ORDER BY l.v;
SELECT count() FROM numbers(1000) AS a JOIN numbers(500, 1000) AS b ON a.number = b.number;
SELECT sum(a.number), sum(b.v) FROM numbers(10000) AS a JOIN (SELECT number AS k, number * 2 AS v FROM numbers(100)) AS b ON a.number % 100 = b.k;
SELECT a.s, count() FROM (SELECT toString(number % 10) AS s FROM numbers(100)) AS a LEFT JOIN (SELECT toString(number) AS s FROM numbers(5)) AS b ON a.s = b.s WHERE b.s = '' GROUP BY a.s ORDER BY a.s;
SELECT x FROM l JOIN r ON l.id = r.id WHERE x IS NULL;
SELECT a.x, b.x FROM (SELECT arrayJoin([1, NULL, 2]) AS x) AS a JOIN (SELECT arrayJoin([1, NULL, 3]) AS x) AS b ON a.x = b.x;
SELECT id FROM l JOIN r ON l.id = r.id ORDER BY id;
SELECT l.id FROM l JOIN r ON l.nosuch = r.id; -- { serverError UNKNOWN_IDENTIFIER }
SELECT l.id FROM l JOIN r ON l.v = r.id; -- { serverError NO_COMMON_TYPE }
