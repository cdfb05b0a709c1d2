-- CREATE TABLE ... AS function(...): the table stands for the call.
CREATE TABLE n AS numbers(10);
SHOW CREATE TABLE n;
DESCRIBE TABLE n;
SELECT count(), sum(number) FROM n;
SELECT number FROM n WHERE number > 7 ORDER BY number;
SELECT engine, engine_full, create_table_query = concat('CREATE TABLE ', database, '.n (`number` UInt64) AS numbers(10)') FROM system.tables WHERE name = 'n' AND database = currentDatabase();
INSERT INTO n VALUES (1); -- { serverError NOT_IMPLEMENTED }
TRUNCATE TABLE n; -- { serverError NOT_IMPLEMENTED }
OPTIMIZE TABLE n; -- { serverError NOT_IMPLEMENTED }
ALTER TABLE n ADD COLUMN x Int32; -- { serverError NOT_IMPLEMENTED }
CREATE TABLE n AS numbers(3); -- { serverError TABLE_ALREADY_EXISTS }
CREATE TABLE IF NOT EXISTS n AS numbers(3);
SELECT count() FROM n;
CREATE OR REPLACE TABLE n AS numbers(4, 2 + 3) COMMENT 'five numbers';
SHOW CREATE TABLE n;
SELECT number FROM n ORDER BY number;
RENAME TABLE n TO renamed;
SHOW CREATE TABLE renamed;
SELECT count() FROM renamed;
SELECT a.number FROM renamed AS a JOIN renamed AS b ON a.number = b.number + 3 ORDER BY ALL;
SELECT 5 IN (SELECT number FROM renamed), 50 IN renamed;
SELECT count() FROM renamed FINAL; -- { serverError ILLEGAL_FINAL }
SELECT x FROM (SELECT sum(number) AS x FROM renamed GROUP BY number % 2) ORDER BY x;
CREATE TABLE copied AS renamed;
SHOW CREATE TABLE copied;
CREATE TABLE stored AS renamed ENGINE = Memory;
SELECT sum(number) FROM merge(currentDatabase(), '^(renamed|copied)$');
-- other functions
CREATE TABLE v AS values('a Int8, b String', (1, 'x'), (2, 'y'));
SHOW CREATE TABLE v;
SELECT * FROM v ORDER BY a;
CREATE TABLE z AS zeros(3);
SELECT * FROM z;
CREATE TABLE g AS generateRandom('a UInt8, b Array(String)', 1, 5, 3);
SHOW CREATE TABLE g;
SELECT count() FROM (SELECT * FROM g LIMIT 7);
CREATE TABLE nothing AS null('a Int8, b String');
SHOW CREATE TABLE nothing;
INSERT INTO nothing VALUES (1, 'x');
INSERT INTO nothing (b) SELECT 'y';
SELECT * FROM nothing;
CREATE TABLE w AS view(SELECT number AS a, toString(number) AS b FROM numbers(3));
SHOW CREATE TABLE w;
CREATE TABLE r AS remote('127.0.0.1', system.one);
SHOW CREATE TABLE r;
SELECT * FROM r;
CREATE TABLE m AS merge('system', '^one$');
SELECT dummy FROM m;
CREATE TABLE texts AS format(JSONEachRow, '{"a":1,"b":"x"}');
SHOW CREATE TABLE texts;
SELECT * FROM texts;
CREATE TABLE kept (a Int8) ENGINE = Memory;
CREATE TABLE same AS remote('127.0.0.1', currentDatabase(), kept);
INSERT INTO same VALUES (3);
SELECT * FROM kept;
SELECT dummy FROM remote('127.0.0.1', 'system.one');
CREATE TABLE series AS generateSeries(1, 10, 4);
SELECT * FROM series ORDER BY ALL;
SELECT name, engine FROM system.tables WHERE database = currentDatabase() AND name IN ('v', 'z', 'g', 'nothing', 'w', 'r', 'm') ORDER BY name;
-- columns that are written down
CREATE TABLE some (b String) AS values('a Int8, b String', (1, 'x'), (2, 'y'));
SHOW CREATE TABLE some;
SELECT * FROM some ORDER BY b;
-- refused
CREATE TABLE no AS nosuch(1); -- { serverError UNKNOWN_FUNCTION }
CREATE TABLE no AS numbers('x'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
CREATE TABLE no AS dictionary('nosuch'); -- { serverError BAD_ARGUMENTS }
CREATE TEMPORARY TABLE no AS numbers(3); -- { serverError INCORRECT_QUERY }
DROP TABLE renamed;
SELECT * FROM renamed; -- { serverError UNKNOWN_TABLE }
