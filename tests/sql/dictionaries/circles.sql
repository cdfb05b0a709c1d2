-- Dictionaries that tables look up in their defaults, and that read these tables: circles are refused.
CREATE DICTIONARY e (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE u)) LAYOUT(FLAT()) LIFETIME(0);
CREATE TABLE u (id UInt64, v String DEFAULT dictGet('e', 'v', id)) ENGINE = Memory; -- { serverError INFINITE_LOOP }
CREATE TABLE u (id UInt64, v String) ENGINE = MergeTree ORDER BY id;
ALTER TABLE u MODIFY COLUMN v DEFAULT dictGet('e', 'v', id); -- { serverError INFINITE_LOOP }
ALTER TABLE u ADD COLUMN w String MATERIALIZED dictGet('e', 'v', id); -- { serverError INFINITE_LOOP }
INSERT INTO u VALUES (1, 'one');
SELECT dictGet('e', 'v', 1);
-- a table that needs a dictionary keeps it from being dropped
CREATE TABLE needs (a UInt64, b String DEFAULT dictGet('e', 'v', a)) ENGINE = Memory;
INSERT INTO needs (a) VALUES (1);
SELECT * FROM needs;
DROP DICTIONARY e; -- { serverError HAVE_DEPENDENT_OBJECTS }
DROP TABLE u; -- { serverError HAVE_DEPENDENT_OBJECTS }
DROP TABLE needs;
DROP DICTIONARY e;
DROP TABLE u;
-- dictionaries that read one another
CREATE DICTIONARY x (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE y)) LAYOUT(FLAT()) LIFETIME(0);
CREATE DICTIONARY y (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE x)) LAYOUT(FLAT()) LIFETIME(0); -- { serverError INFINITE_LOOP }
CREATE DICTIONARY y (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT toUInt64(5) AS id, \'five\' AS v')) LAYOUT(FLAT()) LIFETIME(0);
SELECT dictGet('x', 'v', 5);
CREATE DICTIONARY z (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'y' WHERE 'id > 3')) LAYOUT(FLAT()) LIFETIME(0);
SELECT dictGet('z', 'v', 5);
CREATE DICTIONARY enums (id UInt64, e Enum8('x' = 1)) PRIMARY KEY id SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0); -- { serverError UNKNOWN_TYPE }
