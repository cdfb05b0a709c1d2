-- { configs: default }
-- Joins whose right side does not fit into memory.
SELECT count(), sum(a.v + b.v) FROM (SELECT number AS k, number AS v FROM numbers_mt(200000)) AS a JOIN (SELECT number * 2 AS k, number AS v FROM numbers_mt(150000)) AS b USING (k) SETTINGS max_bytes_before_external_join = 1000000;
SELECT count(), sum(a.v), sum(b.v), countIf(b.v = 0) FROM (SELECT number AS k, number AS v FROM numbers_mt(200000)) AS a FULL JOIN (SELECT number * 2 AS k, number + 1 AS v FROM numbers_mt(150000)) AS b USING (k) SETTINGS max_bytes_before_external_join = 1000000;
-- grace_hash writes what the limits do not allow, where other algorithms fail.
SELECT count() FROM numbers(1000) AS a JOIN numbers(1000) AS b USING (number) SETTINGS max_rows_in_join = 50, join_algorithm = 'grace_hash';
SELECT count() FROM numbers(1000) AS a LEFT JOIN numbers(500) AS b ON a.number = b.number SETTINGS max_bytes_in_join = 50, join_algorithm = 'grace_hash';
SELECT count() FROM numbers(1000) AS a JOIN numbers(1000) AS b USING (number) SETTINGS join_algorithm = 'grace_hash', grace_hash_join_initial_buckets = 4;
SELECT count() FROM numbers(1000) AS a JOIN numbers(1000) AS b USING (number) SETTINGS max_rows_in_join = 50, join_algorithm = 'hash'; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT count() FROM numbers(100) WHERE number IN (SELECT a.number FROM numbers(100) AS a JOIN numbers(100) AS b USING (number)) SETTINGS max_rows_in_join = 50; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT (SELECT count() FROM numbers(100) AS a JOIN numbers(100) AS b USING (number)) SETTINGS max_rows_in_join = 50; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT name, default FROM system.settings WHERE name IN ('max_bytes_before_external_join', 'max_bytes_ratio_before_external_join') ORDER BY name;
