-- Beyond a limit with the mode `break`, the block that exceeds it is the last one. (A DISTINCT that has spilled passes other blocks.)
SET max_threads = 1, max_block_size = 7, max_bytes_before_external_distinct = 0;

SELECT number FROM numbers(20) ORDER BY -number SETTINGS max_rows_to_sort = 10, sort_overflow_mode = 'break';
SELECT number FROM numbers(20) ORDER BY -number LIMIT 2 SETTINGS max_rows_to_sort = 10, sort_overflow_mode = 'break';
SELECT count(), max(number) FROM (SELECT number FROM numbers(20) ORDER BY number LIMIT 100) SETTINGS max_rows_to_sort = 13, sort_overflow_mode = 'break';
SELECT count(), max(number) FROM (SELECT number FROM numbers(20) ORDER BY number LIMIT 100) SETTINGS max_rows_to_sort = 14, sort_overflow_mode = 'break';
SELECT count() FROM (SELECT DISTINCT number % 15 FROM numbers(20)) SETTINGS max_rows_in_distinct = 10, distinct_overflow_mode = 'break';
SELECT count() FROM (SELECT DISTINCT number % 15 FROM numbers(20)) SETTINGS max_rows_in_distinct = 15, distinct_overflow_mode = 'break';
SELECT count() FROM (SELECT DISTINCT number FROM numbers(20)) SETTINGS max_bytes_in_distinct = 1, distinct_overflow_mode = 'break';

SELECT number % 15 AS k, count() FROM numbers(40) GROUP BY k ORDER BY k SETTINGS max_rows_to_group_by = 10, group_by_overflow_mode = 'break';
SELECT number % 15 AS k, count() FROM numbers(40) GROUP BY k ORDER BY k SETTINGS max_rows_to_group_by = 10, group_by_overflow_mode = 'any';
SELECT number % 15 AS k, count() FROM numbers(40) GROUP BY k ORDER BY k SETTINGS max_rows_to_group_by = 20, group_by_overflow_mode = 'any';
SELECT toString(number % 15) AS k, number % 2 AS l, sum(number) FROM numbers(100) GROUP BY k, l ORDER BY k, l SETTINGS max_rows_to_group_by = 5, group_by_overflow_mode = 'any';
SELECT if(number % 3 = 0, NULL, number) AS k, count() FROM numbers(40) GROUP BY k ORDER BY k SETTINGS max_rows_to_group_by = 3, group_by_overflow_mode = 'any';
SELECT number % 15 AS k, count() FROM numbers(40) GROUP BY k HAVING k > 3 ORDER BY k LIMIT 3 SETTINGS max_rows_to_group_by = 10, group_by_overflow_mode = 'any';
SELECT count() FROM numbers(40) SETTINGS max_rows_to_group_by = 1, group_by_overflow_mode = 'break';
SELECT number FROM numbers(20) GROUP BY number FORMAT Null SETTINGS max_rows_to_group_by = 10, group_by_overflow_mode = 'throw'; -- { serverError TOO_MANY_ROWS }

SELECT count() FROM numbers(40) WHERE number IN (SELECT number FROM numbers(20)) SETTINGS max_rows_in_set = 10, set_overflow_mode = 'break';
SELECT sum(number IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)) FROM numbers(11) SETTINGS max_rows_in_set = 5, set_overflow_mode = 'break';
SELECT count() FROM numbers(40) AS a JOIN numbers(20) AS b ON a.number = b.number SETTINGS max_rows_in_join = 10, join_overflow_mode = 'break', join_algorithm = 'hash', query_plan_join_swap_table = 'false';
SELECT count(), sum(b.number) FROM numbers(40) AS a LEFT JOIN numbers(20) AS b ON a.number = b.number SETTINGS max_bytes_in_join = 1, join_overflow_mode = 'break', join_algorithm = 'hash', query_plan_join_swap_table = 'false';

SELECT number FROM numbers(20) SETTINGS max_result_rows = 10, result_overflow_mode = 'break';
SELECT number FROM numbers(20) ORDER BY number DESC SETTINGS max_result_rows = 10, result_overflow_mode = 'break';
SELECT number FROM numbers(20) SETTINGS max_result_rows = 14, result_overflow_mode = 'break';
SELECT number FROM numbers(20) SETTINGS max_result_rows = 20, result_overflow_mode = 'break';
SELECT number FROM numbers(20) SETTINGS max_result_bytes = 10, result_overflow_mode = 'break';

-- These limits are for other servers of a cluster.
SELECT count() FROM numbers(40) WHERE number GLOBAL IN (SELECT number FROM numbers(20)) SETTINGS max_rows_to_transfer = 1, transfer_overflow_mode = 'break';
SELECT sum(number) FROM numbers(100) SETTINGS max_execution_time_leaf = 100, timeout_overflow_mode_leaf = 'break', read_overflow_mode_leaf = 'break';
