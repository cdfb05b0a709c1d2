-- { configs: default }
CREATE DATABASE own;
USE own;
CREATE TABLE a AS numbers(3);
CREATE TABLE b AS values('x UInt8', 1, 2);
CREATE TABLE IF NOT EXISTS a AS numbers(4);
CREATE TABLE a AS numbers(5); -- { serverError TABLE_ALREADY_EXISTS }
CREATE OR REPLACE TABLE a AS numbers(2);
SELECT * FROM a ORDER BY number;
SHOW CREATE TABLE a;
SELECT name, as_select FROM system.tables WHERE database = 'own' ORDER BY name;
CREATE TABLE d AS nofunc(3); -- { serverError UNKNOWN_FUNCTION }
CREATE TABLE e AS numbers(3) COMMENT 'x';
SHOW CREATE TABLE e;
CREATE TABLE f ENGINE = Memory AS numbers(3); -- { serverError SYNTAX_ERROR }
DROP VIEW a; -- { serverError INCORRECT_QUERY }
EXISTS VIEW a;
EXISTS TABLE a;
DETACH TABLE b;
ATTACH TABLE b;
SELECT * FROM b ORDER BY x;
RENAME TABLE b TO bb;
SELECT sum(x) FROM bb;
TRUNCATE TABLE bb; -- { serverError NOT_IMPLEMENTED }
ALTER TABLE bb ADD COLUMN q UInt8; -- { serverError NOT_IMPLEMENTED }
INSERT INTO bb VALUES (1); -- { serverError NOT_IMPLEMENTED }
DESCRIBE bb;
CREATE TABLE src (k UInt8, v String) ENGINE = MergeTree ORDER BY k;
INSERT INTO src VALUES (1, 'a'), (2, 'b');
CREATE TABLE vf AS view(SELECT k, upper(v) AS u FROM own.src);
SELECT * FROM vf ORDER BY k;
SHOW CREATE TABLE vf;
CREATE TABLE mg AS merge('own', '^src$');
SELECT * FROM mg ORDER BY k;
CREATE TABLE nf AS null('a UInt8');
SELECT count() FROM nf;
CREATE TABLE zs AS zeros(3);
SELECT count() FROM zs;
CREATE TABLE gs AS generateSeries(1, 3);
SELECT * FROM gs ORDER BY 1;
SELECT count() FROM a AS x JOIN gs AS y ON x.number = y.generate_series;
DROP TABLE a, bb, vf;
EXISTS a;
