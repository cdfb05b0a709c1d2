-- { echoOn }
CREATE TABLE l (id UInt32, k UInt8, v String) ENGINE = Memory;
CREATE TABLE r (id UInt32, w String, x Nullable(Int32)) ENGINE = Memory;
INSERT INTO l VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, 3, 'd');
INSERT INTO r VALUES (1, 'one', 10), (3, 'three', NULL), (3, 'drei', 33), (9, 'nine', 99);
SELECT count() FROM l, r;
SELECT l.id, r.id FROM l CROSS JOIN r WHERE l.id = r.id ORDER BY l.id, r.w;
SELECT l.id, r.w, t.c FROM l JOIN r ON l.id = r.id JOIN (SELECT 1 AS id, 'z' AS c) AS t ON t.id = l.id ORDER BY l.id;
SELECT l.id, r.id, r.w, x FROM l RIGHT JOIN r ON l.id = r.id ORDER BY r.id, r.w;
SELECT l.id, r.id FROM l FULL JOIN r ON l.id = r.id ORDER BY l.id, r.id, r.w;
SELECT l.id, r.w FROM l ANY LEFT JOIN (SELECT * FROM r WHERE w != 'drei') AS r ON l.id = r.id ORDER BY l.id;
SELECT l.id FROM l SEMI JOIN r ON l.id = r.id ORDER BY l.id;
SELECT l.id FROM l ANTI JOIN r ON l.id = r.id ORDER BY l.id;
SELECT l.id, r.w FROM l LEFT JOIN r ON l.id = r.id ORDER BY l.id, r.w SETTINGS join_use_nulls = 1;
