-- PASTE JOIN: rows side by side.
SELECT * FROM (SELECT number AS a FROM numbers(3)) AS x PASTE JOIN (SELECT number + 10 AS b FROM numbers(3)) AS y ORDER BY a;
SELECT * FROM (SELECT number AS a FROM numbers(3)) PASTE JOIN (SELECT number + 10 AS b FROM numbers(2)) ORDER BY a;
SELECT x.a, y.a FROM (SELECT number AS a FROM numbers(2)) AS x PASTE JOIN (SELECT number AS a FROM numbers(2) ORDER BY a DESC) AS y;
SELECT x.a, y.a FROM (SELECT number AS a FROM numbers(30000)) AS x PASTE JOIN (SELECT number * 10 AS a FROM numbers(20000)) AS y ORDER BY x.a DESC LIMIT 3;
SELECT sum(x.number + y.number), count() FROM numbers(30000) AS x PASTE JOIN numbers(40000) AS y;
SELECT count() FROM numbers(5) AS x PASTE JOIN numbers(3) AS y;
SELECT count() FROM numbers(5) AS x PASTE JOIN numbers(0) AS y;
SELECT * FROM (SELECT 1 AS a) PASTE JOIN (SELECT 2 AS b) PASTE JOIN (SELECT 3 AS c);
SELECT * FROM numbers(3) AS x PASTE JOIN numbers(3) AS y WHERE x.number = 1 AND y.number < 2;
SELECT * FROM numbers() AS x PASTE JOIN numbers(3) AS y ORDER BY ALL;
SELECT * FROM numbers(3) AS x PASTE JOIN numbers() AS y ORDER BY ALL;
SELECT a, b FROM (SELECT number AS a FROM numbers(4) LIMIT 3) AS x PASTE JOIN (SELECT number AS b FROM numbers(5) LIMIT 1, 2) AS y ORDER BY ALL;
SELECT x.number, y.number, z.number FROM numbers(5) AS x PASTE JOIN numbers(3) AS y JOIN numbers(2) AS z ON x.number = z.number ORDER BY ALL;
SELECT a, b, toTypeName(b) FROM (SELECT 1 AS a) AS x PASTE JOIN (SELECT 2 AS b) AS y SETTINGS join_use_nulls = 1;
SELECT a FROM VALUES('a UInt8', 1, 2) AS x GLOBAL PASTE JOIN (SELECT 2 AS b) AS y;
SELECT a, b FROM (SELECT 1 AS a) AS x PASTE JOIN (SELECT 2 AS b WHERE 0) AS y;
SELECT x.number FROM numbers(3) AS x ANY PASTE JOIN numbers(3) AS y; -- { serverError SYNTAX_ERROR }
SELECT x.number FROM numbers(3) AS x LEFT PASTE JOIN numbers(3) AS y; -- { serverError SYNTAX_ERROR }
SELECT x.number FROM numbers(3) AS x PASTE JOIN numbers(3) AS y ON x.number = y.number; -- { serverError SYNTAX_ERROR }
SELECT x.number FROM numbers(3) AS x PASTE JOIN numbers(3) AS y USING (number); -- { serverError SYNTAX_ERROR }
