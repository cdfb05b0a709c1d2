-- Views in SHOW, in the tables of `system` and in `information_schema`.
CREATE DATABASE views_s;
USE views_s;
CREATE TABLE t (a Int32, b String) ENGINE = Memory;
CREATE VIEW v AS SELECT t.a, b AS `from` FROM t WHERE a > 1;
CREATE VIEW w (x Int64, y String DEFAULT 'd' COMMENT 'why') COMMENT 'all of it' AS SELECT a AS x, b AS y FROM t;
CREATE VIEW i SQL SECURITY INVOKER AS SELECT 1 AS x;
CREATE VIEW later AS SELECT 1 AS x COMMENT 'behind';
CREATE VIEW braces AS (SELECT 1 AS x);
CREATE VIEW rest AS SELECT a FROM t EXCEPT ALL SELECT 2;
CREATE VIEW first AS FROM t SELECT a;
CREATE VIEW set AS SELECT a FROM t ORDER BY a DESC LIMIT 1 SETTINGS max_threads = 1;
CREATE VIEW nested AS SELECT * FROM (WITH t AS (SELECT 1 AS y) SELECT * FROM t) AS q, (SELECT * FROM t) AS r;
CREATE VIEW types AS SELECT (1, 'x') AS tp, [map('a', 1)] AS m;
SHOW CREATE VIEW v;
SHOW CREATE TABLE w;
SHOW CREATE i;
SHOW CREATE later;
SHOW CREATE braces;
SHOW CREATE rest;
SHOW CREATE first;
SHOW CREATE set;
SHOW CREATE nested;
SHOW CREATE types;
SHOW CREATE VIEW t; -- { serverError BAD_ARGUMENTS }
SHOW CREATE DICTIONARY v; -- { serverError BAD_ARGUMENTS }
SHOW CREATE VIEW nothing; -- { serverError CANNOT_GET_CREATE_TABLE_QUERY }
SELECT name, engine, create_table_query, as_select, engine_full, total_rows, total_bytes, comment, sorting_key FROM system.tables WHERE database = 'views_s' AND engine = 'View' ORDER BY name;
SELECT table, name, type, position, default_kind, default_expression, comment FROM system.columns WHERE database = 'views_s' AND table IN ('v', 'w') ORDER BY table, position;
SELECT table_name, view_definition, check_option, is_updatable, is_insertable_into FROM information_schema.views WHERE table_schema = 'views_s' ORDER BY table_name;
SELECT table_name, table_type, table_rows, data_length, table_comment FROM information_schema.tables WHERE table_schema = 'views_s' AND table_type = 'VIEW' ORDER BY table_name;
SHOW TABLES;
RENAME TABLE v TO v2;
SHOW CREATE v2;
CREATE DATABASE views_s2;
RENAME TABLE v2 TO views_s2.v3;
SHOW CREATE views_s2.v3;
INSERT INTO t VALUES (5, 'five');
SELECT * FROM views_s2.v3;
EXCHANGE TABLES w AND i;
SHOW CREATE i;
SELECT * FROM w;
USE default;
DROP DATABASE views_s;
SHOW CREATE views_s2.v3;
DROP DATABASE views_s2;
EXPLAIN AST CREATE VIEW v (x, y) AS SELECT 1, 2;
