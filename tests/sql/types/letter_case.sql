-- Names of types in any letter case, where the reference takes them.
SELECT CAST('b' AS ENUM('a', 'b')) AS x, toTypeName(x), toInt8(x);
SELECT CAST('b', 'enum(\'a\' = 5, \'b\')') AS x, toTypeName(x);
SELECT 'a'::Enum('a'), toTypeName('a'::eNuM('a' = 300));
SELECT CAST('a' AS ENUM8('a' = 1, 'b' = -2)) AS x, toTypeName(x);
SELECT CAST('a' AS enum16('a' = 1)) AS x, toTypeName(x);
SELECT CAST('a' AS enum8('a')); -- { serverError UNKNOWN_TYPE }
SELECT CAST('a' AS ENUM16('a' = 1, 'b')); -- { serverError UNKNOWN_TYPE }
SELECT CAST('a' AS ENUM8('a' = -129)); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT CAST('a' AS ENUM()); -- { serverError EMPTY_DATA_PASSED }
SELECT toTypeName(CAST('a' AS Enum8('a', 'b' = 3))), toTypeName(CAST('a' AS Enum8('a' = 7, 'b', 'c')));
SELECT CAST('a' AS Enum8('a' = 1, 'b' = 3, 'c')); -- { serverError UNEXPECTED_AST_STRUCTURE }
SELECT CAST('a' AS Enum8('a', 'b', 'c' = 3)); -- { serverError UNEXPECTED_AST_STRUCTURE }
SELECT CAST('a' AS Enum8('a' = 1, 'b', 'c' = 3)); -- { serverError UNEXPECTED_AST_STRUCTURE }
SELECT CAST('a' AS Enum8('a', 'b' = 3, 'c' = 4));
CREATE TABLE colours (a enum('red', 'green'), b ENUM8('x' = 1), c Nullable(ENUM('y' = 200)), d Array(Enum16('z' = 4))) ENGINE = Memory;
INSERT INTO colours VALUES ('green', 'x', NULL, ['z', 'z']), ('red', 1, 'y', []);
SELECT * FROM colours ORDER BY a;
SELECT name, type FROM system.columns WHERE table = 'colours' AND database = currentDatabase() ORDER BY position;
ALTER TABLE colours MODIFY COLUMN a ENUM('red', 'green', 'blue');
SELECT toTypeName(a) FROM colours LIMIT 1;
CREATE TABLE times (a Datetime, b datetime64(3), c date32, d DATETIME32, e DATETIME64, f dATE) ENGINE = Memory;
SELECT name, type FROM system.columns WHERE table = 'times' AND database = currentDatabase() ORDER BY position;
CREATE TABLE numbers_of_sql (a decimal64(3), b DECIMAL128(2), c dec(5, 1), d Numeric(4), e FIXED(5, 2), f DOUBLE precision, g int unsigned, h tinyint SIGNED, i BIT, j Single) ENGINE = Memory;
SELECT name, type FROM system.columns WHERE table = 'numbers_of_sql' AND database = currentDatabase() ORDER BY position;
CREATE TABLE texts_of_sql (a CHARACTER VARYING(10), b BINARY(3), c CHAR LARGE OBJECT, d NATIONAL CHARACTER VARYING(4), e nchar varying, f BINARY LARGE OBJECT, g varbinary(3), h NATIONAL CHARACTER LARGE OBJECT) ENGINE = Memory;
SELECT name, type FROM system.columns WHERE table = 'texts_of_sql' AND database = currentDatabase() ORDER BY position;
SELECT * FROM format(TSV, 'a ENUM(\'x\', \'y\')', 'y');
SELECT CAST('x' AS STRING); -- { serverError UNKNOWN_TYPE }
SELECT CAST('x' AS nullable(String)); -- { serverError UNKNOWN_TYPE }
SELECT CAST('x' AS fixedstring(1)); -- { serverError UNKNOWN_TYPE }
-- Types without values cannot be stored.
CREATE TABLE nothing (a Nothing) ENGINE = Memory; -- { serverError DATA_TYPE_CANNOT_BE_USED_IN_TABLES }
CREATE TABLE nothing (a Array(Nullable(Nothing))) ENGINE = Memory; -- { serverError DATA_TYPE_CANNOT_BE_USED_IN_TABLES }
CREATE TABLE nothing ENGINE = Memory AS SELECT NULL AS a; -- { serverError DATA_TYPE_CANNOT_BE_USED_IN_TABLES }
CREATE TABLE nothing ENGINE = Memory AS SELECT [] AS a; -- { serverError DATA_TYPE_CANNOT_BE_USED_IN_TABLES }
CREATE MATERIALIZED VIEW nothing ENGINE = Memory AS SELECT NULL AS a, b FROM colours; -- { serverError DATA_TYPE_CANNOT_BE_USED_IN_TABLES }
CREATE MATERIALIZED VIEW something (a Nullable(UInt8)) ENGINE = Memory AS SELECT NULL AS a FROM colours;
CREATE VIEW null_view AS SELECT NULL AS a, [] AS b;
SELECT *, toTypeName(a) FROM null_view;
ALTER TABLE colours ADD COLUMN z Nullable(Nothing); -- { serverError DATA_TYPE_CANNOT_BE_USED_IN_TABLES }
