-- Materialised views: what CREATE checks, and what an INSERT into the source does.
CREATE TABLE src (k UInt8, v Int32, e UInt8 EPHEMERAL 7, m Int32 MATERIALIZED v * 2, al Int32 ALIAS v + 1) ENGINE = Memory;
CREATE MATERIALIZED VIEW mv1 ENGINE = SummingMergeTree ORDER BY k AS SELECT k, sum(v) AS s, sum(m) AS sm, sum(al) AS sal FROM src GROUP BY k;
INSERT INTO src VALUES (1, 10), (1, 20), (2, 5);
SELECT * FROM mv1 ORDER BY k;
SELECT s FROM mv1 WHERE k = 1;
SELECT count(), sum(sm) FROM mv1;
INSERT INTO src VALUES (1, 1);
SELECT k, sum(s) FROM mv1 GROUP BY k ORDER BY k;
SELECT k, s FROM mv1 FINAL ORDER BY k;
CREATE TABLE dst (k UInt8, s Int64, extra String DEFAULT 'x') ENGINE = Memory;
CREATE MATERIALIZED VIEW mv3 TO dst AS SELECT k, sum(v) AS s FROM src GROUP BY k;
SHOW CREATE TABLE mv3;
SELECT * FROM mv3;
DESCRIBE TABLE mv3;
CREATE MATERIALIZED VIEW mv3 TO dst AS SELECT k FROM src; -- { serverError TABLE_ALREADY_EXISTS }
CREATE MATERIALIZED VIEW IF NOT EXISTS mv3 TO dst AS SELECT k FROM src;
CREATE MATERIALIZED VIEW mv4 TO dst AS SELECT k, sum(v) AS nosuch FROM src GROUP BY k; -- { serverError THERE_IS_NO_COLUMN }
CREATE MATERIALIZED VIEW mv5 TO absent AS SELECT k FROM src; -- { serverError UNKNOWN_TABLE }
CREATE MATERIALIZED VIEW mv8 TO dst ENGINE = Memory AS SELECT k FROM src; -- { serverError SYNTAX_ERROR }
CREATE MATERIALIZED VIEW mv10 TO dst (k UInt8, s Int64) AS SELECT k, v AS s FROM src;
SHOW CREATE TABLE mv10;
CREATE MATERIALIZED VIEW mv11 TO dst AS SELECT 1 AS k;
CREATE MATERIALIZED VIEW mv12 TO dst AS SELECT k FROM absent2; -- { serverError UNKNOWN_TABLE }
CREATE MATERIALIZED VIEW mv13 ENGINE = Memory; -- { serverError SYNTAX_ERROR }
CREATE MATERIALIZED VIEW mv14 (k UInt8) ENGINE = Memory AS SELECT k, v FROM src; -- { serverError THERE_IS_NO_COLUMN }
CREATE MATERIALIZED VIEW mv15 (q UInt8) ENGINE = Memory AS SELECT k, v FROM src; -- { serverError THERE_IS_NO_COLUMN }
CREATE MATERIALIZED VIEW mv16 ENGINE = Memory AS SELECT k, k FROM src; -- { serverError ILLEGAL_COLUMN }
CREATE MATERIALIZED VIEW mv17 ENGINE = Memory AS SELECT number AS k FROM numbers(3); -- { serverError QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW }
CREATE MATERIALIZED VIEW mv18 TO dst AS SELECT 'abc' AS k FROM src; -- { serverError CANNOT_PARSE_TEXT }
CREATE MATERIALIZED VIEW mv19 ENGINE = NoSuchEngine AS SELECT k FROM src; -- { serverError UNKNOWN_STORAGE }
CREATE MATERIALIZED VIEW mv20 ENGINE = Memory SQL SECURITY INVOKER AS SELECT k FROM src; -- { serverError QUERY_IS_NOT_SUPPORTED_IN_MATERIALIZED_VIEW }
CREATE MATERIALIZED VIEW mv21 ON CLUSTER x ENGINE = Memory AS SELECT k FROM src; -- { serverError CLUSTER_DOESNT_EXIST }
CREATE MATERIALIZED VIEW nosuchdb.mv22 ENGINE = Memory AS SELECT k FROM src; -- { serverError UNKNOWN_DATABASE }
INSERT INTO src VALUES (3, 1);
SELECT * FROM dst ORDER BY ALL;
SELECT * FROM mv10 ORDER BY ALL;
SELECT name, if(engine LIKE '%View', engine, ''), as_select, arraySort(dependencies_table) FROM system.tables WHERE database = currentDatabase() AND name NOT LIKE '.%' ORDER BY name;
SELECT count(), any(name LIKE '.inner_id.%') FROM system.tables WHERE database = currentDatabase() AND name LIKE '.%';
DROP TABLE mv1;
SELECT count() FROM system.tables WHERE database = currentDatabase() AND name LIKE '.%';
DROP TABLE dst;
INSERT INTO src VALUES (4, 1); -- { serverError UNKNOWN_TABLE }
SELECT * FROM mv10; -- { serverError UNKNOWN_TABLE }
DROP VIEW mv10;
DROP VIEW mv3;
INSERT INTO src VALUES (4, 1);
SELECT count() > 4 FROM src;
DROP VIEW src; -- { serverError INCORRECT_QUERY }
-- Columns without aliases, and columns with them.
CREATE MATERIALIZED VIEW noalias ENGINE = Memory AS SELECT k + 1 FROM src;
CREATE MATERIALIZED VIEW wc (`plus(k, 1)` UInt32) ENGINE = Memory AS SELECT k + 1 FROM src;
CREATE MATERIALIZED VIEW al (a, b) ENGINE = Memory AS SELECT k, v FROM src;
CREATE MATERIALIZED VIEW df (k UInt8, w Int32 DEFAULT 5) ENGINE = MergeTree ORDER BY k AS SELECT k FROM src;
INSERT INTO src VALUES (3, 3);
SELECT * FROM noalias;
SELECT *, toTypeName(`plus(k, 1)`) FROM wc;
SELECT * FROM al;
SELECT * FROM df;
-- An error of a view fails the INSERT, unless errors of views are ignored.
CREATE MATERIALIZED VIEW err ENGINE = Memory AS SELECT throwIf(v = 13) AS x FROM src;
INSERT INTO src VALUES (1, 13); -- { serverError FUNCTION_THROW_IF_VALUE_IS_NON_ZERO }
INSERT INTO src SETTINGS materialized_views_ignore_errors = 1 VALUES (77, 13);
SELECT count() FROM src WHERE k = 77;
SELECT count() FROM err;
SELECT a FROM al WHERE a = 77;
EXISTS VIEW al;
EXISTS TABLE al;
SHOW TABLES LIKE 'a%';
TRUNCATE TABLE al;
SELECT count() FROM al;
INSERT INTO al VALUES (7, 8);
INSERT INTO al (b) VALUES (9);
INSERT INTO al (c) VALUES (9); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
SELECT * FROM al ORDER BY ALL;
RENAME TABLE al TO al2;
INSERT INTO src VALUES (6, 6);
SELECT * FROM al2 ORDER BY ALL;
CREATE OR REPLACE MATERIALIZED VIEW al2 ENGINE = Memory AS SELECT k, 5 AS five FROM src;
INSERT INTO src VALUES (8, 8);
SELECT * FROM al2 ORDER BY ALL;
ALTER TABLE al2 ADD COLUMN z UInt8; -- { serverError NOT_IMPLEMENTED }
ALTER TABLE al2 MODIFY COMMENT 'hi';
SELECT comment FROM system.tables WHERE database = currentDatabase() AND name = 'al2';
ALTER TABLE al2 MODIFY QUERY SELECT v AS k, 6 AS five FROM src WHERE k > 100;
INSERT INTO src VALUES (101, 55), (1, 56);
SELECT * FROM al2 ORDER BY ALL;
SELECT as_select FROM system.tables WHERE database = currentDatabase() AND name = 'al2';
ALTER TABLE al2 MODIFY QUERY SELECT v AS nosuch FROM src; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
DROP TABLE src;
SELECT * FROM al2 ORDER BY ALL;
CREATE TABLE src (k UInt8, v Int32) ENGINE = Memory;
INSERT INTO src VALUES (102, 1);
SELECT * FROM al2 ORDER BY ALL;
