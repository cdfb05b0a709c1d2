-- A view stands for its query wherever a table may stand.
CREATE TABLE t (a Int32, b String) ENGINE = Memory;
INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'x');
CREATE VIEW v AS SELECT a, b FROM t WHERE a > 1;
SELECT * FROM v ORDER BY a;
SELECT b, a + 1 AS n FROM v ORDER BY n;
SELECT count() FROM v;
SELECT v.a, q.b FROM v JOIN v AS q ON v.a = q.a ORDER BY v.a;
SELECT q.* FROM v AS q ORDER BY a;
SELECT t.a, v.b FROM t LEFT JOIN v ON t.a = v.a ORDER BY t.a;
SELECT t.a, v.b FROM t LEFT JOIN v USING (a) ORDER BY t.a SETTINGS join_use_nulls = 1;
SELECT a, sum(a) OVER (ORDER BY a) FROM v ORDER BY a;
SELECT b, count() FROM v GROUP BY b ORDER BY b;
SELECT a FROM t WHERE a IN (SELECT a FROM v) ORDER BY a;
SELECT (SELECT max(a) FROM v), EXISTS(SELECT 1 FROM v WHERE a = 3), EXISTS(SELECT 1 FROM v WHERE a = 1);
WITH c AS (SELECT a FROM v) SELECT sum(a) FROM c;
SELECT a FROM (SELECT a FROM v UNION ALL SELECT a FROM t) ORDER BY a;
SELECT a, b FROM v EXCEPT SELECT a, b FROM t WHERE b = 'y';
SELECT x, a FROM v ARRAY JOIN [10, 20] AS x ORDER BY a, x;
CREATE VIEW one AS SELECT a FROM v ORDER BY a LIMIT 1;
SELECT toTypeName(a) FROM one;
SELECT 2 IN one, 5 IN one, 2 NOT IN one FROM (SELECT 1) WHERE (SELECT a FROM one) = 2;
-- Views in views.
CREATE VIEW vv AS SELECT b, count() AS n FROM v GROUP BY b;
CREATE VIEW vvv AS SELECT x.b, x.n, y.a FROM vv AS x JOIN v AS y ON x.b = y.b;
SELECT * FROM vvv ORDER BY a;
SELECT * FROM vvv WHERE b = 'x' ORDER BY a;
SELECT n FROM vv ORDER BY b;
-- FINAL and the sorted ends of a view.
SELECT count() FROM v FINAL;
CREATE VIEW top AS SELECT a FROM t ORDER BY a DESC LIMIT 2;
SELECT * FROM top;
SELECT min(a), max(a) FROM top;
CREATE VIEW totals AS SELECT b, count() AS c FROM t GROUP BY b WITH TOTALS;
SELECT b, c FROM totals ORDER BY b;
CREATE VIEW distinct_b AS SELECT DISTINCT b FROM t;
SELECT count() FROM distinct_b;
-- Two columns of DISTINCT, of which one is read.
CREATE VIEW pairs AS SELECT DISTINCT b, a % 2 AS odd FROM t;
SELECT b FROM pairs ORDER BY b;
SELECT count() FROM pairs;
-- Rows come from the table as it is now.
INSERT INTO t VALUES (4, 'z');
SELECT count(), sum(a) FROM v;
INSERT INTO t SELECT a + 10, b FROM v;
SELECT count() FROM v;
SELECT a FROM merge(currentDatabase(), '^(v|one)$') WHERE a < 10 ORDER BY a;
CREATE VIEW aliases AS WITH 5 AS five, c AS (SELECT a FROM t WHERE a < five) SELECT five, a, a + five AS s FROM c;
SELECT * FROM aliases ORDER BY a;
CREATE VIEW rec AS WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r;
SELECT x.n, y.n FROM rec AS x, rec AS y WHERE x.n < y.n ORDER BY ALL;
SELECT * FROM v AS a, v AS b WHERE a.a = b.a AND a.a < 4 ORDER BY a.a;
