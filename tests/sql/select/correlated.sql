-- Subqueries that read columns of the query around them.
DROP TABLE IF EXISTS t;
DROP TABLE IF EXISTS u;
CREATE TABLE t (a Int32, b Int32) ENGINE = Memory;
CREATE TABLE u (a Int32, c Nullable(Int32)) ENGINE = Memory;
INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (3, 31);
INSERT INTO u VALUES (1, 5), (1, 6), (2, 7), (2, NULL), (4, 1);

SELECT a, (SELECT max(c) FROM u WHERE u.a = t.a) AS m, toTypeName(m) FROM t ORDER BY a, b;
SELECT a, (SELECT sum(c) + 1 FROM u WHERE u.a = t.a) FROM t ORDER BY a, b;
SELECT a, (SELECT groupArray(c) FROM (SELECT * FROM u ORDER BY c) AS u WHERE u.a = t.a) AS m, toTypeName(m) FROM t ORDER BY a, b;
SELECT a, (SELECT max(c) FROM u WHERE u.a < t.a) FROM t ORDER BY a, b;
SELECT a, (SELECT max(c) FROM u WHERE u.a < t.a AND c > 5) FROM t ORDER BY a, b;
SELECT a, (SELECT x FROM (SELECT max(c) AS x FROM u WHERE u.a = t.a) AS y) FROM t ORDER BY a, b;
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a) ORDER BY a, b;
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a) ORDER BY a, b;
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.c < t.b - 14) ORDER BY a, b;
SELECT a, EXISTS (SELECT 1 FROM u WHERE u.a = t.a) AS e, toTypeName(e) FROM t ORDER BY a, b;
SELECT a FROM t WHERE a = 3 OR EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND u.c = 6) ORDER BY a, b;
SELECT a FROM t WHERE b > (SELECT 3 * avg(c) FROM u WHERE u.a = t.a) ORDER BY a, b;
SELECT a FROM t WHERE b > ANY (SELECT c FROM u WHERE u.a = t.a) ORDER BY a, b;
SELECT a, sum(b) FROM t GROUP BY a HAVING sum(b) > (SELECT max(c) FROM u WHERE u.a = t.a) ORDER BY a;
SELECT a, m FROM (SELECT a, b, (SELECT max(c) FROM u WHERE u.a = t.a) AS m FROM t) AS x WHERE m = 7 ORDER BY a;
SELECT x.a, y.c FROM t AS x JOIN u AS y ON x.a = y.a WHERE y.c = (SELECT max(z.c) FROM u AS z WHERE z.a = x.a) ORDER BY x.a;
SELECT a, (SELECT uniqExact(c) FROM u WHERE u.a = t.a) AS n FROM t WHERE a < 3 ORDER BY a;
SELECT a, (SELECT toString(c) || toString(b) FROM u WHERE u.a = t.a AND u.c = 7) AS m FROM t ORDER BY a, b;
SELECT a, (SELECT max(c), min(c) FROM u WHERE u.a = t.a) FROM t; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
SELECT a, (SELECT d FROM u WHERE u.a = t.a) FROM t; -- { serverError UNKNOWN_IDENTIFIER }

-- The alias of the outer table is the name of a column of the inner one.
SELECT count() FROM t AS a WHERE EXISTS (SELECT 1 FROM t AS x WHERE x.b = a.b);

DROP TABLE t;
DROP TABLE u;
