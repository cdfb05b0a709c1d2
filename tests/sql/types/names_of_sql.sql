-- Types as SQL's other dialects write them: widths have no effect, but DATETIME(6) has fractions.
CREATE TABLE q (a TINYINT(1), b INT(11), c BIGINT(20) UNSIGNED, d DATETIME(6), e TIMESTAMP(3), f BIT, g INT(11) UNSIGNED, h SMALLINT(3) SIGNED, i BOOLEAN, j DOUBLE(10, 2), k FLOAT(5), l CHAR(3), m BINARY(3), n VARBINARY(3), o MEDIUMINT(5), p NVARCHAR(20), q CHARACTER LARGE OBJECT, r YEAR, s REAL(3), t UInt8(3), u FIXED(10, 2), v NUMERIC, w INT(11) SIGNED, x TINYINT(1) UNSIGNED) ENGINE = Memory;
SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'q' ORDER BY position;
SELECT CAST(5 AS INT(11)), toTypeName(CAST('2024-01-01 00:00:00.5' AS DATETIME(1))), CAST('7' AS SMALLINT(3) UNSIGNED);
CREATE TABLE bad (a DATETIME(10)) ENGINE = Memory; -- { serverError ARGUMENT_OUT_OF_BOUND }
