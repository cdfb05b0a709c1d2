-- Settings that change what a query means.
-- One thread: of several, another one may bring the row that ANY keeps.
SET max_threads = 1;
CREATE TABLE l (k Int32, a Int32) ENGINE = Memory;
CREATE TABLE r (k Int32, b Int32) ENGINE = Memory;
INSERT INTO l VALUES (1, 1), (1, 2), (2, 3), (3, 4);
INSERT INTO r VALUES (1, 10), (1, 10), (2, 30), (4, 50), (4, 50);
SELECT * FROM l ANY INNER JOIN r USING k ORDER BY k, b;
SELECT * FROM l ANY INNER JOIN r USING k ORDER BY ALL SETTINGS any_join_distinct_right_table_keys = 1;
SELECT * FROM l ANY LEFT JOIN r USING k ORDER BY ALL SETTINGS any_join_distinct_right_table_keys = 1;
SELECT k FROM l JOIN r USING k SETTINGS join_default_strictness = ''; -- { serverError EXPECTED_ALL_OR_ANY }
SELECT * FROM l LEFT JOIN r USING k ORDER BY ALL SETTINGS join_default_strictness = 'ANY';
SELECT count() FROM l, r SETTINGS join_default_strictness = 'ANY';

SELECT count() FROM l WHERE a > 100 SETTINGS empty_result_for_aggregation_by_empty_set = 1;
SELECT count(), sum(a) + 1 FROM l WHERE a > 100 SETTINGS empty_result_for_aggregation_by_empty_set = 1;
SELECT count() FROM l SETTINGS empty_result_for_aggregation_by_empty_set = 1;
SELECT count(), sum(a) FROM l WHERE a > 100;

SET transform_null_in = 1;
SELECT NULL IN (1, NULL), NULL IN (1, 2), 1 IN (NULL, 2), toNullable(1) IN (NULL, 1), NULL NOT IN (1, NULL);
SELECT x, x IN (1, NULL), x NOT IN (1, NULL), x IN (1, 2), toTypeName(x IN (1, NULL)) FROM (SELECT arrayJoin([1, 2, NULL]) AS x) ORDER BY x;
SELECT x, x IN (SELECT 1), x NOT IN (SELECT 1) FROM (SELECT arrayJoin([1, 2, NULL]) AS x) ORDER BY x;
SET transform_null_in = 0;
SELECT NULL IN (1, NULL), NULL IN (1, 2), 1 IN (NULL, 2), toNullable(1) IN (NULL, 1), NULL NOT IN (1, NULL);

SET cast_keep_nullable = 1;
SELECT toTypeName(CAST(toNullable(1) AS Int8)), toTypeName(CAST(1 AS Int8)), toTypeName(toNullable(1)::String), CAST(NULL AS Int8), toTypeName(CAST(toNullable(1) AS Nullable(Int16)));
SELECT toTypeName(CAST([toNullable(1)] AS Array(Int8)));
SET cast_keep_nullable = 0;
SELECT toTypeName(CAST(toNullable(1) AS Int8));

SELECT k, grouping(k), grouping(a), grouping(k, a) FROM l GROUP BY GROUPING SETS ((k), (a)) ORDER BY ALL SETTINGS force_grouping_standard_compatibility = 0;
SELECT k, grouping(k), grouping(a), grouping(k, a) FROM l GROUP BY GROUPING SETS ((k), (a)) ORDER BY ALL;

SELECT sum(number) FROM numbers(100) SETTINGS max_rows_to_read = 10; -- { serverError TOO_MANY_ROWS }
SELECT sum(number) FROM numbers(100) SETTINGS max_bytes_to_read = 10; -- { serverError TOO_MANY_BYTES }
SELECT sum(number) FROM numbers(100) SETTINGS max_rows_to_read = 100, max_bytes_to_read = '1M';
SELECT NULL IN (SELECT 1), NULL NOT IN (SELECT 1) SETTINGS transform_null_in = 1;
