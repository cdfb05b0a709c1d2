-- { fixedEngine }
-- Subcolumns in definitions of tables, of table functions, and in every clause; tuples unfolded by an asterisk.
DROP TABLE IF EXISTS g;
CREATE TABLE g (id UInt32, t Tuple(a UInt8, b Tuple(c String, d UInt8)), arr Array(UInt8), l UInt64 DEFAULT arr.size0 + t.a, k String ALIAS t.b.c, CONSTRAINT c CHECK t.a < 100) ENGINE = MergeTree ORDER BY (t.a, id) PARTITION BY t.b.d;
INSERT INTO g (id, t, arr) VALUES (1, (5, ('x', 1)), [1,2]), (2, (3, ('y', 2)), []), (3, (4, ('z', 1)), [7]);
SELECT id, l, k FROM g ORDER BY ALL;
SELECT id FROM g WHERE t.a > 3 ORDER BY t.a;
SELECT t.* FROM g ORDER BY id FORMAT TSVWithNames;
SELECT g.t.* FROM g ORDER BY id FORMAT TSVWithNames;
SELECT untuple(t) FROM g ORDER BY id FORMAT TSVWithNames;
SELECT t.b.* FROM g ORDER BY id FORMAT TSVWithNames;
SELECT a.size0, n.null FROM values('a Array(UInt8), n Nullable(UInt8)', ([1,2], NULL), ([], 3)) ORDER BY ALL;
SELECT a.size0, t.x FROM format(JSONEachRow, 'a Array(UInt8), t Tuple(x UInt8, y String)', '{"a":[1,2],"t":{"x":3,"y":"q"}}');
SELECT arr.size0, t.b.c FROM merge('g') ORDER BY ALL;
SELECT v.arr.size0 FROM view(SELECT arr FROM g) AS v ORDER BY ALL;
CREATE TABLE h (x UInt64, y UInt8) ENGINE = Memory;
INSERT INTO h SELECT arr.size0, t.a FROM g;
SELECT * FROM h ORDER BY ALL;
SELECT count() FROM g WHERE (t.a, arr.size0) IN ((5, 2), (4, 9));
SELECT count() FROM g WHERE t.b.c LIKE '%y' OR arr.size0 = 1;
SELECT sumIf(arr.size0, t.b.d = 1), groupArraySorted(3)(t.b.c) FROM g;
SELECT t.b.d, sum(arr.size0) FROM g GROUP BY t.b.d WITH TOTALS ORDER BY 1;
SELECT t.b.d, arr.size0, count() FROM g GROUP BY GROUPING SETS ((t.b.d), (arr.size0)) ORDER BY ALL;
SELECT arr.size0 IN (SELECT 1), t.a FROM g ORDER BY t.a;
SELECT if(arr.size0 > 0, arr[1], 0), arr.size0 FROM g ORDER BY id;
SELECT l.t.a, r.t.a FROM g AS l ASOF JOIN g AS r ON l.t.b.d = r.t.b.d AND l.t.a >= r.t.a ORDER BY ALL;
SELECT x, y FROM (SELECT arr.size0 AS x, t.a AS y FROM g) WHERE x > 0 ORDER BY ALL;
SELECT (SELECT max(t.a) FROM g) - t.a FROM g ORDER BY id;
SELECT id FROM g WHERE EXISTS(SELECT 1 FROM g WHERE arr.size0 = 2) ORDER BY id;
SELECT id, t.a FROM g QUALIFY row_number() OVER (PARTITION BY t.b.d ORDER BY t.a) = 1 ORDER BY id;
SELECT * REPLACE (arr.size0 AS arr) FROM g ORDER BY id;
SELECT COLUMNS('^t$') APPLY (x -> x.a) FROM g ORDER BY id FORMAT TSVWithNames;
DROP TABLE g;
DROP TABLE h;
CREATE TABLE g (id UInt32, t Tuple(a UInt8, b Tuple(c String, d UInt8)), u Tuple(UInt8, String), arr Array(UInt8), at Array(Tuple(x UInt8))) ENGINE=Memory;
INSERT INTO g (id, t, u, arr, at) VALUES (1, (5, ('x', 1)), (7, 'q'), [1,2], [(1)]);
SELECT u.* FROM g FORMAT TSVWithNames;
SELECT arr.* FROM g FORMAT TSVWithNames; -- { serverError UNSUPPORTED_METHOD }
SELECT at.* FROM g FORMAT TSVWithNames;
SELECT zz.* FROM g FORMAT TSVWithNames; -- { serverError UNKNOWN_IDENTIFIER }
SELECT t.* EXCEPT (a) FROM g FORMAT TSVWithNames;
SELECT t.* APPLY toTypeName FROM g FORMAT TSVWithNames;
SELECT t AS q, q.* FROM g FORMAT TSVWithNames;
SELECT (1, 2) AS q, q.* FORMAT TSVWithNames;
SELECT g.t.b.* FROM g FORMAT TSVWithNames;
SELECT count(t.*) FROM g; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT tuple(t.*) FROM g;
DROP TABLE g;
