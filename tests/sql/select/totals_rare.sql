-- { echoOn }
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS HAVING c > 3 ORDER BY k;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS HAVING c > 3 ORDER BY k SETTINGS totals_mode = 'before_having';
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS HAVING c > 30;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k LIMIT 1;
SELECT count() AS c FROM numbers(10) WITH TOTALS;
SELECT k, c + 1 FROM (SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS) WHERE c > 3 ORDER BY k;
SELECT count() FROM (SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS);
SELECT toString(number) AS k, sum(number + 1), sum(number + 2), uniq(number), quantile(0.5)(number), max(toString(number)), argMax(number, toString(number)), countIf(number > 1), avgOrNull(number), sumIf(number, number > 9) FROM numbers(3) GROUP BY k WITH TOTALS ORDER BY k;
SELECT number % 2 AS a, a + 1 AS b, count() FROM numbers(5) GROUP BY a, b WITH TOTALS ORDER BY a;
SELECT number % 3 AS k, count() FROM numbers(3) GROUP BY k WITH ROLLUP WITH TOTALS ORDER BY ALL;
SELECT number % 3 AS k, number % 2 AS b, count(), sum(k), grouping(k, b), grouping(b, k), grouping(b) FROM numbers(3) GROUP BY CUBE(k, b) ORDER BY ALL;
SELECT number % 2 AS b, grouping(b + 1) FROM numbers(3) GROUP BY b WITH ROLLUP; -- { serverError BAD_ARGUMENTS }
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k ORDER BY k SETTINGS extremes = 1;
SELECT number AS k, if(number = 1, NULL, toString(number)) AS s, [number] AS a FROM numbers(3) ORDER BY k SETTINGS extremes = 1;
SELECT number FROM numbers(0) SETTINGS extremes = 1;
SELECT number % 3 AS k FROM numbers(10) GROUP BY k SETTINGS max_rows_to_group_by = 2; -- { serverError TOO_MANY_ROWS }
SELECT DISTINCT number % 3 AS k FROM numbers(10) SETTINGS max_rows_in_distinct = 2; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT number FROM numbers(10) SETTINGS max_result_rows = 3; -- { serverError TOO_MANY_ROWS_OR_BYTES }
SELECT number FROM numbers(10) ORDER BY number LIMIT 2, 4 SETTINGS limit = 3, offset = 2;
SELECT sum(x) FROM (SELECT number AS x FROM numbers(5)) SETTINGS limit = 1;
SELECT a, b, z FROM (SELECT [1, 2, 3] AS x, ['a'] AS y, 7 AS z) ARRAY JOIN x AS a, y AS b ORDER BY a SETTINGS enable_unaligned_array_join = 1;
SELECT count(), uniq(number), sum(number), max(number), avg(number), countIf(1), groupArray(number) FROM numbers(0) SETTINGS aggregate_functions_null_for_empty = 1;
SELECT toTypeName(x), toTypeName(x + 1), toTypeName(sum(x)) FROM (SELECT sumSimpleState(number) AS x FROM numbers(3)) GROUP BY x;
CREATE TABLE s (a SimpleAggregateFunction(sum, UInt64), b SimpleAggregateFunction(max, Nullable(String))) ENGINE = Memory;
INSERT INTO s VALUES (1, 'x'), (2, NULL);
SELECT sum(a), max(b) FROM s;
SELECT CAST(1, 'SimpleAggregateFunction(avg, UInt64)'); -- { serverError BAD_ARGUMENTS }
