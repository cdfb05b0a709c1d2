-- What names with dots mean, and which of them mean nothing.
DROP TABLE IF EXISTS s;
DROP TABLE IF EXISTS kt;
CREATE TABLE s (id UInt32, arr Array(UInt8), n Nullable(Int32), t Tuple(a UInt8, b Tuple(c String, d Array(UInt16))), u Tuple(UInt8, Nullable(String)), m Map(String, UInt64), at Array(Tuple(x UInt8, y Nullable(String))), lc LowCardinality(String), lcn LowCardinality(Nullable(String)), alc Array(LowCardinality(Nullable(String))), fs FixedString(3), al Array(UInt8) ALIAS arrayConcat(arr, arr), ma Array(UInt8) MATERIALIZED [1, 2]) ENGINE = Memory;
INSERT INTO s (id, arr, n, t, u, m, at) VALUES (1, [1, 2, 3], 5, (1, ('x', [1, 2])), (7, 'seven'), {'k': 1}, [(1, 'one')]), (2, [], NULL, (0, ('', [])), (0, NULL), {}, []);
SELECT `arr.size0`, `t.b.c`, `n.null` FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT s.arr.size0, s.t.b.c FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT x.arr.size0, x.`arr.size0`, x.n.null FROM s AS x ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT t.b.c, t.t.b.c FROM s AS t ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT arr.size0 AS q, q + 1 FROM s ORDER BY q FORMAT TSVWithNamesAndTypes;
SELECT arr AS q, q.size0 FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT n AS q, q.null FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT tuple(1, 2) AS q, q.1 FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT id, arr.size0 AS s, s + 1 FROM s WHERE s > 0 ORDER BY s;
SELECT arr.size0 AS arr FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT * EXCEPT (arr, t, u, m, at, lc, lcn, alc, fs), arr.size0 FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT al.size0, ma.size0 FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT t.b.d.size0, length(t.b.d), tupleElement(t, 'b').c, (t.b).c FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
WITH arr AS q SELECT q.size0 FROM s ORDER BY id;
WITH at AS q SELECT q.y.null, q.x.1 FROM s ORDER BY id; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
WITH at AS q SELECT q.y.null, q.y.size FROM s ORDER BY id;
WITH (SELECT [1, 2]) AS q SELECT q.size0;
SELECT [1, 2] AS q, q.size0;
SELECT NULL AS q, q.null;
SELECT (1, NULL)::Tuple(a UInt8, b Nullable(UInt8)) AS q, q.a, q.b.null;
SELECT 'abc' AS q, q.size;
SELECT map('a', 1) AS q, q.keys, q.values, q.size0;
SELECT arr.size0 FROM s GROUP BY arr; -- { serverError NOT_AN_AGGREGATE }
SELECT t.a FROM s GROUP BY t; -- { serverError NOT_AN_AGGREGATE }
SELECT n.null FROM s GROUP BY n; -- { serverError NOT_AN_AGGREGATE }
SELECT lcn.null FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT lc.size FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT alc.null FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT t.3 FROM s; -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT t.zz FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT t.A FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT u.2.null FROM s; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT u.0 FROM s; -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT m.k FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT m.1 FROM s; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT at.q FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT fs.size FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT n.size FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT id.null FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT id.x FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT arr.size1 FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT arr.null FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT arr.length FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT arr.Size0 FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT arr.size0.x FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT t.a.x FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT s.zz.size0 FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT tuple(arr, n).1.size0 FROM s; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT `s.arr.size0` FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT arr AS q, `q.size0` FROM s; -- { serverError UNKNOWN_IDENTIFIER }
SELECT s.`arr.size0` + 1, `arr.size0` + 1 FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT getSubcolumn(arr, 'size0'), getSubcolumn(t, 'b.c'), getSubcolumn(at, 'y.null') FROM s ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT getSubcolumn(materialize([1, 2]), 'size0'), getSubcolumn([1, 2], 'size0'), toTypeName(getSubcolumn([[1]], 'size1'));
SELECT getSubcolumn(arr, 'zz') FROM s; -- { serverError ILLEGAL_COLUMN }
SELECT getSubcolumn(id, 'null') FROM s; -- { serverError ILLEGAL_COLUMN }
SELECT getSubcolumn(arr) FROM s; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT getSubcolumn(arr, materialize('size0')) FROM s; -- { serverError ILLEGAL_COLUMN }
DROP TABLE s;
-- A column whose own name has a dot comes before a part of another.
CREATE TABLE kt (`k.a` UInt8, k Tuple(a String, c UInt8), `n.null` String, n Nullable(UInt8)) ENGINE = Memory;
INSERT INTO kt VALUES (1, ('q', 2), 'nn', 3);
SELECT k.a, k.c, n.null, kt.k.a, k FROM kt FORMAT TSVWithNamesAndTypes;
DROP TABLE kt;
