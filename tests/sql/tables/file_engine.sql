-- { fixedEngine }
-- Tables whose rows are in files of a format.
-- { echoOn }
CREATE TABLE f1 (a UInt8, b String) ENGINE = File(CSV);
INSERT INTO f1 VALUES (1, 'x');
INSERT INTO f1 VALUES (2, 'y'), (3, 'z');
SELECT * FROM f1 ORDER BY a;
SELECT count() FROM f1 WHERE a > 1;
SHOW CREATE TABLE f1;
SELECT engine, engine_full, total_rows FROM system.tables WHERE database = currentDatabase() AND name = 'f1';
TRUNCATE TABLE f1;
SELECT count() FROM f1;
INSERT INTO f1 SELECT number, toString(number) FROM numbers(20);
SELECT sum(a), max(b), count() FROM f1;
CREATE TABLE f2 (a UInt8) ENGINE = File; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE f2 (a UInt8) ENGINE = File(); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE f2 (a UInt8) ENGINE = File(NoSuch); -- { serverError UNKNOWN_FORMAT }
CREATE TABLE f2 (a UInt8) ENGINE = File('TabSeparated');
INSERT INTO f2 SELECT number FROM numbers(3);
SELECT * FROM f2 ORDER BY a;
CREATE TABLE f3 (a UInt8, b Array(String), c Nullable(Int64), d DateTime('UTC')) ENGINE = File(Parquet);
INSERT INTO f3 VALUES (1, ['x', 'y'], NULL, '2020-01-01 00:00:00');
SELECT * FROM f3 ORDER BY a;
CREATE TABLE f4 (a UInt8, b UInt8 MATERIALIZED a + 1) ENGINE = File(JSONEachRow); -- { serverError BAD_ARGUMENTS }
CREATE TABLE f4 (a UInt8, b Map(String, UInt8), c Tuple(x UInt8, y String)) ENGINE = File(JSONEachRow);
INSERT INTO f4 VALUES (1, {'k': 1}, (2, 'z'));
INSERT INTO f4 (a) VALUES (2);
SELECT a, b, c, c.x FROM f4 ORDER BY a;
CREATE TABLE f5 (a UInt8, b String) ENGINE = File(CSVWithNames);
INSERT INTO f5 VALUES (1, 'q"q');
SELECT * FROM f5 ORDER BY a;
RENAME TABLE f5 TO f6;
SELECT b FROM f6;
CREATE TABLE f8 (a UInt8) ENGINE = File(CSV) ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE f9 ENGINE = File(CSV) AS SELECT 1 AS x;
SELECT * FROM f9;
CREATE TABLE f10 (a UInt8) ENGINE = File(CSV, 'a.csv', 'gzip', 'x'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
ALTER TABLE f1 ADD COLUMN z UInt8; -- { serverError NOT_IMPLEMENTED }
OPTIMIZE TABLE f1; -- { serverError NOT_IMPLEMENTED }
CREATE OR REPLACE TABLE f9 (y String) ENGINE = File(Native);
INSERT INTO f9 VALUES ('n');
SELECT * FROM f9;
SELECT a FROM f2 WHERE a IN (SELECT a FROM f3) ORDER BY a;
INSERT INTO f2 SELECT throwIf(number = 1)::UInt8 FROM numbers(3); -- { serverError FUNCTION_THROW_IF_VALUE_IS_NON_ZERO }
SELECT count() FROM f2;
DROP TABLE f1, f2, f3, f4, f6, f9;
