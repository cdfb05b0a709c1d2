-- Views over the targets of views, and circles.
CREATE TABLE src (k UInt8, v Int32) ENGINE = Memory;
CREATE TABLE t1 (k UInt8, s Int64) ENGINE = Memory;
CREATE TABLE t2 (k UInt8, s Int64, x UInt8 DEFAULT 7) ENGINE = Memory;
CREATE TABLE t3 (n UInt64) ENGINE = Memory;
CREATE MATERIALIZED VIEW m1 TO t1 AS SELECT k, sum(v) AS s FROM src GROUP BY k;
CREATE MATERIALIZED VIEW m2 TO t2 AS SELECT k, s * 10 AS s FROM t1;
CREATE MATERIALIZED VIEW m3 TO t3 AS SELECT count() AS n FROM t2;
INSERT INTO src VALUES (1, 1), (1, 2), (2, 3);
SELECT * FROM t1 ORDER BY ALL;
SELECT * FROM t2 ORDER BY ALL;
SELECT * FROM t3 ORDER BY ALL;
INSERT INTO t1 VALUES (5, 5);
SELECT * FROM t2 ORDER BY ALL;
SELECT * FROM t3 ORDER BY ALL;
INSERT INTO m1 VALUES (6, 6);
SELECT * FROM t1 ORDER BY ALL;
SELECT * FROM t2 ORDER BY ALL;
SELECT name, dependencies_table FROM system.tables WHERE database = currentDatabase() AND name IN ('src', 't1', 't2', 't3') ORDER BY name;
-- A view that names a view as its source is not triggered.
CREATE MATERIALIZED VIEW a1 ENGINE = MergeTree ORDER BY k AS SELECT k, v FROM src;
CREATE MATERIALIZED VIEW a2 ENGINE = Memory AS SELECT k, sum(v) AS s FROM a1 GROUP BY k;
INSERT INTO src VALUES (1, 1), (1, 2);
INSERT INTO a1 VALUES (5, 5);
SELECT * FROM a1 ORDER BY ALL;
SELECT * FROM a2 ORDER BY ALL;
SELECT name, total_rows FROM system.tables WHERE database = currentDatabase() AND name IN ('a1', 'm1') ORDER BY name;
SELECT table, name, type, position FROM system.columns WHERE database = currentDatabase() AND table = 'a2' ORDER BY position;
-- Several views write into one table.
CREATE MATERIALIZED VIEW b1 TO t3 AS SELECT toUInt64(v) + 100 AS n FROM src;
CREATE MATERIALIZED VIEW b2 TO t3 AS SELECT toUInt64(v) + 200 AS n FROM src WHERE k = 2;
INSERT INTO src VALUES (2, 50), (3, 51);
SELECT * FROM t3 WHERE n > 100 ORDER BY ALL;
-- An error deep in the chain leaves nothing anywhere.
CREATE MATERIALIZED VIEW bad ENGINE = Memory AS SELECT throwIf(n = 142) AS x FROM t3;
INSERT INTO src VALUES (9, 42); -- { serverError FUNCTION_THROW_IF_VALUE_IS_NON_ZERO }
SELECT count() FROM bad;
DROP VIEW bad;
-- Circles.
CREATE TABLE c1 (x UInt8) ENGINE = Memory;
CREATE TABLE c2 (x UInt8) ENGINE = Memory;
CREATE MATERIALIZED VIEW c12 TO c2 AS SELECT x FROM c1;
CREATE MATERIALIZED VIEW c21 TO c1 AS SELECT x FROM c2;
INSERT INTO c1 VALUES (1); -- { serverError TOO_DEEP_RECURSION }
DROP VIEW c21;
INSERT INTO c1 VALUES (1);
SELECT x FROM c2 WHERE x = 1 LIMIT 1;
CREATE MATERIALIZED VIEW own TO c1 AS SELECT x FROM c1;
INSERT INTO c1 VALUES (2); -- { serverError TOO_DEEP_RECURSION }
DROP VIEW own;
-- The databases of a view, its source and its target differ.
CREATE DATABASE other_of_chains;
CREATE TABLE other_of_chains.tgt (k UInt8, v Int32) ENGINE = Memory;
CREATE MATERIALIZED VIEW other_of_chains.ov TO other_of_chains.tgt AS SELECT k, v FROM src;
INSERT INTO src VALUES (77, 7);
SELECT * FROM other_of_chains.ov;
SELECT dependencies_database, dependencies_table FROM system.tables WHERE database = currentDatabase() AND name = 'c1';
RENAME TABLE a1 TO other_of_chains.a1; -- { serverError NOT_IMPLEMENTED }
INSERT INTO src VALUES (78, 7);
SELECT v FROM a1 WHERE k = 78;
DROP DATABASE other_of_chains;
INSERT INTO src VALUES (79, 7);
SELECT v FROM a1 WHERE k = 79;
ALTER TABLE m1 MODIFY QUERY SELECT k, sum(v) + 1000 AS s FROM src GROUP BY k;
SHOW CREATE TABLE m1;
INSERT INTO src VALUES (80, 1);
SELECT s FROM t1 WHERE k = 80;
ALTER TABLE m1 MODIFY QUERY SELECT k, sum(v) AS nosuch FROM src GROUP BY k;
ALTER TABLE m1 MODIFY QUERY SELECT s AS k FROM t3; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE m1 MODIFY QUERY SELECT x AS k FROM c1;
INSERT INTO src VALUES (81, 1);
INSERT INTO c1 VALUES (82);
SELECT * FROM t1 WHERE k > 80 ORDER BY k;
DESCRIBE TABLE m1;
