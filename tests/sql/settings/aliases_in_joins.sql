-- joined_subquery_requires_alias.
CREATE TABLE t (x UInt32) ENGINE = Memory;
INSERT INTO t VALUES (1);
SELECT 1 FROM (SELECT 1 AS a), (SELECT 1 AS b); -- { serverError ALIAS_REQUIRED }
SELECT 1 FROM (SELECT 1 AS a) AS x, (SELECT 1 AS b) AS y;
SELECT 1 FROM (SELECT 1 AS a) CROSS JOIN (SELECT 1 AS b); -- { serverError ALIAS_REQUIRED }
SELECT 1 FROM numbers(1) JOIN (SELECT 1 AS b) AS x ON 1; -- { serverError ALIAS_REQUIRED }
SELECT 1 FROM numbers(1) AS n JOIN (SELECT 1 AS b) AS x ON 1;
SELECT 1 FROM t JOIN (SELECT 1 AS x) AS b USING (x);
SELECT 1 FROM (SELECT 1 AS x) ARRAY JOIN [1] AS z;
SELECT 1 FROM (SELECT 1 AS x) JOIN t AS b USING (x); -- { serverError ALIAS_REQUIRED }
SELECT 1 FROM (SELECT 1 AS x) JOIN t AS b USING (x) SETTINGS joined_subquery_requires_alias = 0;
WITH c AS (SELECT 1 AS x) SELECT 1 FROM c JOIN t USING (x);
SELECT 1 FROM (SELECT 1 AS x) SEMI LEFT JOIN t USING (x); -- { serverError ALIAS_REQUIRED }
SELECT 1 FROM (t JOIN (SELECT 1 AS x) AS b USING (x));
SELECT 1 FROM numbers(1), numbers(1); -- { serverError ALIAS_REQUIRED }
SELECT 1 FROM numbers(1), numbers(2) SETTINGS joined_subquery_requires_alias = 0;
DROP TABLE t;
SELECT count(DISTINCT number) FROM numbers(3) SETTINGS count_distinct_implementation = 'nonsense'; -- { serverError UNKNOWN_AGGREGATE_FUNCTION }
