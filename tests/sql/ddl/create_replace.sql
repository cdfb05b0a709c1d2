-- A CREATE that fails leaves everything as it was; one that replaces a table may read it.
CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a;
INSERT INTO t VALUES (7), (8);
CREATE OR REPLACE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY zzz; -- { serverError UNKNOWN_IDENTIFIER }
SELECT a FROM t ORDER BY a;
CREATE OR REPLACE TABLE t ENGINE = MergeTree ORDER BY a AS SELECT throwIf(number = 3)::UInt8 AS a FROM numbers(5); -- { serverError FUNCTION_THROW_IF_VALUE_IS_NON_ZERO }
SELECT a FROM t ORDER BY a;
CREATE OR REPLACE TABLE t (b UInt8, CONSTRAINT small CHECK b < 8) ENGINE = MergeTree ORDER BY b AS SELECT a AS b FROM t; -- { serverError VIOLATED_CONSTRAINT }
SELECT a FROM t ORDER BY a;
CREATE OR REPLACE TABLE t ENGINE = MergeTree ORDER BY tuple() AS SELECT a + 1 AS c FROM t;
SELECT c FROM t ORDER BY c;
CREATE TABLE IF NOT EXISTS t ENGINE = MergeTree ORDER BY tuple() AS SELECT 1 AS d;
SELECT c FROM t ORDER BY c;
CREATE TABLE t ENGINE = MergeTree ORDER BY tuple() AS SELECT 1 AS d; -- { serverError TABLE_ALREADY_EXISTS }
CREATE TABLE u ENGINE = Memory AS SELECT throwIf(number = 3)::UInt8 AS a FROM numbers(5); -- { serverError FUNCTION_THROW_IF_VALUE_IS_NON_ZERO }
EXISTS TABLE u;
CREATE TABLE u ENGINE = Memory AS SELECT number AS a FROM numbers(3);
SELECT sum(a) FROM u;
SELECT name, total_rows FROM system.tables WHERE database = currentDatabase() ORDER BY name;
CREATE OR REPLACE TABLE w (a UInt8) ENGINE = Memory;
SELECT count() FROM w;
DROP TABLE t, u, w;
