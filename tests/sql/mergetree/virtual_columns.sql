-- { configs: default }
-- Columns that tell of the part in which a row is.

CREATE TABLE t (k UInt32, p UInt8) ENGINE = MergeTree ORDER BY k PARTITION BY p;
SYSTEM STOP MERGES t;
INSERT INTO t VALUES (3, 1), (1, 1);
INSERT INTO t VALUES (2, 2);
INSERT INTO t VALUES (9, 1);
SELECT toTypeName(_part), toTypeName(_partition_id), toTypeName(_part_index), toTypeName(_part_offset), toTypeName(_part_starting_offset), toTypeName(_part_uuid), toTypeName(_part_granule_offset), toTypeName(_table), toTypeName(_database), toTypeName(_sample_factor) FROM t LIMIT 1;
SELECT k, _part, _partition_id, _part_offset, _part_uuid, _part_granule_offset, _table, _database, _sample_factor FROM t ORDER BY k;
SELECT k, _part_index < 3, _part_starting_offset < 4 FROM t ORDER BY k;
SELECT count(), uniqExact(_part_starting_offset + _part_offset), max(_part_starting_offset + _part_offset) FROM t;
SELECT k FROM t WHERE _part = '1_1_1_0' ORDER BY k;
SELECT k FROM t WHERE _part IN ('1_3_3_0', '2_2_2_0') ORDER BY k;
SELECT k FROM t WHERE _partition_id = '1' ORDER BY k;
SELECT count() FROM t WHERE _partition_id != '1';
SELECT k FROM t WHERE _part LIKE '1%' AND _part_offset = 0 ORDER BY k;
SELECT k FROM t PREWHERE _part_offset > 0 ORDER BY k;
SELECT DISTINCT _part FROM t ORDER BY _part;
SELECT _part, count(), sum(k) FROM t GROUP BY _part ORDER BY _part;
SELECT _partition_id, count() FROM t GROUP BY _partition_id ORDER BY _partition_id;
SELECT _table, count() FROM t GROUP BY _table;
SELECT a._part, b._part_offset, a.k FROM t AS a INNER JOIN t AS b USING (k) ORDER BY a.k;
SELECT x._part FROM t AS x ORDER BY x._part;
SELECT _part FROM (SELECT _part FROM t) ORDER BY _part;
SELECT * FROM t ORDER BY k;
SELECT max(_part_offset), min(_part) FROM t;
SELECT count() FROM t WHERE NOT ignore(_part_index);
SELECT count() FROM system.columns WHERE database = currentDatabase() AND table = 't';
DESCRIBE TABLE t;
INSERT INTO t (k, _part) VALUES (1, 'a'); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
SYSTEM START MERGES t;
OPTIMIZE TABLE t FINAL;
SELECT _part, k, _part_offset FROM t WHERE p = 1 ORDER BY k;
DROP TABLE t;

-- Several granules.
CREATE TABLE g (k UInt32) ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 10;
INSERT INTO g SELECT 1000 - number FROM numbers(100);
SELECT k, _part_offset, _part_granule_offset FROM g WHERE k % 25 = 0 ORDER BY k;
SELECT k FROM g WHERE _part_offset IN (0, 15, 99) ORDER BY k;
SELECT sum(_part_offset), max(_part_granule_offset) FROM g;
SELECT k, _part_offset FROM g ORDER BY k DESC LIMIT 3;
SELECT _part_offset FROM g WHERE k = 950;
DROP TABLE g;

-- With FINAL they are those of the row that stays.
CREATE TABLE r (k UInt32, v UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY k;
SYSTEM STOP MERGES r;
INSERT INTO r VALUES (1, 1), (2, 5);
INSERT INTO r VALUES (1, 3), (2, 4);
SELECT k, v, _part FROM r FINAL ORDER BY k;
SELECT k, _part_offset FROM r FINAL ORDER BY k;
DROP TABLE r;

-- A column of the table hides the virtual one.
CREATE TABLE u (k UInt8, _part String) ENGINE = MergeTree ORDER BY k;
INSERT INTO u VALUES (1, 'x');
SELECT _part, _partition_id FROM u;
SELECT * FROM u;
DROP TABLE u;

CREATE TABLE s (k UInt32) ENGINE = MergeTree ORDER BY k SAMPLE BY k;
INSERT INTO s SELECT number * 4294967 FROM numbers(1000);
SELECT _sample_factor, count(), round(sum(_sample_factor)) FROM s SAMPLE 0.1 GROUP BY _sample_factor;
SELECT _sample_factor, count() FROM s SAMPLE 1/4 OFFSET 1/2 GROUP BY _sample_factor;
SELECT _sample_factor, count() FROM s SAMPLE 100 GROUP BY _sample_factor;
SELECT _sample_factor, count() FROM s SAMPLE 5000 GROUP BY _sample_factor;
SELECT _sample_factor, count() FROM s GROUP BY _sample_factor;
DROP TABLE s;
SELECT _part FROM numbers(1); -- { serverError UNKNOWN_IDENTIFIER }
