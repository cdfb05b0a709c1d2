-- A Nested column of a new table is a group of arrays.
CREATE TABLE t (id UInt8, n Nested(a UInt8, b String)) ENGINE = Memory;
DESCRIBE t;
SELECT name, type, position FROM system.columns WHERE database = currentDatabase() AND table = 't' ORDER BY position;
INSERT INTO t VALUES (1, [1,2], ['x','y']), (2, [], []);
SELECT * FROM t ORDER BY id;
SELECT n.a FROM t ORDER BY id;
SELECT `n.a`, `n`.`b`, t.n.a FROM t ORDER BY id;
SELECT n.a.size0, `n.b.size0` FROM t ORDER BY id;
SELECT n.size0 FROM t; -- { serverError UNKNOWN_IDENTIFIER }
SELECT n.c FROM t; -- { serverError UNKNOWN_IDENTIFIER }
-- The group as one value.
SELECT n, toTypeName(n) FROM t ORDER BY id;
SELECT t.n, x.n FROM t x ORDER BY id;
SELECT x.n, length(n), n[1].b FROM t x ORDER BY id;
SELECT n.* FROM t ORDER BY id;
SELECT COLUMNS('n') FROM t ORDER BY id;
SELECT * EXCEPT (`n.a`) FROM t ORDER BY id;
SELECT arrayJoin(n) AS e, e.a FROM t ORDER BY ALL;
SELECT sum(length(n)), max(n), min(n) FROM t;
SELECT id FROM t GROUP BY id, n ORDER BY n;
SELECT id, n.a FROM t WHERE n.b[1] = 'x';
SELECT * FROM t ORDER BY n DESC;
-- Views, subqueries and common table expressions pass the arrays on.
SELECT n FROM (SELECT n.a, n.b FROM t) ORDER BY ALL;
SELECT m FROM (SELECT [1] AS `m.a`, [2] AS `m.b`);
SELECT n FROM (SELECT id AS `n.a`, id AS `n.b` FROM t); -- { serverError UNKNOWN_IDENTIFIER }
WITH c AS (SELECT * FROM t) SELECT id, n.a, n.b FROM c ARRAY JOIN n ORDER BY ALL;
CREATE VIEW v AS SELECT * FROM t;
DESCRIBE v;
SELECT n FROM v ORDER BY ALL;
SELECT id, n.a, n.b FROM v ARRAY JOIN n ORDER BY ALL;
SELECT id, m.a, m.b FROM v ARRAY JOIN n AS m ORDER BY ALL;
SELECT t1.n, t2.n.a FROM t t1 JOIN t t2 ON t1.id = t2.id ORDER BY ALL;
DROP VIEW v;
DROP TABLE t;
-- Elements of all kinds.
CREATE TABLE k (n Nested(a UInt8, b LowCardinality(String), c Nullable(UInt8), d Array(UInt8), e Tuple(x UInt8, y String), f Map(String, UInt8), g Nested(p UInt8, q String))) ENGINE = Memory;
DESCRIBE k;
INSERT INTO k (n.a) VALUES ([1,2]);
SELECT * FROM k;
SELECT n.g.p, n.e.y, n.f.keys FROM k;
DROP TABLE k;
-- Refused.
CREATE TABLE r (id UInt8, n Nested()) ENGINE = Memory; -- { serverError EMPTY_DATA_PASSED }
CREATE TABLE r (id UInt8, n Nested(a UInt8), n UInt8) ENGINE = Memory; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE r (id UInt8, n Nested(a UInt8, a UInt8)) ENGINE = Memory; -- { serverError DUPLICATE_COLUMN }
CREATE TABLE r (id UInt8, n Nested(a UInt8) NULL) ENGINE = Memory; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
CREATE TABLE r (id UInt8, n Nested(a UInt8 DEFAULT 1)) ENGINE = Memory; -- { serverError SYNTAX_ERROR }
CREATE TABLE r (id UInt8, n Nullable(Nested(a UInt8))) ENGINE = Memory; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
CREATE TABLE r (id UInt8, n Nested(a UInt8) NOT NULL) ENGINE = Memory;
DESCRIBE r;
DROP TABLE r;
