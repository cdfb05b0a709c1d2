-- { configs: default }
-- ReplacingMergeTree(version, is_deleted) and OPTIMIZE ... FINAL CLEANUP.

CREATE TABLE r (k UInt32, v UInt8, d UInt8) ENGINE = ReplacingMergeTree(v, d) ORDER BY k;
SYSTEM STOP MERGES r;
INSERT INTO r VALUES (1, 1, 0), (1, 2, 1), (2, 1, 0);
SELECT * FROM r ORDER BY k;
SELECT * FROM r FINAL ORDER BY k;
OPTIMIZE TABLE r FINAL CLEANUP; -- { serverError SUPPORT_IS_DISABLED }
SYSTEM START MERGES r;
OPTIMIZE TABLE r FINAL;
SYSTEM STOP MERGES r;
SELECT * FROM r ORDER BY k;
DROP TABLE r;

CREATE TABLE r (k UInt32, v UInt8, d UInt8) ENGINE = ReplacingMergeTree(v, d) ORDER BY k SETTINGS allow_experimental_replacing_merge_with_cleanup = 1;
SYSTEM STOP MERGES r;
INSERT INTO r VALUES (1, 1, 0), (1, 2, 1), (2, 1, 0), (3, 5, 1);
SYSTEM START MERGES r;
OPTIMIZE TABLE r FINAL;
SYSTEM STOP MERGES r;
SELECT * FROM r ORDER BY k;
SYSTEM START MERGES r;
OPTIMIZE TABLE r FINAL CLEANUP;
SYSTEM STOP MERGES r;
SELECT * FROM r ORDER BY k;
INSERT INTO r VALUES (2, 2, 1), (4, 1, 0);
INSERT INTO r VALUES (4, 2, 1), (4, 3, 0), (5, 1, 1), (5, 0, 0);
SELECT * FROM r FINAL ORDER BY k;
SELECT k FROM r FINAL WHERE d = 1 ORDER BY k;
SELECT count() FROM r FINAL;
SYSTEM START MERGES r;
OPTIMIZE TABLE r FINAL CLEANUP;
SYSTEM STOP MERGES r;
SELECT * FROM r ORDER BY k;
INSERT INTO r VALUES (4, 9, 1);
SYSTEM START MERGES r;
OPTIMIZE TABLE r FINAL CLEANUP;
SYSTEM STOP MERGES r;
SELECT count() FROM r;
SELECT count() FROM system.parts WHERE database = currentDatabase() AND table = 'r' AND active AND rows > 0;
SHOW CREATE TABLE r;
DROP TABLE r;

CREATE TABLE m (k UInt32) ENGINE = MergeTree ORDER BY k;
SYSTEM STOP MERGES m;
OPTIMIZE TABLE m FINAL CLEANUP; -- { serverError CANNOT_ASSIGN_OPTIMIZE }
DROP TABLE m;

CREATE TABLE x (k UInt32, v UInt8, d UInt16) ENGINE = ReplacingMergeTree(v, d) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE x (k UInt32, v UInt8, d UInt8) ENGINE = ReplacingMergeTree(v, z) ORDER BY k; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
CREATE TABLE x (k UInt32, v UInt8, d UInt8) ENGINE = ReplacingMergeTree(v, d, k) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE x (k UInt32, v String) ENGINE = ReplacingMergeTree(v) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE x (k UInt32, v UInt8) ENGINE = ReplacingMergeTree('v') ORDER BY k; -- { serverError BAD_ARGUMENTS }
CREATE TABLE x (k UInt32, v UInt8) ENGINE = MergeTree(v) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE x (k UInt32, v UInt8) ENGINE = AggregatingMergeTree(v) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }

-- FINAL within partitions only.
CREATE TABLE p (k UInt32, v UInt8, p UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY k PARTITION BY p;
SYSTEM STOP MERGES p;
INSERT INTO p VALUES (1, 1, 1), (1, 2, 2), (1, 0, 1), (2, 1, 1);
INSERT INTO p VALUES (1, 3, 1), (3, 1, 2);
SELECT * FROM p FINAL ORDER BY ALL;
SELECT * FROM p FINAL ORDER BY ALL SETTINGS do_not_merge_across_partitions_select_final = 1;
SELECT count() FROM p FINAL SETTINGS do_not_merge_across_partitions_select_final = 1;
SELECT v FROM p FINAL WHERE k = 1 ORDER BY v SETTINGS do_not_merge_across_partitions_select_final = 1;
SELECT * FROM p ORDER BY ALL SETTINGS final = 1, do_not_merge_across_partitions_select_final = 1;
SELECT * FROM p ORDER BY ALL SETTINGS final = 1;
DROP TABLE p;
