-- The table function values in any case, with and without a structure; VALUES in FROM.
SELECT * FROM VALUES('a Int32', 1);
SELECT * FROM Values('a Int32, b String', (1, 'x'), (2, 'y')) ORDER BY a;
SELECT * FROM values(1, 2.5) ORDER BY c1 FORMAT TSVWithNamesAndTypes;
SELECT * FROM values('a', 'b') ORDER BY c1;
SELECT * FROM values((1, 'a'), (NULL, 'b')) ORDER BY c2 FORMAT TSVWithNamesAndTypes;
SELECT * FROM values('a UInt8');
SELECT * FROM values(1, 'a'); -- { serverError NO_COMMON_TYPE }
SELECT * FROM values((1, 2), (3)); -- { serverError CANNOT_EXTRACT_TABLE_STRUCTURE }
SELECT * FROM values(); -- { serverError TOO_FEW_ARGUMENTS_FOR_FUNCTION }
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(x, y) ORDER BY x;
SELECT * FROM (VALUES (1), (2)) ORDER BY c1 FORMAT TSVWithNamesAndTypes;
SELECT sum(a) FROM (VALUES (1), (2)) AS t(a);
SELECT * FROM values('a Array(UInt8)', [1, 2], []) ORDER BY a;
DESCRIBE TABLE values('a Int32', 1);
DESCRIBE SELECT 1 AS a, 'x' AS b;
SELECT count() FROM (EXPLAIN AST SELECT number FROM numbers(1));
SELECT * FROM (EXPLAIN AST SELECT number FROM numbers(1));
SELECT * FROM (EXPLAIN SYNTAX SELECT number FROM numbers(1) WHERE number = 1);
SELECT * FROM viewExplain('EXPLAIN AST', '', (SELECT number FROM numbers(1)));
