-- { configs: default }
CREATE TABLE stays (x UInt8) ENGINE = Memory;
SET readonly = 2;
CREATE TEMPORARY TABLE mine (x UInt8);
INSERT INTO mine VALUES (1), (2);
INSERT INTO mine SELECT 3;
SELECT sum(x) FROM mine;
TRUNCATE TABLE mine;
SELECT count() FROM mine;
INSERT INTO stays VALUES (1); -- { serverError READONLY }
TRUNCATE TABLE stays; -- { serverError READONLY }
DROP TABLE stays; -- { serverError READONLY }
DROP TABLE mine;
DROP TEMPORARY TABLE IF EXISTS mine;
SELECT count() FROM stays;
