-- Conditions of ON that look at one side or at none, NULL where rows are missing, columns of USING.
CREATE TABLE a (x UInt8, y UInt8) ENGINE = Memory;
CREATE TABLE b (x UInt8, z UInt8) ENGINE = Memory;
INSERT INTO a VALUES (1, 1), (2, 3), (4, 4);
INSERT INTO b VALUES (1, 10), (2, 20);
SELECT * FROM a LEFT JOIN b ON 1 = 1 ORDER BY ALL;
SELECT * FROM a LEFT JOIN b ON 1 = 0 ORDER BY ALL;
SELECT * FROM a LEFT JOIN b ON 2 ORDER BY ALL;
SELECT * FROM a LEFT JOIN b ON (SELECT 1) ORDER BY ALL;
SELECT * FROM a LEFT JOIN b ON b.z = 10 ORDER BY ALL;
SELECT * FROM a RIGHT JOIN b ON a.x = 1 ORDER BY ALL;
SELECT * FROM a FULL JOIN b ON 1 ORDER BY ALL;
SELECT * FROM a FULL JOIN b ON 0 ORDER BY ALL;
SELECT * FROM a FULL JOIN b ON NULL ORDER BY ALL;
SELECT * FROM a INNER JOIN b ON NULL ORDER BY ALL;
SELECT * FROM a INNER JOIN b ON a.x = 1 ORDER BY ALL;
SELECT * FROM a INNER JOIN b ON a.x = a.y ORDER BY ALL;
SELECT * FROM a INNER JOIN b ON a.x < b.x ORDER BY ALL;
SELECT x, y FROM a SEMI LEFT JOIN b ON a.x = 1 ORDER BY ALL;
SELECT x, y FROM a SEMI LEFT JOIN b ON 1 = 1 ORDER BY ALL;
SELECT x, y FROM a ANTI LEFT JOIN b ON 1 = 1 ORDER BY ALL;
SELECT x, y FROM a ANTI LEFT JOIN b ON 1 = 0 ORDER BY ALL;
SELECT * FROM a LEFT JOIN b ON a.x = b.x OR a.y = b.x ORDER BY ALL;
SELECT * FROM a LEFT JOIN b ON (a.x = b.x AND a.y = 1) OR a.y = b.x ORDER BY ALL;
SELECT * FROM a JOIN b ON (a.x = b.x AND a.y = 1) OR a.y = b.x ORDER BY ALL;
SELECT * FROM a LEFT JOIN b ON a.x = b.x AND 0 ORDER BY ALL;
SELECT * FROM a LEFT JOIN b ON 1 = 0 ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT count() FROM a FULL JOIN b ON 1 SETTINGS join_use_nulls = 1;

-- Rows that are missing are NULL, whatever the type can hold of it.
CREATE TABLE r (k UInt8, s LowCardinality(String), n LowCardinality(Nullable(String)), e Array(UInt8)) ENGINE = Memory;
INSERT INTO r VALUES (1, 'x', NULL, [1]);
SELECT a.x, r.s, r.n, r.e, toTypeName(r.s), toTypeName(r.n), toTypeName(r.e) FROM a LEFT JOIN r ON a.x = r.k ORDER BY 1 SETTINGS join_use_nulls = 1;
SELECT r.s, a.x, toTypeName(r.s), toTypeName(a.x) FROM r RIGHT JOIN a ON a.x = r.k ORDER BY 2 SETTINGS join_use_nulls = 1;
SELECT r.s IS NULL AS missing, upper(r.s) AS u, count() FROM a LEFT JOIN r ON a.x = r.k GROUP BY missing, u ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT r.s, count() FROM a FULL JOIN r ON a.x = r.k GROUP BY r.s ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT r.s FROM a LEFT JOIN r ON a.x = r.k ORDER BY r.s;

-- Columns of USING come first in *, and have the name without a table.
CREATE TABLE c (id UInt8, x String, z UInt8) ENGINE = Memory;
CREATE TABLE d (id UInt8, y String, z UInt8) ENGINE = Memory;
CREATE TABLE e (id UInt8, w String, x String) ENGINE = Memory;
INSERT INTO c VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
INSERT INTO d VALUES (1, 'A', 1), (2, 'B', 5), (4, 'D', 3);
INSERT INTO e VALUES (1, 'u', 'a'), (2, 'v', 'b'), (4, 'w', 'd');
SELECT * FROM c JOIN d USING (z) ORDER BY ALL FORMAT TSVWithNames;
SELECT * FROM c JOIN d USING (z, id) ORDER BY ALL FORMAT TSVWithNames;
SELECT * FROM c RIGHT JOIN d USING (z) ORDER BY ALL FORMAT TSVWithNames;
SELECT * FROM c FULL JOIN d USING (z) ORDER BY ALL FORMAT TSVWithNames;
SELECT * FROM c JOIN d USING (z) JOIN e USING (x) ORDER BY ALL FORMAT TSVWithNames;
SELECT * FROM c JOIN d USING (z, id) JOIN e USING (x, id) ORDER BY ALL FORMAT TSVWithNames;
SELECT * FROM c JOIN d USING (z) JOIN e ON c.x = e.x ORDER BY ALL FORMAT TSVWithNames;
SELECT c.* FROM c JOIN d USING (z) ORDER BY ALL FORMAT TSVWithNames;
SELECT d.* FROM c JOIN d USING (z) ORDER BY ALL FORMAT TSVWithNames;
SELECT d.*, * FROM c JOIN d USING (z) ORDER BY ALL FORMAT TSVWithNames;
SELECT *, c.id, d.id FROM c RIGHT JOIN d USING (id) ORDER BY d.id FORMAT TSVWithNames;
SELECT c.id, d.id FROM c RIGHT JOIN d USING (id) ORDER BY ALL FORMAT TSVWithNames;
SELECT COLUMNS('z|x') FROM c JOIN d USING (z) ORDER BY ALL FORMAT TSVWithNames;
SELECT COLUMNS('id') FROM c JOIN d ON c.id = d.id ORDER BY ALL FORMAT TSVWithNames;
SELECT d.COLUMNS('id|z') FROM c JOIN d ON c.id = d.id ORDER BY ALL FORMAT TSVWithNames;
SELECT * EXCEPT (id) FROM c JOIN d ON c.id = d.id ORDER BY ALL FORMAT TSVWithNames;
SELECT * EXCEPT (z) FROM c JOIN d USING (id) ORDER BY ALL FORMAT TSVWithNames;
SELECT * REPLACE (z + 1 AS z) FROM c JOIN d USING (id) ORDER BY ALL FORMAT TSVWithNames;
SELECT * APPLY (toString) FROM c JOIN d ON c.id = d.id ORDER BY ALL FORMAT TSVWithNames;

-- FULL JOIN USING, where what is missing is NULL.
SELECT id, c.id, d.id FROM c FULL JOIN d USING (id) ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT * FROM c FULL JOIN d USING (id) ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT toTypeName(id), toTypeName(c.id), toTypeName(x) FROM c FULL JOIN d USING (id) LIMIT 1 SETTINGS join_use_nulls = 1;
SELECT id, c.id, d.id FROM (SELECT arrayJoin([1, NULL]) id) c FULL JOIN (SELECT arrayJoin([2, NULL]) id) d USING (id) ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT id FROM (SELECT toUInt8(1) id) c FULL JOIN (SELECT toUInt16(300) id) d USING (id) ORDER BY ALL SETTINGS join_use_nulls = 1;
SELECT c.id, c.x, e.w FROM c JOIN d USING (id) RIGHT JOIN e ON c.x = e.x ORDER BY ALL SETTINGS join_use_nulls = 1;

-- PREWHERE comes before FINAL.
CREATE TABLE f (k UInt8, v UInt8, d UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY k;
INSERT INTO f VALUES (1, 1, 1), (2, 1, 1);
INSERT INTO f VALUES (1, 2, 0), (2, 2, 1);
SELECT * FROM f FINAL PREWHERE d = 1 ORDER BY k;
SELECT * FROM f FINAL WHERE d = 1 ORDER BY k;
SELECT * FROM f FINAL PREWHERE d = 1 WHERE v = 2 ORDER BY k;
SELECT p.k, p.v, q.v FROM f AS p FINAL JOIN f AS q FINAL ON p.k = q.k PREWHERE p.d = 1 ORDER BY p.k;
SELECT count() FROM f FINAL PREWHERE d = 1;
