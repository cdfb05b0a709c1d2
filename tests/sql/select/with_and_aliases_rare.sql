-- { echoOn }
WITH t AS (SELECT 1 AS x) SELECT count() FROM t UNION ALL SELECT x FROM t;
WITH x -> x * 2 AS dbl SELECT dbl(4), arrayMap(dbl, [1, 2]);
WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT sum(n) FROM r;
