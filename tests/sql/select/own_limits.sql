-- Limits in the SETTINGS of a subquery.
SELECT count() FROM (SELECT DISTINCT number FROM numbers(100) SETTINGS max_rows_in_distinct = 10); -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT count() FROM (SELECT number, count() FROM numbers(100) GROUP BY number SETTINGS max_rows_to_group_by = 10); -- { serverError TOO_MANY_ROWS }
SELECT count() FROM (SELECT 1 FROM numbers(2) AS a JOIN numbers(100) AS b USING (number) SETTINGS max_rows_in_join = 10); -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT count() FROM (SELECT number, count() FROM numbers(100) GROUP BY number SETTINGS max_rows_to_group_by = 100);
SELECT count() FROM (SELECT number % 5 AS k, count() AS c FROM numbers(100) GROUP BY k SETTINGS max_rows_to_group_by = 10) AS a JOIN (SELECT number FROM numbers(100) GROUP BY number) AS b ON a.k = b.number;
SELECT k, c FROM (SELECT number % 5 AS k, count() AS c FROM numbers(100) GROUP BY k SETTINGS max_rows_to_group_by = 10, group_by_overflow_mode = 'any') ORDER BY k;
SELECT count() FROM (SELECT * FROM (SELECT DISTINCT number FROM numbers(100)) SETTINGS max_rows_in_distinct = 10); -- { serverError SET_SIZE_LIMIT_EXCEEDED }
-- ANY JOIN with a condition over both sides.
SELECT x.b, y.b FROM VALUES('a UInt8, b UInt8', (1, 1), (1, 2), (1, 4)) AS x ANY INNER JOIN VALUES('a UInt8, b UInt8', (1, 3), (1, 9)) AS y ON x.a = y.a AND x.b < y.b ORDER BY ALL;
SELECT x.b, y.b FROM VALUES('a UInt8, b UInt8', (1, 1), (1, 2), (2, 3), (2, 4)) AS x ANY INNER JOIN VALUES('a UInt8, b UInt8', (1, 5), (1, 1), (2, 7)) AS y ON x.a = y.a AND x.b != y.b ORDER BY ALL;
SELECT x.b, y.b FROM VALUES('a UInt8, b UInt8', (1, 1), (1, 2), (2, 3), (2, 4)) AS x ANY INNER JOIN VALUES('a UInt8, b UInt8', (1, 5), (1, 1), (2, 7)) AS y ON x.a = y.a AND x.b > 1 ORDER BY ALL;
SELECT count() FROM VALUES('a UInt8, b UInt8', (1, 1), (1, 2), (2, 3), (2, 4)) AS x ANY INNER JOIN VALUES('a UInt8, b UInt8', (1, 5), (1, 1), (2, 7)) AS y ON x.a = y.a;
-- Common table expressions.
WITH t AS (SELECT 1 AS x), t AS (SELECT 2 AS x) SELECT * FROM t; -- { serverError MULTIPLE_EXPRESSIONS_FOR_ALIAS }
WITH RECURSIVE r AS (SELECT 1 AS n UNION SELECT n + 1 FROM r WHERE n < 3) SELECT max(n) FROM r; -- { serverError EXPECTED_ALL_OR_DISTINCT }
WITH RECURSIVE r AS (SELECT 1 AS n UNION SELECT n + 1 FROM r WHERE n < 3) SELECT max(n) FROM r SETTINGS union_default_mode = 'ALL';
-- NULL where an array is expected.
SELECT arraySort(NULL), arrayReverse(NULL), arraySum(NULL), arrayDistinct(NULL), arrayCumSum(NULL), arrayMax(NULL);
SELECT arraySort(groupUniqArray(NULL)), length(groupArray(NULL));
