-- What a sort, a join, a set, a result may take.
SELECT number FROM numbers(10) ORDER BY number DESC SETTINGS max_rows_to_sort = 5; -- { serverError TOO_MANY_ROWS_OR_BYTES }
SELECT number FROM numbers(10) ORDER BY number DESC SETTINGS max_bytes_to_sort = 5; -- { serverError TOO_MANY_ROWS_OR_BYTES }
SELECT sum(number) OVER (ORDER BY number DESC) FROM numbers(10) SETTINGS max_rows_to_sort = 5; -- { serverError TOO_MANY_ROWS_OR_BYTES }
SELECT number FROM numbers(3) ORDER BY number DESC SETTINGS max_rows_to_sort = 5, max_bytes_to_sort = 100000;
SELECT sum(number) FROM numbers(10) ORDER BY 1 SETTINGS max_rows_to_sort = 5;
SELECT count() FROM numbers(10) AS a JOIN numbers(10) AS b ON a.number = b.number SETTINGS max_rows_in_join = 5; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT count() FROM numbers(10) AS a LEFT JOIN numbers(10) AS b ON a.number = b.number SETTINGS max_bytes_in_join = 5; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT count() FROM numbers(10) AS a LEFT JOIN numbers(3) AS b ON a.number = b.number SETTINGS max_rows_in_join = 5;
SELECT count() FROM numbers(10) AS a, numbers(10) AS b SETTINGS max_rows_in_join = 5;
SELECT number IN (SELECT number FROM numbers(10)) FROM numbers(2) SETTINGS max_rows_in_set = 5; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT number IN (SELECT number FROM numbers(10)) FROM numbers(2) SETTINGS max_bytes_in_set = 5; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT number IN (SELECT number % 3 FROM numbers(10)) FROM numbers(2) ORDER BY 1 SETTINGS max_rows_in_set = 5;
SELECT number IN (1, 2, 3, 4, 5, 6, 7) FROM numbers(2) SETTINGS max_rows_in_set = 5; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT number IN (1, 2, 3) FROM numbers(2) ORDER BY number SETTINGS max_rows_in_set = 3;
SELECT DISTINCT number FROM numbers(10) SETTINGS max_bytes_in_distinct = 5; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT number FROM numbers(10) SETTINGS max_result_bytes = 5; -- { serverError TOO_MANY_ROWS_OR_BYTES }

-- Columns that are read and made, nesting.
CREATE TABLE wide (a Int32, b Int32, c Int32) ENGINE = Memory;
INSERT INTO wide VALUES (1, 2, 3);
SELECT a, b, c FROM wide SETTINGS max_columns_to_read = 2; -- { serverError TOO_MANY_COLUMNS }
SELECT a, c FROM wide SETTINGS max_columns_to_read = 2;
SELECT a + 1, a + 2, a + 3, a + 4 FROM wide SETTINGS max_temporary_columns = 3; -- { serverError TOO_MANY_TEMPORARY_COLUMNS }
SELECT a + 1, a + 2, a + 3, a + 4 FROM wide SETTINGS max_temporary_columns = 100;
SELECT a, a + 1, a + 2 FROM wide SETTINGS max_temporary_non_const_columns = 2; -- { serverError TOO_MANY_TEMPORARY_NON_CONST_COLUMNS }
SELECT a, a + 1, a + 2 FROM wide SETTINGS max_temporary_non_const_columns = 3;
SELECT 1 FROM (SELECT 1 FROM (SELECT 1)) SETTINGS max_subquery_depth = 1; -- { serverError TOO_DEEP_SUBQUERIES }
SELECT 1 FROM (SELECT 1 FROM (SELECT 1)) SETTINGS max_subquery_depth = 2;
SELECT 1 IN (SELECT 1 FROM (SELECT 1)) SETTINGS max_subquery_depth = 1; -- { serverError TOO_DEEP_SUBQUERIES }
SELECT 1 UNION ALL SELECT 1 FROM (SELECT 2) SETTINGS max_subquery_depth = 1;
