-- ARRAY JOIN of a group of arrays.
CREATE TABLE t (id UInt8, n Nested(a UInt8, b String)) ENGINE = Memory;
INSERT INTO t VALUES (1, [1,2], ['x','y']), (2, [], []), (3, [3], ['z']);
SELECT id, n.a, n.b FROM t ARRAY JOIN n ORDER BY ALL;
SELECT id, m.a, m.b, n.a FROM t ARRAY JOIN n AS m ORDER BY ALL;
SELECT id, m, n FROM t ARRAY JOIN n AS m ORDER BY ALL;
SELECT id, n.a FROM t LEFT ARRAY JOIN n ORDER BY ALL;
SELECT id, n FROM t LEFT ARRAY JOIN n ORDER BY ALL;
SELECT id, m FROM t LEFT ARRAY JOIN n AS m ORDER BY ALL;
SELECT id, n.a, n.b FROM t LEFT ARRAY JOIN n.a, n.b ORDER BY ALL;
SELECT * FROM t ARRAY JOIN n ORDER BY ALL;
SELECT * FROM t ARRAY JOIN n.a ORDER BY ALL;
SELECT x.n.a FROM t x ARRAY JOIN x.n ORDER BY ALL;
SELECT t.n.a FROM t ARRAY JOIN t.n ORDER BY ALL;
SELECT m.a FROM (SELECT [1] AS `m.a`, [2] AS `m.b`) ARRAY JOIN m;
SELECT id, num, n.a FROM t ARRAY JOIN n, arrayEnumerate(n.a) AS num ORDER BY ALL;
SELECT id, num FROM t ARRAY JOIN n AS m, arrayEnumerate(n.a) AS num ORDER BY ALL;
SELECT id, m.a, n.a FROM t ARRAY JOIN n.a AS x, n AS m ORDER BY ALL;
SELECT id, x, y FROM t ARRAY JOIN n.a AS x, n.b AS y ORDER BY ALL;
SELECT t1.id, t1.n.a FROM t t1 LEFT JOIN t t2 USING id ARRAY JOIN t1.n ORDER BY ALL;
SELECT count() FROM t ARRAY JOIN n;
SELECT n.b, count() FROM t ARRAY JOIN n GROUP BY n.b ORDER BY ALL;
SELECT arraySort(groupArray(n.a)) FROM t ARRAY JOIN n;
SELECT id, n.a FROM t ARRAY JOIN n WHERE n.b != 'x' ORDER BY ALL;
SELECT id FROM t ARRAY JOIN q; -- { serverError UNKNOWN_IDENTIFIER }
SELECT id FROM t ARRAY JOIN id; -- { serverError TYPE_MISMATCH }
SELECT untuple(arrayJoin(n)) FROM t ORDER BY ALL;
