-- { largeBlocks }
-- Common table expressions that are used several times.
CREATE TABLE t (a UInt32, b UInt32) ENGINE = Memory;
INSERT INTO t SELECT number, number % 4 FROM numbers(100);

WITH c AS (SELECT b, count() AS n, sum(a) AS s FROM t GROUP BY b) SELECT x.b, x.n + y.n, x.s FROM c AS x JOIN c AS y ON x.b = y.b ORDER BY x.b;
WITH c AS (SELECT b, sum(a) AS s FROM t GROUP BY b) SELECT * FROM c WHERE s > (SELECT avg(s) FROM c) ORDER BY b;
WITH c AS (SELECT b, sum(a) AS s FROM t GROUP BY b) SELECT b, s FROM c WHERE b = 1 UNION ALL SELECT b, s + 1 FROM c WHERE b = 2 OR s < 1210 ORDER BY ALL;
WITH c AS (SELECT 'x' AS k, b, sum(a) AS s FROM t GROUP BY b UNION ALL SELECT 'y', b, count() FROM t GROUP BY b)
SELECT p.b, p.s, q.s FROM c AS p, c AS q WHERE p.k = 'x' AND q.k = 'y' AND p.b = q.b AND q.b > 1 AND p.s > 1230 ORDER BY ALL;
WITH c AS (SELECT b, sum(a) AS s FROM t WHERE a > (SELECT min(a) + 3 FROM t) GROUP BY b), d AS (SELECT x.b, x.s FROM c AS x, c AS y WHERE x.b = y.b)
SELECT count(), sum(s) FROM d WHERE b IN (SELECT b FROM d WHERE s > 1200);
WITH (SELECT 3) AS three, c AS (SELECT a % three AS k, count() AS n FROM t GROUP BY k) SELECT x.k, x.n + y.n FROM c AS x JOIN c AS y USING k WHERE x.k IN (SELECT k FROM c WHERE n > 33) ORDER BY ALL;
-- In a step of a recursion, the rows are those of the step.
WITH RECURSIVE r AS (SELECT 1::Int64 AS x UNION ALL (WITH c AS (SELECT x + 1 AS y FROM r WHERE x < 5 GROUP BY y) SELECT p.y FROM c AS p JOIN c AS q ON p.y = q.y))
SELECT count(), sum(x) FROM r;
-- A source without an end.
WITH c AS (SELECT DISTINCT number AS k FROM system.numbers) SELECT count() FROM (SELECT * FROM c LIMIT 2) UNION ALL SELECT count() FROM (SELECT * FROM c LIMIT 3) ORDER BY ALL;

DROP TABLE t;
