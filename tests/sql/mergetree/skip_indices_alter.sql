-- { configs: default }
-- ADD, MATERIALIZE, CLEAR and DROP INDEX over several parts, and what merges build.
CREATE TABLE t (k UInt32, v UInt32, s String) ENGINE = MergeTree PARTITION BY k % 2 ORDER BY k SETTINGS index_granularity = 8;
INSERT INTO t SELECT number, number * 3, toString(number) FROM numbers(100);
ALTER TABLE t ADD INDEX a v TYPE minmax, ADD INDEX b s TYPE bloom_filter(0.01) GRANULARITY 2;
SELECT name, data_compressed_bytes > 0 FROM system.data_skipping_indices WHERE table = 't' AND database = currentDatabase() ORDER BY name;
SELECT count() FROM t WHERE v = 30 OR s = '77';
INSERT INTO t SELECT number, number * 3, toString(number) FROM numbers(100, 50);
SELECT name, data_compressed_bytes > 0 FROM system.data_skipping_indices WHERE table = 't' AND database = currentDatabase() ORDER BY name;
ALTER TABLE t CLEAR INDEX a SETTINGS mutations_sync = 2;
ALTER TABLE t CLEAR INDEX b IN PARTITION 0 SETTINGS mutations_sync = 2;
SELECT name, data_compressed_bytes > 0 FROM system.data_skipping_indices WHERE table = 't' AND database = currentDatabase() ORDER BY name;
SELECT count() FROM t WHERE v = 30 OR s = '77';
ALTER TABLE t MATERIALIZE INDEX a IN PARTITION 1 SETTINGS mutations_sync = 2;
SELECT name, data_compressed_bytes > 0 FROM system.data_skipping_indices WHERE table = 't' AND database = currentDatabase() ORDER BY name;
ALTER TABLE t MATERIALIZE INDEX b, MATERIALIZE INDEX a SETTINGS mutations_sync = 2;
ALTER TABLE t MATERIALIZE INDEX IF EXISTS nosuch SETTINGS mutations_sync = 2;
SELECT command, is_done FROM system.mutations WHERE table = 't' AND database = currentDatabase() ORDER BY mutation_id, command;
SELECT k FROM t WHERE v = 30 OR s = '77' ORDER BY k;
-- Changes of rows: an index follows its columns.
ALTER TABLE t UPDATE v = 1000000, s = 'new' WHERE k = 10 SETTINGS mutations_sync = 2;
SELECT k FROM t WHERE v = 30 OR s = '77' ORDER BY k;
SELECT k FROM t WHERE v = 1000000 SETTINGS force_data_skipping_indices = 'a';
SELECT k FROM t WHERE s = 'new' SETTINGS force_data_skipping_indices = 'b';
DELETE FROM t WHERE k = 77;
SELECT count() FROM t WHERE s = '77';
OPTIMIZE TABLE t FINAL;
SELECT k FROM t WHERE v = 1000000 OR s = '78' ORDER BY k;
-- A column that parts lack, other types and other names.
ALTER TABLE t ADD COLUMN late String DEFAULT concat('d', toString(k)), ADD INDEX l late TYPE set(0);
ALTER TABLE t MATERIALIZE INDEX l SETTINGS mutations_sync = 2;
SELECT k FROM t WHERE late = 'd31' SETTINGS force_data_skipping_indices = 'l';
ALTER TABLE t RENAME COLUMN late TO later;
SELECT k FROM t WHERE later = 'd31' SETTINGS force_data_skipping_indices = 'l';
ALTER TABLE t MODIFY COLUMN v Int64;
SELECT k FROM t WHERE v = 93;
ALTER TABLE t DROP COLUMN v; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE t DROP INDEX a;
ALTER TABLE t ADD INDEX a v TYPE set(0);
SELECT k FROM t WHERE v = 93 OR v = 96 ORDER BY k;
ALTER TABLE t DROP INDEX b SETTINGS mutations_sync = 2;
SELECT name, type FROM system.data_skipping_indices WHERE table = 't' AND database = currentDatabase() ORDER BY name;
-- Parts that move take their indices along.
CREATE TABLE t2 AS t;
ALTER TABLE t2 ATTACH PARTITION 0 FROM t;
SELECT count() FROM t2 WHERE later = 'd32' SETTINGS force_data_skipping_indices = 'l';
ALTER TABLE t DETACH PARTITION 0;
ALTER TABLE t ATTACH PARTITION 0;
SELECT count() FROM t WHERE later = 'd32';
-- Settings.
CREATE TABLE w (k UInt32, v UInt32, INDEX a v TYPE minmax, INDEX b v TYPE set(0)) ENGINE = MergeTree ORDER BY k;
INSERT INTO w SETTINGS materialize_skip_indexes_on_insert = 0 SELECT number, number FROM numbers(10);
SELECT name, data_compressed_bytes > 0 FROM system.data_skipping_indices WHERE table = 'w' AND database = currentDatabase() ORDER BY name;
INSERT INTO w SETTINGS exclude_materialize_skip_indexes_on_insert = 'b' SELECT number, number FROM numbers(10, 10);
SELECT name, data_compressed_bytes > 0 FROM system.data_skipping_indices WHERE table = 'w' AND database = currentDatabase() ORDER BY name;
OPTIMIZE TABLE w FINAL;
SELECT name, data_compressed_bytes > 0 FROM system.data_skipping_indices WHERE table = 'w' AND database = currentDatabase() ORDER BY name;
SELECT count() FROM w WHERE v = 15;
CREATE TABLE auto (a UInt64, b String, c Date, f Float64, h LowCardinality(String), n Nullable(UInt8), k Decimal(10, 2), x UInt8, INDEX own x TYPE minmax) ENGINE = MergeTree ORDER BY a SETTINGS add_minmax_index_for_numeric_columns = 1, add_minmax_index_for_string_columns = 1;
SELECT name, type, type_full, expr, creation, granularity FROM system.data_skipping_indices WHERE table = 'auto' AND database = currentDatabase() ORDER BY name;
INSERT INTO auto (a, b, f) SELECT number, toString(number), number / 2 FROM numbers(100);
SELECT a FROM auto WHERE b = '31' SETTINGS force_data_skipping_indices = 'auto_minmax_index_b';
ALTER TABLE auto ADD INDEX auto_minmax_index_z b TYPE minmax; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a UInt64, INDEX auto_minmax_index_a a TYPE minmax) ENGINE = MergeTree ORDER BY a SETTINGS add_minmax_index_for_numeric_columns = 1; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a String, INDEX i a TYPE ngrambf_v1(3, 0, 2, 0)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a String, INDEX i a TYPE tokenbf_v1('x', 1, 0)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
SELECT name FROM system.data_skipping_index_types ORDER BY name;
