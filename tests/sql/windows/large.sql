-- { largeBlocks }
-- { echoOn }
SELECT count(), sum(s), max(r), min(first) FROM (SELECT sum(number) OVER (PARTITION BY number % 77) AS s, row_number() OVER (PARTITION BY number % 77 ORDER BY number DESC) AS r, first_value(number) OVER (PARTITION BY number % 77 ORDER BY number) AS first FROM numbers(100000));
SELECT uniqExact(m), sum(m) FROM (SELECT median(number % 1000) OVER (PARTITION BY number % 10 ORDER BY number ROWS BETWEEN 11 PRECEDING AND CURRENT ROW) AS m FROM numbers(70000));
