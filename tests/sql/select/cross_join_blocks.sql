-- Only the number of pairs is wanted.
SELECT count() FROM numbers(500) AS a CROSS JOIN numbers(200000) AS b;
SELECT count() FROM numbers(1000) AS a, numbers(1000) AS b, numbers(10) AS c;
SELECT count() FROM (SELECT number % 3 AS k FROM numbers(10000)) AS a JOIN (SELECT number % 3 AS k FROM numbers(3000)) AS b USING (k);
SELECT count() FROM (SELECT number AS k FROM numbers(10)) AS a LEFT JOIN (SELECT number % 3 AS k FROM numbers(30000)) AS b USING (k);
SELECT count() FROM numbers(10) AS a CROSS JOIN (SELECT 1 WHERE 0) AS b;
SELECT 1 FROM numbers(3) AS a CROSS JOIN numbers(2) AS b;
SELECT count() FROM (SELECT 1 FROM numbers(100) AS a CROSS JOIN numbers(1000) AS b LIMIT 7);
-- A long right side comes block by block, beside each left row.
SELECT count(), sum(a.number), sum(b.number), min(a.number + b.number), max(a.number * b.number) FROM numbers(20) AS a CROSS JOIN numbers(30000) AS b;
SELECT a.s, b.s FROM (SELECT toString(number) AS s FROM numbers(12)) AS a CROSS JOIN (SELECT toNullable(number) AS s FROM numbers(20000)) AS b WHERE b.s > 19997 ORDER BY ALL LIMIT 5;
SELECT count(), sum(length(a.l)), sum(length(b.l)) FROM (SELECT toLowCardinality(toString(number % 5)) AS l FROM numbers(20)) AS a CROSS JOIN (SELECT toLowCardinality(toString(number % 7)) AS l FROM numbers(9000)) AS b;
SELECT count() FROM numbers(20) AS a CROSS JOIN numbers(30000) AS b WHERE a.number > b.number;
