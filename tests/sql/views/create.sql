-- CREATE VIEW and what shows it.
CREATE TABLE t (a Int32, b String, c Nullable(Float64)) ENGINE = Memory;
INSERT INTO t VALUES (1, 'x', 1.5), (2, 'y', NULL);
CREATE VIEW v AS SELECT a, b FROM t WHERE a > 0;
DESCRIBE v;
DESCRIBE TABLE v;
EXISTS v;
EXISTS VIEW v;
EXISTS TABLE v;
EXISTS VIEW t;
EXISTS VIEW nothing;
EXISTS DICTIONARY v;
SHOW TABLES;
SHOW COLUMNS FROM v;
CREATE VIEW v AS SELECT 1; -- { serverError TABLE_ALREADY_EXISTS }
CREATE VIEW IF NOT EXISTS v AS SELECT 1;
SELECT * FROM v ORDER BY a;
CREATE OR REPLACE VIEW v AS SELECT 1 AS one;
SELECT * FROM v;
CREATE TABLE tt (a Int8) ENGINE = Memory;
CREATE OR REPLACE VIEW tt AS SELECT 1 AS one;
SELECT * FROM tt;
CREATE OR REPLACE TABLE v (a Int8) ENGINE = Memory;
SELECT count() FROM v;
EXISTS VIEW v;
CREATE TABLE tt (a Int8) ENGINE = Memory; -- { serverError TABLE_ALREADY_EXISTS }
CREATE TABLE IF NOT EXISTS tt (a Int8) ENGINE = Memory;
SELECT * FROM tt;
DROP VIEW t; -- { serverError INCORRECT_QUERY }
DROP VIEW tt;
DROP VIEW tt; -- { serverError UNKNOWN_TABLE }
DROP VIEW IF EXISTS tt;
CREATE VIEW w AS SELECT * FROM t;
DROP TABLE w;
EXISTS w;
-- Declared columns: by name, and converted.
CREATE VIEW named (b String, a Int64) AS SELECT a, b FROM t;
SELECT toTypeName(a), * FROM named ORDER BY a;
CREATE VIEW fewer (b String) AS SELECT a, b FROM t;
SELECT * FROM fewer ORDER BY b;
SELECT a FROM fewer; -- { serverError UNKNOWN_IDENTIFIER }
CREATE VIEW other (x Int64) AS SELECT a, b FROM t;
SELECT * FROM other; -- { serverError UNKNOWN_IDENTIFIER }
CREATE VIEW text (a String) AS SELECT a FROM t;
SELECT * FROM text WHERE a = '2';
CREATE VIEW number (b UInt8) AS SELECT b FROM t;
SELECT * FROM number; -- { serverError CANNOT_PARSE_TEXT }
CREATE VIEW nullable (a Nullable(Int32)) AS SELECT a FROM t;
SELECT toTypeName(a), a FROM nullable ORDER BY a;
CREATE VIEW plain (a Int32) AS SELECT toNullable(a) AS a FROM t;
SELECT toTypeName(a), a FROM plain ORDER BY a;
CREATE VIEW twice (a Int32, a Int32) AS SELECT a FROM t; -- { serverError ILLEGAL_COLUMN }
CREATE VIEW repeated AS SELECT a, a FROM t; -- { serverError ILLEGAL_COLUMN }
CREATE VIEW renamed (x, y) AS SELECT a, b FROM t;
SELECT x, y FROM renamed ORDER BY x;
DESCRIBE renamed;
CREATE VIEW renamed_union (x, y) AS SELECT 1, 2 UNION ALL SELECT 3, 4;
SELECT x, y FROM renamed_union ORDER BY x;
CREATE VIEW short (x) AS SELECT a, b FROM t; -- { serverError BAD_ARGUMENTS }
CREATE VIEW long (x, y, z) AS SELECT a, b FROM t; -- { serverError BAD_ARGUMENTS }
CREATE VIEW stars (x, y) AS SELECT * FROM t; -- { serverError BAD_ARGUMENTS }
CREATE VIEW untyped (x String, y) AS SELECT 1, 2; -- { serverError SYNTAX_ERROR }
CREATE VIEW no_columns (a Int32 ALIAS 1) AS SELECT 1 AS a; -- { serverError EMPTY_LIST_OF_COLUMNS_PASSED }
CREATE VIEW commented (a String DEFAULT 'x', b String COMMENT 'hi') AS SELECT a, b FROM t;
DESCRIBE commented;
-- Names and types that a query gives.
CREATE VIEW titles AS SELECT t.a, s.a, 1, a + 1, count() OVER () FROM t, t AS s;
DESCRIBE titles;
CREATE VIEW types AS SELECT toLowCardinality('a') AS l, [1, 2] AS ar, (1, 'x') AS tp, map('a', 1) AS mp, NULL AS nu, toDateTime('2020-01-01 00:00:00', 'Asia/Tokyo') AS tz, c FROM t;
DESCRIBE types;
SELECT * FROM types ORDER BY c;
CREATE VIEW dotted AS SELECT a AS `x.y`, a AS `from` FROM t;
SELECT x.y, `from` FROM dotted ORDER BY 1;
-- A view keeps its columns when its table gets more, or is another one.
CREATE VIEW all_of AS SELECT * FROM tt2; -- { serverError UNKNOWN_TABLE }
CREATE TABLE tt2 (a Int8) ENGINE = Memory;
CREATE VIEW all_of AS SELECT * FROM tt2;
DROP TABLE tt2;
SELECT * FROM all_of; -- { serverError UNKNOWN_TABLE }
DESCRIBE all_of;
CREATE TABLE tt2 (b Int8, a Int16) ENGINE = Memory;
INSERT INTO tt2 VALUES (1, 2);
SELECT toTypeName(a), * FROM all_of;
CREATE OR REPLACE TABLE tt2 (b Int8) ENGINE = Memory;
SELECT * FROM all_of; -- { serverError UNKNOWN_IDENTIFIER }
