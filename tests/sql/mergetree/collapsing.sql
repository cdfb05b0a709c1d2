-- { configs: default }
-- CollapsingMergeTree: what pairs of rows leave of each other, at INSERT, in merges and with FINAL.

CREATE TABLE c (k UInt32, v UInt32, s Int8) ENGINE = CollapsingMergeTree(s) ORDER BY k;
SYSTEM STOP MERGES c;
INSERT INTO c VALUES (1, 1, 1), (1, 2, -1), (1, 3, 1), (2, 1, -1), (2, 2, 1), (3, 1, -1), (4, 1, 1), (4, 1, -1);
SELECT * FROM c ORDER BY k, s, v;
SELECT 'final';
SELECT * FROM c FINAL ORDER BY k, s, v;
INSERT INTO c VALUES (1, 3, -1), (1, 5, 1), (2, 2, -1), (3, 7, 1), (5, 5, 1);
INSERT INTO c VALUES (5, 5, -1), (6, 6, 1), (6, 6, 1), (6, 6, 1);
SELECT 'final';
SELECT * FROM c FINAL ORDER BY k, s, v;
SELECT count(), sum(v), sum(s) FROM c FINAL;
SELECT v FROM c FINAL ORDER BY v;
SELECT k FROM c FINAL WHERE v > 4 ORDER BY k;
SELECT k, v FROM c FINAL WHERE k = 6 ORDER BY v;
SELECT count() FROM c FINAL WHERE k = 4;
SELECT k, v FROM c ORDER BY k, v, s SETTINGS final = 1;
SYSTEM START MERGES c;
OPTIMIZE TABLE c FINAL;
SYSTEM STOP MERGES c;
SELECT 'merged';
SELECT * FROM c ORDER BY k, s, v;
SELECT 'final';
SELECT * FROM c FINAL ORDER BY k, s, v;
SYSTEM START MERGES c;
OPTIMIZE TABLE c FINAL;
SYSTEM STOP MERGES c;
SELECT * FROM c ORDER BY k, s, v;
SELECT name, engine, sorting_key, primary_key FROM system.tables WHERE database = currentDatabase() AND name = 'c';
SHOW CREATE TABLE c;
DROP TABLE c;

-- Without optimize_on_insert a part has equal keys.
CREATE TABLE d (k UInt32, s Int8) ENGINE = CollapsingMergeTree(s) ORDER BY k;
SYSTEM STOP MERGES d;
INSERT INTO d SETTINGS optimize_on_insert = 0 VALUES (5, 1), (5, 1), (5, 1), (6, -1), (6, -1), (7, -1), (7, 1), (8, 1), (8, -1);
SELECT rows, level FROM system.parts WHERE database = currentDatabase() AND table = 'd' AND active;
SELECT * FROM d ORDER BY k, s;
SELECT * FROM d FINAL ORDER BY k, s;
SELECT count() FROM d FINAL;
SELECT s FROM d FINAL ORDER BY s;
SYSTEM START MERGES d;
OPTIMIZE TABLE d FINAL;
SYSTEM STOP MERGES d;
SELECT * FROM d ORDER BY k, s;
SELECT * FROM d FINAL ORDER BY k, s;
INSERT INTO d VALUES (9, 2); -- { serverError INCORRECT_DATA }
INSERT INTO d VALUES (9, 0); -- { serverError INCORRECT_DATA }
INSERT INTO d SELECT number, -128 FROM numbers(3); -- { serverError INCORRECT_DATA }
SELECT count() FROM d;
DROP TABLE d;

-- All rows of a table without a sorting key are one group.
CREATE TABLE e (k UInt32, s Int8) ENGINE = CollapsingMergeTree(s) ORDER BY tuple();
SYSTEM STOP MERGES e;
INSERT INTO e VALUES (1, 1), (2, 1), (3, -1);
INSERT INTO e VALUES (4, 1);
SELECT * FROM e ORDER BY k;
SELECT * FROM e FINAL ORDER BY k;
SYSTEM START MERGES e;
OPTIMIZE TABLE e FINAL;
SYSTEM STOP MERGES e;
SELECT * FROM e ORDER BY k;
DROP TABLE e;

-- Keys of several columns and expressions, and partitions.
CREATE TABLE f (a String, b Nullable(UInt8), p UInt8, s Int8) ENGINE = CollapsingMergeTree(s) PARTITION BY p ORDER BY (lower(a), b) SETTINGS allow_nullable_key = 1;
SYSTEM STOP MERGES f;
INSERT INTO f VALUES ('A', NULL, 1, 1), ('a', NULL, 1, -1), ('b', 1, 1, 1), ('B', 2, 2, -1), ('B', 2, 1, 1);
INSERT INTO f VALUES ('b', 1, 1, -1), ('B', 2, 2, 1), ('c', NULL, 2, 1);
SELECT * FROM f ORDER BY ALL;
SELECT * FROM f FINAL ORDER BY ALL;
SELECT * FROM f FINAL ORDER BY ALL SETTINGS do_not_merge_across_partitions_select_final = 1;
SYSTEM START MERGES f;
OPTIMIZE TABLE f PARTITION 1 FINAL;
SYSTEM STOP MERGES f;
SELECT * FROM f ORDER BY ALL;
SYSTEM START MERGES f;
OPTIMIZE TABLE f FINAL;
SYSTEM STOP MERGES f;
SELECT * FROM f ORDER BY ALL;
DROP TABLE f;

-- Many granules: groups lie on their borders.
CREATE TABLE g (k UInt32, v UInt32, s Int8) ENGINE = CollapsingMergeTree(s) ORDER BY k SETTINGS index_granularity = 8;
SYSTEM STOP MERGES g;
INSERT INTO g SETTINGS optimize_on_insert = 0 SELECT intDiv(number, 3), number, if(number % 3 = 1, -1, 1) FROM numbers(600);
INSERT INTO g SELECT number * 2, 1000, -1 FROM numbers(50);
INSERT INTO g SELECT number * 3, 2000, 1 FROM numbers(40);
SELECT count(), sum(v), sum(s), min(k), max(k) FROM g;
SELECT count(), sum(v), sum(s), min(k), max(k) FROM g FINAL;
SELECT k, v, s FROM g FINAL WHERE k BETWEEN 10 AND 20 ORDER BY k, v;
SYSTEM START MERGES g;
OPTIMIZE TABLE g FINAL;
SYSTEM STOP MERGES g;
SELECT count(), sum(v), sum(s), min(k), max(k) FROM g;
SELECT count(), sum(v), sum(s), min(k), max(k) FROM g FINAL;
DROP TABLE g;

CREATE TABLE x (k UInt32, s Int8) ENGINE = CollapsingMergeTree ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE x (k UInt32, s Int8) ENGINE = CollapsingMergeTree() ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE x (k UInt32, s Int16) ENGINE = CollapsingMergeTree(s) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE x (k UInt32, s Nullable(Int8)) ENGINE = CollapsingMergeTree(s) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE x (k UInt32, s Int8) ENGINE = CollapsingMergeTree(z) ORDER BY k; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
CREATE TABLE x (k UInt32, s Int8) ENGINE = CollapsingMergeTree(s, k) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE x (k UInt32, s Int8) ENGINE = CollapsingMergeTree('s') ORDER BY k; -- { serverError BAD_ARGUMENTS }
CREATE TABLE x (k UInt32, s Int8) ENGINE = CollapsingMergeTree(1) ORDER BY k; -- { serverError BAD_ARGUMENTS }
