-- { largeBlocks }
-- GROUP BY with a LIMIT and no order: any groups, but complete ones.
SELECT count(), sum(c), countIf(c != 100) FROM (SELECT number % 1000 AS k, toString(number % 1000) AS s, count() AS c FROM numbers(100000) GROUP BY k, s LIMIT 10);
SELECT count(), countIf(c != 100) FROM (SELECT toString(number % 1000) AS s, number % 500 AS k, toFloat64(number % 1000) AS f, count() AS c FROM numbers(100000) GROUP BY s, k, f LIMIT 7);
SELECT count(), countIf(c != 50) FROM (SELECT if(number % 2 = 0, NULL, number % 2000) AS k, toString(number % 2000) AS s, count() AS c FROM numbers(100000) GROUP BY k, s LIMIT 12);
SELECT count(), sum(c) FROM (SELECT 1 AS one, number % 3 AS k, toString(number % 3) AS s, count() AS c FROM numbers(100000) GROUP BY one, k, s LIMIT 3);
SELECT count(), countIf(c != 100), countIf(m != number_of_s) FROM (SELECT number % 1000 AS k, toString(number % 1000) AS s, count() AS c, max(number) AS m, 99000 + toUInt64(s) AS number_of_s FROM numbers(100000) GROUP BY k, s LIMIT 4000);
