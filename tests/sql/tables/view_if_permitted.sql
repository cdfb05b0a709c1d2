-- A query, or a table function for those who may not run it.
SELECT * FROM viewIfPermitted(SELECT 1 AS a, 'x' AS b ELSE null('a UInt8, b String'));
SELECT sum(n) FROM viewIfPermitted(SELECT number AS n FROM numbers(5) ELSE null('n UInt64')) AS v WHERE v.n > 1;
SELECT l.a, r.b FROM viewIfPermitted(SELECT 1 AS a ELSE null('a UInt8')) AS l JOIN viewIfPermitted(SELECT 1 AS a, 2 AS b ELSE null('a UInt8, b UInt8')) AS r ON l.a = r.a;
-- The table function null.
SELECT count() FROM null('a UInt8');
