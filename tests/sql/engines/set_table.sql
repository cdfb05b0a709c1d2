-- { fixedEngine }
-- Tables of the engine Set.
CREATE TABLE ids (id UInt64) ENGINE = Set;
SELECT number FROM numbers(5) WHERE number IN ids;
INSERT INTO ids VALUES (1), (3), (3), (8);
SELECT number FROM numbers(10) WHERE number IN ids ORDER BY number;
SELECT number FROM numbers(10) WHERE number NOT IN ids ORDER BY number;
SELECT 3 IN ids, 4 IN ids, 4 NOT IN ids;
INSERT INTO ids SELECT number FROM numbers(5, 2);
SELECT groupArray(number) FROM (SELECT number FROM numbers(10) WHERE number IN (ids) ORDER BY number);
SELECT * FROM ids; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM ids;
SELECT count() FROM numbers(10) WHERE number IN (SELECT id FROM ids); -- { serverError NOT_IMPLEMENTED }
SELECT countIf(number IN ids), sumIf(number, number NOT IN ids) FROM numbers(100);
SELECT number, number IN ids AS x FROM numbers(4) ORDER BY number;
SELECT -1 IN ids; -- { serverError CANNOT_CONVERT_TYPE }
SELECT 'a' IN ids; -- { serverError CANNOT_PARSE_TEXT }
SELECT '3' IN ids;
SELECT (1, 2) IN ids; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
SELECT toUInt8(3) IN ids, toInt64(3) IN ids, 3.0 IN ids;
SELECT NULL IN ids;
SELECT toNullable(3) IN ids, materialize(toNullable(4)) IN ids;
CREATE TABLE pairs (a Int32, b String) ENGINE = Set();
INSERT INTO pairs VALUES (1, 'x'), (2, 'y');
SELECT (1, 'x') IN pairs, (1, 'y') IN pairs, (2, 'y') NOT IN pairs;
SELECT (a, b) IN pairs FROM (SELECT toInt32(1) AS a, 'x' AS b);
SELECT 1 IN pairs; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
SELECT (1, 'x', 2) IN pairs; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
INSERT INTO pairs (b) VALUES ('only b');
SELECT (0, 'only b') IN pairs;
TRUNCATE TABLE ids;
SELECT 3 IN ids;
INSERT INTO ids VALUES (4);
SELECT 4 IN ids;
CREATE TABLE with_null (s Nullable(String)) ENGINE = Set;
INSERT INTO with_null VALUES ('a'), (NULL);
SELECT 'a' IN with_null, 'b' IN with_null;
SELECT s, s IN with_null FROM (SELECT arrayJoin(['a', 'b', NULL]) AS s) ORDER BY s;
CREATE TABLE bad (x UInt8) ENGINE = Set(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE bad (x UInt8) ENGINE = Set ORDER BY x; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (x UInt8) ENGINE = Set SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
CREATE TABLE persistent (x UInt8) ENGINE = Set SETTINGS persistent = 1;
INSERT INTO persistent VALUES (7);
SELECT 7 IN persistent, 8 IN persistent;
SHOW CREATE TABLE persistent;
SELECT name, engine, engine_full FROM system.tables WHERE database = currentDatabase() ORDER BY name;
RENAME TABLE persistent TO moved;
SELECT 7 IN moved;
ALTER TABLE moved ADD COLUMN y UInt8; -- { serverError NOT_IMPLEMENTED }
OPTIMIZE TABLE moved; -- { serverError NOT_IMPLEMENTED }
DROP TABLE moved;
SELECT 7 IN moved; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE dates (d Date) ENGINE = Set;
INSERT INTO dates VALUES ('2024-01-01'), ('2024-02-02');
SELECT toDate('2024-01-01') IN dates, toDate('2024-01-02') IN dates;
CREATE TABLE events (id UInt32, what String) ENGINE = MergeTree ORDER BY id;
INSERT INTO events SELECT number, toString(number) FROM numbers(100);
CREATE TABLE wanted (id UInt32) ENGINE = Set;
INSERT INTO wanted VALUES (5), (50), (500);
SELECT * FROM events WHERE id IN wanted ORDER BY id;
SELECT count() FROM events WHERE id NOT IN wanted;
SELECT * FROM events PREWHERE id IN wanted WHERE what LIKE '5%' ORDER BY id;
SELECT count() FROM events GLOBAL ANY LEFT JOIN wanted USING id; -- { serverError NOT_IMPLEMENTED }
