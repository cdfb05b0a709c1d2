CREATE TABLE t (a UInt8, s String) ENGINE = Memory;
SELECT nosuch FROM t; -- { serverError UNKNOWN_IDENTIFIER }
SELECT t.nosuch FROM t; -- { serverError UNKNOWN_IDENTIFIER }
SELECT x.a FROM t; -- { serverError UNKNOWN_IDENTIFIER }
SELECT a FROM nosuch; -- { serverError UNKNOWN_TABLE }
SELECT a FROM nodb.t; -- { serverError UNKNOWN_DATABASE }
SELECT nosuch(a) FROM t; -- { serverError UNKNOWN_FUNCTION }
SELECT a FROM t WHERE nosuch = 1; -- { serverError UNKNOWN_IDENTIFIER }
SELECT a FROM t GROUP BY nosuch; -- { serverError UNKNOWN_IDENTIFIER }
SELECT a FROM t ORDER BY nosuch; -- { serverError UNKNOWN_IDENTIFIER }
SELECT count(nosuch) FROM t; -- { serverError UNKNOWN_IDENTIFIER }
SELECT a.1.2 FROM t; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT CAST(a AS Nosuch) FROM t; -- { serverError UNKNOWN_TYPE }
CREATE TABLE u (a Nosuch) ENGINE = Memory; -- { serverError UNKNOWN_TYPE }
CREATE TABLE u (a UInt8) ENGINE = Nosuch; -- { serverError UNKNOWN_STORAGE }
CREATE TABLE t (a UInt8) ENGINE = Memory; -- { serverError TABLE_ALREADY_EXISTS }
CREATE TABLE u (a UInt8, a String) ENGINE = Memory; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE nodb.u (a UInt8) ENGINE = Memory; -- { serverError UNKNOWN_DATABASE }
CREATE TABLE u ENGINE = Memory; -- { serverError INCORRECT_QUERY }
DROP TABLE nosuch; -- { serverError UNKNOWN_TABLE }
DROP DATABASE nosuch; -- { serverError UNKNOWN_DATABASE }
TRUNCATE TABLE nosuch; -- { serverError UNKNOWN_TABLE }
DESCRIBE TABLE nosuch; -- { serverError UNKNOWN_TABLE }
SHOW CREATE TABLE nosuch; -- { serverError CANNOT_GET_CREATE_TABLE_QUERY }
INSERT INTO t (a, a) VALUES (1, 2); -- { serverError DUPLICATE_COLUMN }
SELECT 1 FORMAT Nosuch; -- { serverError UNKNOWN_FORMAT }
SELECT count() FROM t AS a, t AS b WHERE s = 'x';
SELECT a FROM t AS p JOIN t AS q ON p.a = q.a;
SELECT 'still alive';
