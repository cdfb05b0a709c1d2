SELEC 1; -- { serverError SYNTAX_ERROR }
SELECT; -- { serverError SYNTAX_ERROR }
SELECT 1 +; -- { serverError SYNTAX_ERROR }
SELECT (1; -- { serverError SYNTAX_ERROR }
SELECT 1); -- { serverError SYNTAX_ERROR }
SELECT [1, 2; -- { serverError SYNTAX_ERROR }
SELECT 1 FROM; -- { serverError SYNTAX_ERROR }
SELECT 1 WHERE; -- { serverError SYNTAX_ERROR }
SELECT a b c; -- { serverError SYNTAX_ERROR }
SELECT 1 GROUP; -- { serverError SYNTAX_ERROR }
SELECT 1 ORDER 1; -- { serverError SYNTAX_ERROR }
SELECT 1 LIMIT; -- { serverError SYNTAX_ERROR }
SELECT CASE WHEN 1 THEN 2; -- { serverError SYNTAX_ERROR }
SELECT 1,, 2; -- { serverError SYNTAX_ERROR }
SELECT 1 AS; -- { serverError SYNTAX_ERROR }
SELECT f(; -- { serverError SYNTAX_ERROR }
SELECT CAST(1 AS); -- { serverError SYNTAX_ERROR }
SELECT 1 BETWEEN 2; -- { serverError SYNTAX_ERROR }
SELECT x -> ; -- { serverError SYNTAX_ERROR }
CREATE TABLE; -- { serverError SYNTAX_ERROR }
CREATE TABLE x (a) ENGINE = Memory; -- { serverError SYNTAX_ERROR }
CREATE TABLE x (a UInt8,, b UInt8) ENGINE = Memory; -- { serverError SYNTAX_ERROR }
CREATE VIEWS x AS SELECT 1; -- { serverError SYNTAX_ERROR }
INSERT INTO; -- { serverError SYNTAX_ERROR }
INSERT t VALUES; -- { serverError SYNTAX_ERROR }
DROP x; -- { serverError SYNTAX_ERROR }
SELECT 1 UNION ALL; -- { serverError SYNTAX_ERROR }
SELECT 1 2; -- { serverError SYNTAX_ERROR }
SELECT 0x; -- { serverError UNKNOWN_IDENTIFIER }
SELECT 1e; -- { serverError UNKNOWN_IDENTIFIER }
SELECT 12abc; -- { serverError UNKNOWN_IDENTIFIER }
SELECT @; -- { serverError SYNTAX_ERROR }
SELECT 1 FROM numbers(3) WHERE number = ; -- { serverError SYNTAX_ERROR }
SELECT 1 IN; -- { serverError SYNTAX_ERROR }
SELECT * FROM (SELECT 1; -- { serverError SYNTAX_ERROR }
FOO BAR; -- { serverError SYNTAX_ERROR }
SELECT 1, ;
SELECT 'fine';
