-- Dictionaries as tables: in FROM, in joins, behind ENGINE = Dictionary, and sources that are dictionaries.
CREATE TABLE src (id UInt64, v String, w Int32) ENGINE = Memory;
INSERT INTO src VALUES (1, 'one', 10), (2, 'two', 20), (3, 'three', 30);
CREATE TABLE facts (id UInt64, n UInt8) ENGINE = Memory;
INSERT INTO facts VALUES (1, 5), (3, 6), (4, 7), (1, 8);
CREATE DICTIONARY d (id UInt64, v String, w Int32) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(HASHED()) LIFETIME(0);
SELECT * FROM d ORDER BY id;
SELECT v FROM d WHERE id = 2;
SELECT count(), sum(w) FROM d;
SELECT * FROM dictionary('d') ORDER BY id;
SELECT w FROM dictionary(d) ORDER BY w;
SELECT * FROM dictionary('default.nosuch'); -- { serverError BAD_ARGUMENTS }
SELECT * FROM dictionary('src'); -- { serverError BAD_ARGUMENTS }
SELECT * FROM dictionary(); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT * FROM dictionary('d', 'd'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
DESCRIBE dictionary('d');
SELECT f.id, n, v FROM facts AS f LEFT JOIN d ON f.id = d.id ORDER BY f.id, n;
SELECT id, n, v, w FROM facts INNER JOIN d USING (id) ORDER BY id, n;
SELECT d.v, sum(n) FROM facts AS f INNER JOIN d ON d.id = f.id GROUP BY d.v ORDER BY d.v;
SELECT d.id FROM d LEFT ANTI JOIN facts AS f ON d.id = f.id ORDER BY d.id;
SELECT id FROM facts WHERE id IN (SELECT id FROM d) ORDER BY id, n;
CREATE TABLE td (id UInt64, w Int32) ENGINE = Dictionary('d');
CREATE TABLE td2 (v String) ENGINE = Dictionary(d);
SELECT * FROM td ORDER BY id;
SELECT * FROM td2 ORDER BY v;
SHOW CREATE TABLE td FORMAT TSVRaw;
CREATE TABLE td3 (id UInt64, zz String) ENGINE = Dictionary('d'); -- { serverError THERE_IS_NO_COLUMN }
CREATE TABLE td4 (id UInt64) ENGINE = Dictionary('nosuch'); -- { serverError BAD_ARGUMENTS }
CREATE TABLE td5 (id UInt64) ENGINE = Dictionary; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
INSERT INTO td VALUES (1, 2); -- { serverError NOT_IMPLEMENTED }
DROP TABLE td;
DROP TABLE td2;
-- A dictionary of a dictionary, of a view, of a query and of a subquery's names
CREATE DICTIONARY dd (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'd')) LAYOUT(FLAT()) LIFETIME(0);
CREATE DICTIONARY dq (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT id, dictGet(''d'', ''v'', id) AS v FROM src')) LAYOUT(FLAT()) LIFETIME(0);
CREATE VIEW vw AS SELECT id * 2 AS id, upper(v) AS v FROM src;
CREATE DICTIONARY dv (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'vw')) LAYOUT(HASHED()) LIFETIME(0);
CREATE DICTIONARY dn (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT v, id FROM src')) LAYOUT(HASHED()) LIFETIME(0);
CREATE DICTIONARY dm (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT id FROM src')) LAYOUT(HASHED()) LIFETIME(0);
SELECT dictGet('dd', 'v', 2), dictGet('dq', 'v', 3), dictGet('dv', 'v', 4), dictGet('dn', 'v', 1);
SELECT dictGet('dm', 'v', 2); -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
CREATE VIEW names AS SELECT id, dictGet('d', 'v', id) AS name FROM facts;
SELECT * FROM names ORDER BY id;
CREATE TABLE filled (id UInt64, name String DEFAULT dictGet('d', 'v', id)) ENGINE = Memory;
INSERT INTO filled (id) VALUES (1), (2), (9);
SELECT * FROM filled ORDER BY id;
INSERT INTO filled SELECT id, dictGetOrDefault('d', 'v', id, 'none') FROM facts WHERE n > 5;
SELECT * FROM filled ORDER BY id, name;
DROP DICTIONARY dd;
DROP DICTIONARY dq;
DROP TABLE filled;
DROP VIEW names;
-- Expressions of attributes, and conditions
CREATE DICTIONARY de (id UInt64, v String EXPRESSION concat(v, '!'), w Int64 EXPRESSION w * 2 + 1) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src' WHERE 'id >= 2')) LAYOUT(HASHED()) LIFETIME(0);
SELECT * FROM de ORDER BY id;
SELECT dictGet('de', ('v', 'w'), 2), dictHas('de', 1);
-- Sources that fail
CREATE DICTIONARY dx (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'nosuch')) LAYOUT(HASHED()) LIFETIME(1);
SELECT dictGet('dx', 'v', 10); -- { serverError UNKNOWN_TABLE }
SELECT * FROM dx; -- { serverError UNKNOWN_TABLE }
SYSTEM RELOAD DICTIONARY dx; -- { serverError UNKNOWN_TABLE }
CREATE TABLE nosuch (id UInt64, v String) ENGINE = Memory;
INSERT INTO nosuch VALUES (10, 'now');
SYSTEM RELOAD DICTIONARY dx;
SELECT dictGet('dx', 'v', 10);
DROP DICTIONARY dx;
CREATE DICTIONARY dx (id UInt64, nosuchcol String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(HASHED()) LIFETIME(1);
SELECT dictGet('dx', 'nosuchcol', 10); -- { serverError UNKNOWN_IDENTIFIER }
CREATE OR REPLACE DICTIONARY dx (id UInt64, v UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(HASHED()) LIFETIME(1);
SELECT dictGet('dx', 'v', 1); -- { serverError CANNOT_PARSE_TEXT }
CREATE OR REPLACE DICTIONARY dx (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS id, NULL::Nullable(String) AS v')) LAYOUT(HASHED()) LIFETIME(1);
SELECT dictGet('dx', 'v', 1); -- { serverError CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN }
CREATE OR REPLACE DICTIONARY dx (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT this is wrong')) LAYOUT(HASHED()) LIFETIME(1); -- { serverError SYNTAX_ERROR }
SELECT dictGet('dx', 'v', 1); -- { serverError CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN }
CREATE OR REPLACE DICTIONARY dx (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT throwIf(1) AS id, \'x\' AS v')) LAYOUT(HASHED()) LIFETIME(1);
SELECT dictGet('dx', 'v', 1); -- { serverError FUNCTION_THROW_IF_VALUE_IS_NON_ZERO }
SELECT count() FROM dx; -- { serverError FUNCTION_THROW_IF_VALUE_IS_NON_ZERO }
