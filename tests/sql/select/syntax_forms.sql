-- Forms of the dialect that have a syntax of their own.
SELECT arrayMap(x, y -> x + y, [1, 2], [3, 4]), arrayMap((x, y) -> x * y, [1, 2], [3, 4]);
SELECT arrayMap(lambda(tuple(x), x + 1), [1, 2]);
SELECT arrayFold(acc, x -> acc + x, [1, 2, 3], toInt64(0));
SELECT 1 = ALL (SELECT 1), 1 = ALL (SELECT number FROM numbers(2)), 1 = ANY (SELECT number FROM numbers(2)), 1 != ANY (SELECT 1), 3 >= SOME (SELECT 3);
SELECT 1 <> ALL (SELECT 2), 5 > ANY (SELECT number FROM numbers(10)), 1 < ALL (SELECT number + 2 FROM numbers(3));
SELECT (1, 2, 3).-1, (1, 2, 3).-2, (1, 2, 3).1;
SELECT 'axb' LIKE 'a#%b' ESCAPE '#', 'a%b' LIKE 'a#%b' ESCAPE '#', 'a\\b' LIKE 'a\\b' ESCAPE '#', 'a%' NOT LIKE 'a#%' ESCAPE '#', 'A%' ILIKE 'a#%' ESCAPE '#', 'a#' LIKE 'a##' ESCAPE '#';
SELECT 'a' LIKE 'a#' ESCAPE '#'; -- { serverError CANNOT_PARSE_ESCAPE_SEQUENCE }
SELECT 'a' LIKE 'b#a' ESCAPE '#'; -- { serverError CANNOT_PARSE_ESCAPE_SEQUENCE }
SELECT 'a' LIKE 'a' ESCAPE '##'; -- { serverError BAD_ARGUMENTS }
SELECT * FROM (SELECT 1 AS a, 3 AS c) AS x NATURAL JOIN (SELECT 1 AS a, 2 AS b) AS y;
SELECT * FROM (SELECT 1 AS a, 3 AS c) AS x NATURAL LEFT JOIN (SELECT 2 AS a, 2 AS b) AS y;
SELECT * FROM (SELECT 1 AS a) AS x NATURAL JOIN (SELECT 1 AS b) AS y;
SELECT CURRENT_DATE = today(), current_date IS NOT NULL, CURRENT_TIMESTAMP IS NOT NULL, currentDatabase = currentDatabase();
SELECT current_date FROM (SELECT 1 AS current_date);
SELECT 1 AS a$b, a$b + 1;
SELECT `a b`, "c d", `e``f`, "g""h" FROM (SELECT 1 AS `a b`, 2 AS "c d", 3 AS `e``f`, 4 AS "g""h");
SELECT toTypeName(CAST(1 AS INT UNSIGNED)), toTypeName(CAST(1 AS INTEGER SIGNED)), toTypeName(CAST(1 AS BIGINT UNSIGNED)), toTypeName(CAST(1 AS TINYINT UNSIGNED)), toTypeName(CAST(1 AS MEDIUMINT)), toTypeName(CAST(1 AS INT1)), toTypeName(CAST(1 AS BIT)), toTypeName(CAST(2020 AS YEAR)), toTypeName(CAST(1 AS UNSIGNED));
SELECT toTypeName(CAST(1 AS DOUBLE PRECISION)), toTypeName(CAST(1 AS SINGLE)), toTypeName(1::INT UNSIGNED);
SELECT toTypeName(CAST('a' AS CHARACTER VARYING(10))), toTypeName(CAST('a' AS NATIONAL CHAR)), toTypeName(CAST('a' AS NATIONAL CHARACTER VARYING(3))), toTypeName(CAST('a' AS CHAR LARGE OBJECT)), toTypeName(CAST('a' AS NVARCHAR(5))), toTypeName(CAST('a' AS BINARY LARGE OBJECT)), toTypeName(CAST('a' AS CLOB)), toTypeName(CAST('a' AS LONGTEXT)), toTypeName([]::Array(DOUBLE PRECISION));
SELECT 0x1F, 0b101, 1_000, 1e3, .5, inf, nan, $$heredoc 'text'$$, x'4142', b'01000001', 1 /* a /* nested */ b */ + 1, 2 # comment
;
SELECT 1 #! comment
;
