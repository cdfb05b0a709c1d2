-- { configs: default }
CREATE TABLE t (k UInt32, v Int32, s String, m Int32 MATERIALIZED v + 1) ENGINE = MergeTree ORDER BY k SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1;
INSERT INTO t SELECT number, number * 10, toString(number) FROM numbers(10);
DELETE FROM t WHERE k = 3;
SELECT count(), sum(k) FROM t;
DELETE FROM t WHERE k IN (SELECT number FROM numbers(2));
SELECT k FROM t ORDER BY k;
DELETE FROM t WHERE zz = 1; -- { serverError UNKNOWN_IDENTIFIER }
DELETE FROM t; -- { serverError SYNTAX_ERROR }
DELETE FROM t WHERE s; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
DELETE FROM nonexistent_t WHERE 1; -- { serverError UNKNOWN_TABLE }
UPDATE t SET v = 1 WHERE k = 5;
SELECT k, v, m FROM t WHERE k = 5;
UPDATE t SET v = v + 1, s = concat(s, 'x') WHERE k > 6;
SELECT k, v, s, m FROM t ORDER BY k;
UPDATE t SET k = 1 WHERE k = 5; -- { serverError CANNOT_UPDATE_COLUMN }
UPDATE t SET zz = 1 WHERE k = 5; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
UPDATE t SET m = 1 WHERE k = 5; -- { serverError CANNOT_UPDATE_COLUMN }
UPDATE t SET v = 1; -- { serverError SYNTAX_ERROR }
UPDATE t SET v = 'abc' WHERE k = 5; -- { serverError CANNOT_PARSE_TEXT }
UPDATE t SET v = (SELECT 77) WHERE k = 5;
UPDATE t SET v = v * 2 WHERE k IN (SELECT 5);
SELECT k, v, s, m FROM t ORDER BY k;
SET apply_patch_parts = 0;
SET apply_patch_parts = 1;
OPTIMIZE TABLE t FINAL;
SELECT k, v, s FROM t ORDER BY k;
SET lightweight_delete_mode = 'lightweight_update';
DELETE FROM t WHERE k = 5;
SELECT k FROM t ORDER BY k;
SET lightweight_delete_mode = 'lightweight_update_force';
DELETE FROM t WHERE k = 6;
SELECT k FROM t ORDER BY k;
SET lightweight_delete_mode = 'zzz'; -- { serverError BAD_ARGUMENTS }
SET lightweight_delete_mode = 'alter_update';
SET alter_update_mode = 'lightweight';
ALTER TABLE t UPDATE v = -1 WHERE k = 7;
SELECT k, v, s FROM t ORDER BY k;
SET alter_update_mode = 'lightweight_force';
ALTER TABLE t UPDATE v = -2 WHERE k = 7;
SET alter_update_mode = 'heavy';
SELECT k, v, s FROM t ORDER BY k;
ALTER TABLE t APPLY DELETED MASK;
SELECT k, v, s FROM t ORDER BY k;
CREATE TABLE nob (k UInt32, v Int32) ENGINE = MergeTree ORDER BY k;
INSERT INTO nob VALUES (1, 1), (2, 2);
DELETE FROM nob WHERE k = 2;
CREATE TABLE pt (p UInt8, k UInt32, v Int32) ENGINE = MergeTree PARTITION BY p ORDER BY k SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1;
INSERT INTO pt SELECT number % 2, number, number FROM numbers(8);
DELETE FROM pt IN PARTITION 1 WHERE k < 4;
DELETE FROM pt IN PARTITION ID '0' WHERE k < 4;
UPDATE pt SET v = 100 IN PARTITION 1 WHERE k > 4;
SELECT * FROM pt ORDER BY k;
UPDATE pt SET p = 1 WHERE k = 4; -- { serverError CANNOT_UPDATE_COLUMN }
CREATE TABLE pj (k UInt32, v Int32, PROJECTION p (SELECT v, count() GROUP BY v)) ENGINE = MergeTree ORDER BY k;
INSERT INTO pj VALUES (1, 1), (2, 2);
DELETE FROM pj WHERE k = 1; -- { serverError SUPPORT_IS_DISABLED }
ALTER TABLE pj MODIFY SETTING lightweight_mutation_projection_mode = 'drop';
DELETE FROM pj WHERE k = 1;
SELECT * FROM pj ORDER BY k;
CREATE TABLE mem (k UInt8) ENGINE = Memory;
UPDATE mem SET k = 1 WHERE 1; -- { serverError NOT_IMPLEMENTED }
DELETE FROM mem WHERE 1; -- { serverError BAD_ARGUMENTS }
SET enable_lightweight_delete = 0;
DELETE FROM t WHERE k = 8; -- { serverError SUPPORT_IS_DISABLED }
SET enable_lightweight_delete = 1;
SET enable_lightweight_update = 0;
UPDATE t SET v = 0 WHERE k = 8; -- { serverError SUPPORT_IS_DISABLED }
