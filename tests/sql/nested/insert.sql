-- What an INSERT gives of a group of arrays, and what it does not.
CREATE TABLE t (id UInt8, n Nested(a UInt8, b String)) ENGINE = Memory;
INSERT INTO t VALUES (1, [1,2], ['x','y']), (2, [], []);
INSERT INTO t VALUES (3, [1,2], ['x']); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
INSERT INTO t (id, n.a) VALUES (4, [1,2,3]);
INSERT INTO t (id, `n.b`) VALUES (5, ['q']), (6, []);
INSERT INTO t (id, n) VALUES (7, [(1, 'r')]); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
INSERT INTO t (id, n.c) VALUES (7, [1]); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
INSERT INTO t (id, n.b.size) VALUES (7, [1]); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
INSERT INTO t (id, n.a, n.a) VALUES (7, [1], [1]); -- { serverError DUPLICATE_COLUMN }
INSERT INTO t (id, n.a, n.b) VALUES (8, [1], []); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
INSERT INTO t (n.b, t.id, t.n.a) VALUES (['z'], 9, [10]);
INSERT INTO t SELECT 10, [1], ['a', 'b']; -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
INSERT INTO t SELECT number, range(number % 3), ['a'] FROM numbers(20, 20); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
INSERT INTO t SELECT 11, [1,2], ['a', 'b'];
INSERT INTO t (id, n.a) SELECT 12, [1,2];
INSERT INTO t (n.a, id) SELECT [1,2], 13 UNION ALL SELECT [3], 14;
INSERT INTO t (id) VALUES (15);
INSERT INTO t (id, n.a) SELECT 16, '[1,2]';
INSERT INTO t (id, n.a) VALUES (17, NULL);
INSERT INTO t (* EXCEPT (`n.a`)) VALUES (18, ['q']);
INSERT INTO t (id, n.a) SELECT number, range(number % 3) FROM numbers(20, 4);
SELECT * FROM t ORDER BY id;
SELECT count() FROM t WHERE length(n.a) != length(n.b);
-- In formats, a column that the data could have and do not is empty.
INSERT INTO t FORMAT TSV 30	[1]	['x']
SELECT * FROM t WHERE id >= 30;
DROP TABLE t;
-- Any columns of arrays whose names begin alike up to the first dot are a group.
CREATE TABLE g (`n.a` Array(UInt8), `n.b` Array(String), `n.c` UInt8) ENGINE = Memory;
INSERT INTO g VALUES ([1], ['a'], 5);
INSERT INTO g VALUES ([1], ['a','b'], 5); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
SELECT *, n FROM g;
DROP TABLE g;
CREATE TABLE g (`n.a.x` Array(UInt8), `n.b` Array(UInt8)) ENGINE = Memory;
INSERT INTO g VALUES ([1], [1,2]); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
INSERT INTO g (n.a.x) VALUES ([1,2]);
SELECT *, n FROM g;
SELECT n.a FROM g; -- { serverError UNKNOWN_IDENTIFIER }
DROP TABLE g;
-- Only the outer lengths count.
CREATE TABLE g (`n.a` Array(Array(UInt8)), `n.b` Array(Array(UInt8))) ENGINE = Memory;
INSERT INTO g VALUES ([[1]], [[1,2]]);
INSERT INTO g (n.a) VALUES ([[1,3],[2]]);
SELECT * FROM g ORDER BY ALL;
DROP TABLE g;
-- Defaults are checked, too.
CREATE TABLE g (`n.a` Array(UInt8), `n.b` Array(UInt8) DEFAULT [7], `n.c` Array(UInt8) DEFAULT arrayMap(x -> x + 1, n.a), `n.d` Array(Date32)) ENGINE = Memory;
INSERT INTO g (n.a) VALUES ([1]);
INSERT INTO g (n.a) VALUES ([1,2]); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
SELECT * FROM g;
DROP TABLE g;
CREATE TABLE g (id UInt8, `n.a` Array(UInt8), `n.b` Array(UInt8) MATERIALIZED [7]) ENGINE = Memory;
INSERT INTO g (n.a) VALUES ([1,2]); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
INSERT INTO g (n.a) VALUES ([1]);
SELECT n FROM g;
DROP TABLE g;
CREATE TABLE g (id UInt8, n Nested(a UInt8, b String), l UInt64 DEFAULT length(n.b), CONSTRAINT few CHECK length(n.b) < 3) ENGINE = Memory;
INSERT INTO g (n.a) VALUES ([1,2,3]); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO g (n.a) VALUES ([1,2]);
SELECT * FROM g;
DROP TABLE g;
-- A default may read the group; a constraint may not.
CREATE TABLE g (id UInt8, n Nested(a UInt8, b String), l UInt64 DEFAULT length(n), s String ALIAS arrayStringConcat(arrayMap(x -> x.b, n))) ENGINE = Memory;
INSERT INTO g (n.b) VALUES (['p','q']);
SELECT *, s FROM g;
DROP TABLE g;
CREATE TABLE g (id UInt8, n Nested(a UInt8, b String), CONSTRAINT c CHECK length(n) < 2) ENGINE = Memory; -- { serverError UNKNOWN_IDENTIFIER }
