-- { largeBlocks }
-- GROUP BY with a LIMIT and no order: any groups may be returned, but these are complete.
SELECT count(), sum(c), sum(c * 100 != n) FROM (SELECT number % 1000 AS k, count() AS c, toUInt64(10000) AS n FROM numbers(100000) GROUP BY k LIMIT 10);
SELECT count(), countIf(s != 50 * k + 50000 * 49 / 2 * 20) FROM (SELECT number % 1000 AS k, sum(number) AS s FROM numbers(100000) GROUP BY k LIMIT 7) WHERE 0;
SELECT count(), countIf(s != 100 * k + 4950000) FROM (SELECT number % 1000 AS k, sum(number) AS s FROM numbers(100000) GROUP BY k LIMIT 7);
SELECT count(), countIf(m != k + 99000), countIf(length(a) != 100) FROM (SELECT intHash32(number % 1000) AS h, any(number % 1000) AS k, max(number) AS m, groupArray(number) AS a FROM numbers(100000) GROUP BY h LIMIT 500);
SELECT count(), uniqExact(a, b), sum(c) FROM (SELECT number % 40 AS a, toString(number % 25) AS b, count() AS c FROM numbers(100000) GROUP BY a, b LIMIT 20);
SELECT count(), uniqExact(k), sum(c) FROM (SELECT toString(number % 1000) AS k, count() AS c FROM numbers(100000) GROUP BY k LIMIT 5);
SELECT count(), sum(c) FROM (SELECT toLowCardinality(toString(number % 100)) AS k, count() AS c FROM numbers(100000) GROUP BY k LIMIT 5);
SELECT count(), sum(c) FROM (SELECT toUInt8(number % 100) AS k, count() AS c FROM numbers(100000) GROUP BY k LIMIT 5);
-- Fewer groups than the limit, and none.
SELECT count(), sum(c) FROM (SELECT number % 3 AS k, count() AS c FROM numbers(100000) GROUP BY k LIMIT 10);
SELECT count() FROM (SELECT number % 3 AS k, count() AS c FROM numbers(100000) WHERE number > 100000 GROUP BY k LIMIT 10);
SELECT count() FROM (SELECT number % 3 AS k, count() AS c FROM numbers(100000) GROUP BY k LIMIT 0);
-- With a condition on the groups, all of them are needed.
SELECT count() FROM (SELECT number % 1000 AS k, count() AS c FROM numbers(100000) GROUP BY k HAVING k > 900 LIMIT 50);
SELECT count(), max(s) FROM (SELECT number % 1000 AS k, sum(1) AS s FROM numbers(100000) GROUP BY k WITH TOTALS LIMIT 3);
-- An offset skips complete groups.
SELECT count(), sum(c) FROM (SELECT number % 1000 AS k, count() AS c FROM numbers(100000) GROUP BY k LIMIT 10 OFFSET 5);
-- Small and large numbers as keys, first dense and then not.
SELECT count(), sum(k), sum(c) FROM (SELECT number % 300000 AS k, count() AS c FROM numbers(900000) GROUP BY k);
SELECT count(), sum(k % 1000), sum(c) FROM (SELECT if(number < 500000, number % 1000, number * 1000000007) AS k, count() AS c FROM numbers(600000) GROUP BY k);
SELECT k, c FROM (SELECT number % 300000 AS k, count() AS c, sum(number) AS s FROM numbers(700000) GROUP BY k) ORDER BY c DESC, k DESC LIMIT 3;
-- LIMIT BY whose key contains the sort key.
SELECT k, number FROM (SELECT number % 5 AS k, number FROM numbers(1000)) ORDER BY k LIMIT 2 BY k;
SELECT k, count() FROM (SELECT number % 5 AS k, number FROM numbers(1000) ORDER BY k DESC LIMIT 1, 3 BY k) GROUP BY k ORDER BY k;
SELECT a, b, count() FROM (SELECT number % 2 AS a, number % 3 AS b FROM numbers(100) ORDER BY a DESC LIMIT 4 BY a, b) GROUP BY a, b ORDER BY a, b;
