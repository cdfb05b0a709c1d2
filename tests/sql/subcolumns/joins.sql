-- Subcolumns of joined tables, of subqueries and of what ARRAY JOIN unfolds.
DROP TABLE IF EXISTS s;
DROP TABLE IF EXISTS r;
CREATE TABLE s (id UInt32, arr Array(UInt8), n Nullable(Int32), t Tuple(a UInt8, b Tuple(c String, d Array(UInt16))), m Map(String, UInt64), at Array(Tuple(x UInt8, y Nullable(String), z Array(UInt8))), `nn.a` Array(UInt8), `nn.b` Array(Nullable(String))) ENGINE = Memory;
INSERT INTO s VALUES (1, [1, 2, 3], 5, (1, ('x', [1, 2])), {'k': 1, 'l': 2}, [(1, 'one', [1]), (2, NULL, [1, 2])], [1, 2], ['p', NULL]), (2, [], NULL, (0, ('', [])), {}, [], [], []);
CREATE TABLE r (id UInt32, arr Array(UInt8), n Nullable(Int32), t Tuple(a UInt8, b Nullable(String))) ENGINE = Memory;
INSERT INTO r VALUES (1, [5], NULL, (3, 'rr'));
SELECT s.id, r.n.null, r.arr.size0, r.t.b.null FROM s LEFT JOIN r ON s.id = r.id ORDER BY s.id FORMAT TSVWithNamesAndTypes;
SELECT s.id, isNull(r.n), length(r.arr), empty(r.arr) FROM s LEFT JOIN r ON s.id = r.id ORDER BY s.id FORMAT TSVWithNamesAndTypes;
SELECT s.id, r.n.null, r.arr.size0, r.t.a FROM s LEFT JOIN r ON s.id = r.id ORDER BY s.id SETTINGS join_use_nulls = 1 FORMAT TSVWithNamesAndTypes;
SELECT s.id, isNull(r.n), length(r.arr) FROM s LEFT JOIN r ON s.id = r.id ORDER BY s.id SETTINGS join_use_nulls = 1 FORMAT TSVWithNamesAndTypes;
SELECT count() FROM s JOIN r ON s.t.a = r.arr.size0;
SELECT s.id, s.arr.size0, r.arr.size0 FROM s JOIN r USING (id) WHERE s.arr.size0 > r.arr.size0;
SELECT l.n.null, r.arr.size0 FROM s AS l LEFT JOIN s AS r ON l.n.null = r.n.null ORDER BY l.id, r.id FORMAT TSVWithNamesAndTypes;
SELECT n.null, arr.size0 FROM s AS l JOIN (SELECT 1 AS z) AS r ON l.id = r.z ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT arr.size0 FROM s AS x SEMI LEFT JOIN r ON x.id = r.id;
SELECT count(r.n) FROM s LEFT JOIN r ON s.id = r.id;
SELECT id, at.x FROM s ARRAY JOIN at ORDER BY id, at.x FORMAT TSVWithNamesAndTypes;
SELECT id, at.x, at.y FROM s ARRAY JOIN at.x ORDER BY id, at.x FORMAT TSVWithNamesAndTypes;
SELECT id, a.x, a.y.null FROM s ARRAY JOIN at AS a ORDER BY id, a.x FORMAT TSVWithNamesAndTypes;
SELECT id, a.x, at.size0 FROM s ARRAY JOIN at AS a ORDER BY id, a.x FORMAT TSVWithNamesAndTypes;
SELECT id, m.keys FROM s ARRAY JOIN m.keys ORDER BY id, m.keys FORMAT TSVWithNamesAndTypes;
SELECT nn.a, nn.a.size0, nn.b.null, nn.b.size FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT x.size0, x FROM (SELECT arr AS x FROM s ORDER BY id) FORMAT TSVWithNamesAndTypes;
SELECT x.size0, y.null, z.a, w.keys FROM (SELECT arr AS x, n AS y, t AS z, m AS w FROM s ORDER BY id) FORMAT TSVWithNamesAndTypes;
SELECT x.b.c FROM (SELECT t AS x, id FROM s) ORDER BY id;
SELECT x.y.null, x.z.size1 FROM (SELECT at AS x, id FROM s) ORDER BY id;
SELECT x.size0 FROM (SELECT arr.size0 AS `x.size0` FROM s) ORDER BY ALL;
WITH q AS (SELECT arr, n, id FROM s) SELECT q.arr.size0, n.null FROM q ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT arr.size0 FROM (SELECT arr FROM s UNION ALL SELECT arr FROM r) ORDER BY ALL;
SELECT x.keys.size0 FROM (SELECT m AS x, id FROM s) ORDER BY id; -- { serverError UNKNOWN_IDENTIFIER }
SELECT x.zz FROM (SELECT t AS x, id FROM s) ORDER BY id; -- { serverError UNKNOWN_IDENTIFIER }
SELECT t.a FROM (SELECT t AS z, id FROM s) AS t; -- { serverError UNKNOWN_IDENTIFIER }
SELECT x.null FROM (SELECT 1 AS x); -- { serverError UNKNOWN_IDENTIFIER }
DROP TABLE s;
DROP TABLE r;
