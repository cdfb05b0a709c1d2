-- { echoOn }
WITH 1 AS x SELECT x, x + 1;
WITH 10 AS n, n * 2 AS m SELECT m, number + m FROM numbers(2) ORDER BY number;
WITH t AS (SELECT number AS x FROM numbers(3)) SELECT x, x * x FROM t ORDER BY x;
WITH t AS (SELECT number AS x FROM numbers(3)), u AS (SELECT x + 1 AS y FROM t) SELECT y FROM u ORDER BY y;
WITH (SELECT max(number) FROM numbers(10)) AS mx SELECT mx, number / mx FROM numbers(2) ORDER BY number;
WITH [1, 2, 3] AS a SELECT arraySum(a), a[1];
WITH sum(number) AS s SELECT s, s / count() FROM numbers(5);
SELECT number AS n, n * 2 AS d, d + n AS t FROM numbers(3) ORDER BY t;
SELECT number + 1 AS n FROM numbers(3) WHERE n > 1 ORDER BY n;
SELECT number % 2 AS p, count() AS c FROM numbers(5) GROUP BY p HAVING c > 2;
SELECT (number AS n) + 1, n FROM numbers(2) ORDER BY n;
SELECT if((number AS x) > 1, x, 0) FROM numbers(3) ORDER BY x;
SELECT 1 AS a, a + (2 AS b), b;
SELECT number AS x FROM numbers(3) AS t WHERE t.number > 0 ORDER BY x;
SELECT t.x, t.* FROM (SELECT 1 AS x, 2 AS y) AS t;
SELECT t.number FROM numbers(2) t ORDER BY t.number;
SELECT number AS `weird name`, `weird name` + 1 FROM numbers(1);
SELECT a, a FROM (SELECT 1 AS a);
SELECT 1 AS x, 2 AS x; -- { serverError MULTIPLE_EXPRESSIONS_FOR_ALIAS }
SELECT x + 1 AS x FROM (SELECT 1 AS x);
SELECT y + 1 AS z, z + 1 AS y; -- { serverError UNKNOWN_IDENTIFIER }
SELECT arrayMap(x -> x + n, [1, 2]) FROM (SELECT 10 AS n);
SELECT arrayMap(x -> x + 1, [x]) FROM (SELECT 5 AS x);
SELECT sum(number) AS s, s * 2 FROM numbers(4);
SELECT count() AS count FROM numbers(4);
SELECT number AS from_number, toString(number) AS `select` FROM numbers(1);
SELECT number alias FROM numbers(1);
SELECT * FROM numbers(3) AS n WHERE n.number IN (SELECT 1);
