-- { configs: default }
CREATE TABLE t (k UInt32, v String) ENGINE = MergeTree ORDER BY k PARTITION BY k % 2;
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
SELECT _part, _partition_id, _partition_value, _part_index, _part_starting_offset, _part_offset, _part_data_version, _sample_factor, _row_exists, _block_number, _block_offset, _disk_name, _table, _database FROM t ORDER BY k;
SELECT toTypeName(_partition_value), toTypeName(_row_exists), toTypeName(_block_number), toTypeName(_block_offset), toTypeName(_disk_name) FROM t LIMIT 1;
SELECT k FROM t WHERE _partition_value.1 = 1 ORDER BY k;
SELECT k FROM t WHERE _partition_value = tuple(0);
DROP TABLE t;
CREATE TABLE t (k UInt32, s String) ENGINE = MergeTree ORDER BY k PARTITION BY (s, k % 2);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
SELECT _partition_value, k FROM t ORDER BY k;
DELETE FROM t WHERE k = 1;
SELECT k, _row_exists, _block_offset FROM t ORDER BY k;
DROP TABLE t;
CREATE TABLE m (k UInt32) ENGINE = Memory;
INSERT INTO m VALUES (1);
SELECT _table, _database, toTypeName(_table) FROM m;
SELECT a._table, b._table FROM m AS a JOIN m AS b ON a.k = b.k;
CREATE VIEW w AS SELECT k FROM m;
SELECT _table, _database FROM w;
SELECT k FROM m WHERE _table = 'm';
SELECT _table FROM (SELECT 1 AS k); -- { serverError UNKNOWN_IDENTIFIER }
SELECT _table FROM values('k UInt8', 1); -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE own (k UInt32, _table UInt8) ENGINE = Memory;
INSERT INTO own VALUES (1, 7);
SELECT _table, _database FROM own;
SELECT _table FROM system.one;
DROP TABLE own;
DROP VIEW w;
DROP TABLE m;
DROP TABLE t; -- { serverError UNKNOWN_TABLE }
