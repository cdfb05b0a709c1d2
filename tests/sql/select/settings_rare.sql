-- { echoOn }
SELECT value FROM system.settings WHERE name = 'max_result_rows';
SELECT getSetting('max_result_rows');
SET distinct_overflow_mode = 'break', max_rows_in_distinct = 0;
SELECT number FROM numbers(5) ORDER BY number LIMIT 3 SETTINGS limit = 2;
SET union_default_mode = 'DISTINCT';
SELECT x FROM (SELECT 1 AS x UNION SELECT 1 UNION SELECT 2) ORDER BY x;
SET join_use_nulls = 1;
SELECT a.x, b.y FROM (SELECT 1 AS x) AS a LEFT JOIN (SELECT 2 AS x, 3 AS y) AS b ON a.x = b.x;
SET aggregate_functions_null_for_empty = 1;
SELECT sum(number) FROM numbers(0);
