-- LIMIT and OFFSET that are negative or fractions, LIMIT BY, WITH TIES, DISTINCT ON.
SELECT number FROM numbers(10) ORDER BY number LIMIT -3;
SELECT number FROM numbers(10) ORDER BY number LIMIT 3 OFFSET -2;
SELECT number FROM numbers(10) ORDER BY number LIMIT -3 OFFSET -2;
SELECT number FROM numbers(10) ORDER BY number LIMIT -3 OFFSET 2;
SELECT number FROM numbers(10) ORDER BY number OFFSET -2;
SELECT number FROM numbers(10) ORDER BY number OFFSET 0.5;
SELECT number FROM numbers(10) ORDER BY number LIMIT 0.25;
SELECT number FROM numbers(10) ORDER BY number LIMIT 0.25 OFFSET 0.5;
SELECT number FROM numbers(10) ORDER BY number LIMIT 2 OFFSET 0.5;
SELECT number FROM numbers(10) ORDER BY number LIMIT 0.5 OFFSET 2;
SELECT number FROM numbers(10) ORDER BY number LIMIT -2 OFFSET 0.1; -- { serverError NOT_IMPLEMENTED }
SELECT number FROM numbers(10) ORDER BY number LIMIT 0.1 OFFSET -2; -- { serverError NOT_IMPLEMENTED }
SELECT number FROM numbers(10) ORDER BY number LIMIT 0.1 WITH TIES;
SELECT number FROM numbers(10) ORDER BY number LIMIT -2 WITH TIES;
SELECT number FROM numbers(10) ORDER BY number LIMIT -1 WITH TIES;
SELECT intDiv(number,4) AS k FROM numbers(10) ORDER BY k LIMIT -1 WITH TIES;
SELECT intDiv(number,4) AS k FROM numbers(10) ORDER BY k LIMIT -1 OFFSET -1 WITH TIES;
SELECT intDiv(number,4) AS k FROM numbers(10) ORDER BY k LIMIT 0.2 OFFSET 0.1 WITH TIES;
SELECT number FROM numbers(10) ORDER BY number LIMIT -2 BY number % 3;
SELECT number FROM numbers(10) ORDER BY number LIMIT -2 OFFSET -1 BY number % 3;
SELECT number FROM numbers(10) ORDER BY number LIMIT -1 OFFSET 1 BY number % 3;
SELECT number FROM numbers(10) ORDER BY number LIMIT 1 OFFSET -1 BY number % 3;
SELECT number FROM numbers(10) ORDER BY number LIMIT 0.5 BY number % 3; -- { serverError NOT_IMPLEMENTED }
SELECT number FROM numbers(10) ORDER BY number LIMIT 1 OFFSET 0.5 BY number % 3; -- { serverError NOT_IMPLEMENTED }
SELECT number FROM numbers(10) ORDER BY number LIMIT 1.5; -- { serverError INVALID_LIMIT_EXPRESSION }
SELECT number FROM numbers(10) ORDER BY number LIMIT 1.0;
SELECT number FROM numbers(10) ORDER BY number LIMIT 0.0;
SELECT number FROM numbers(10) ORDER BY number LIMIT -0.5; -- { serverError INVALID_LIMIT_EXPRESSION }
SELECT number FROM numbers(10) ORDER BY number LIMIT 0.999;
SELECT number FROM numbers(10) ORDER BY number LIMIT toDecimal32('0.5', 2); -- { serverError INVALID_LIMIT_EXPRESSION }
SELECT number FROM numbers(10) ORDER BY number LIMIT 1/2;
SELECT number FROM numbers(10) ORDER BY number LIMIT toFloat32(0.5);
SELECT number FROM numbers(10) ORDER BY number LIMIT -20;
SELECT number FROM numbers(10) ORDER BY number LIMIT -0;
SELECT number FROM numbers(10) ORDER BY number LIMIT 1, -3;
SELECT number FROM numbers(10) ORDER BY number LIMIT -3, 2;
SELECT number FROM numbers(10) ORDER BY number LIMIT -9223372036854775808;
SELECT number FROM numbers(10) ORDER BY number LIMIT NULL; -- { serverError INVALID_LIMIT_EXPRESSION }
SELECT number FROM numbers(10) ORDER BY number LIMIT 'a'; -- { serverError INVALID_LIMIT_EXPRESSION }
SELECT number FROM numbers(10) ORDER BY number OFFSET NULL; -- { serverError INVALID_LIMIT_EXPRESSION }
SELECT number FROM numbers(3) ORDER BY number LIMIT 0.3;
SELECT number FROM numbers(7) ORDER BY number LIMIT 0.3 OFFSET 0.3;
SELECT number FROM numbers(7) ORDER BY number LIMIT 0.1;
SELECT number FROM numbers(7) ORDER BY number OFFSET 0.1;
SELECT DISTINCT number % 4 AS x FROM numbers(20) ORDER BY x LIMIT -2;
SELECT DISTINCT number % 4 AS x FROM numbers(20) ORDER BY x LIMIT 2 WITH TIES;
SELECT number % 4 AS x FROM numbers(20) ORDER BY x LIMIT 2 BY x LIMIT 3 WITH TIES;
SELECT number % 4 AS x FROM numbers(20) ORDER BY x LIMIT 2 BY x LIMIT -3;
SELECT number FROM numbers(10) ORDER BY number LIMIT 3 OFFSET 1 + 1;
SELECT TOP 3 number FROM numbers(10) ORDER BY number;
SELECT number FROM numbers(10) ORDER BY number FETCH FIRST 3 ROWS ONLY;
SELECT number FROM numbers(10) ORDER BY number OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY;
SELECT DISTINCT ON (number % 3) number FROM numbers(10) ORDER BY number;
SELECT DISTINCT ON (number % 3, number % 2) number FROM numbers(10) ORDER BY number;
SELECT DISTINCT ON (number % 3) number FROM numbers(10) ORDER BY number LIMIT 1 BY number; -- { serverError SYNTAX_ERROR }
SELECT DISTINCT ON (number % 3) number FROM numbers(10) ORDER BY number LIMIT 2;
SELECT number % 2, count() FROM numbers(10) GROUP BY 1 WITH TOTALS ORDER BY 1 LIMIT -1;
SELECT max_block_size FROM (SELECT 1 AS max_block_size) LIMIT -1;
SELECT count() FROM (SELECT number FROM numbers(100000) LIMIT -10);
SELECT sum(number) FROM (SELECT number FROM numbers(100000) LIMIT -10);
SELECT sum(number) FROM (SELECT number FROM numbers(100000) LIMIT 0.1);
SELECT number FROM numbers(30) ORDER BY number LIMIT 0.1;
SELECT count() FROM (SELECT number FROM numbers(30) LIMIT 0.7);
SELECT count() FROM (SELECT number FROM numbers(1000) LIMIT 0.07);
SELECT number FROM numbers(10) ORDER BY number LIMIT 3 OFFSET -2 WITH TIES;
SELECT number FROM numbers(10) ORDER BY number LIMIT -3 OFFSET 2 WITH TIES;
