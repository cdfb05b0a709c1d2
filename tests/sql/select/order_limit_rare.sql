-- { echoOn }
SELECT number FROM numbers(10) ORDER BY number OFFSET 7 ROWS FETCH FIRST 2 ROWS ONLY;
SELECT number FROM numbers(10) ORDER BY number LIMIT 3 WITH TIES;
SELECT number % 3 AS k FROM numbers(10) ORDER BY k LIMIT 2 WITH TIES;
SELECT number FROM system.numbers LIMIT 3;
