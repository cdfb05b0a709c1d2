-- { configs: default }
-- Projections that hold positions, and settings of projections.
CREATE TABLE t (a UInt32, b UInt32, c String,
    PROJECTION p (SELECT _part_offset ORDER BY b),
    PROJECTION q INDEX c TYPE basic,
    PROJECTION r INDEX (b, c) TYPE basic WITH SETTINGS (index_granularity = 16))
ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 64;
SHOW CREATE TABLE t FORMAT TSVRaw;
INSERT INTO t SELECT number, 1000 - number, toString(number) FROM numbers(1000);
SELECT a FROM t WHERE b = 77;
SELECT a, b FROM t WHERE c = '77';
SELECT a, c FROM t WHERE _part_offset IN (SELECT _part_offset FROM t WHERE b < 3) ORDER BY a;
ALTER TABLE t ADD PROJECTION s (SELECT a, b ORDER BY b) WITH SETTINGS (index_granularity = 128, index_granularity_bytes = 4096);
ALTER TABLE t ADD PROJECTION s INDEX b TYPE basic; -- { serverError ILLEGAL_PROJECTION }
ALTER TABLE t ADD PROJECTION x INDEX b TYPE minmax; -- { serverError INCORRECT_QUERY }
ALTER TABLE t ADD PROJECTION x INDEX b TYPE commit_order; -- { serverError BAD_ARGUMENTS }
ALTER TABLE t ADD PROJECTION x INDEX nothing TYPE basic; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE t ADD PROJECTION x INDEX rand() TYPE basic; -- { serverError BAD_ARGUMENTS }
ALTER TABLE t ADD PROJECTION x (SELECT a ORDER BY b) WITH SETTINGS (foo = 1); -- { serverError UNKNOWN_SETTING }
ALTER TABLE t ADD PROJECTION IF NOT EXISTS s INDEX b TYPE basic;
SELECT name, type, sorting_key, query, `settings` FROM system.projections
WHERE database = currentDatabase() AND table = 't' ORDER BY name;
ALTER TABLE t MATERIALIZE PROJECTION s SETTINGS mutations_sync = 2;
SELECT a FROM t WHERE b = 78;
SELECT count() FROM t WHERE b BETWEEN 10 AND 400;
ALTER TABLE t DROP COLUMN c; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE t DROP PROJECTION q, DROP PROJECTION r;
ALTER TABLE t DROP COLUMN c;
ALTER TABLE t CLEAR PROJECTION p SETTINGS mutations_sync = 2;
ALTER TABLE t DELETE WHERE b = 5 SETTINGS mutations_sync = 2;
SELECT count(), sum(a), sum(b) FROM t WHERE b < 100;
OPTIMIZE TABLE t FINAL;
SELECT count(), sum(a), sum(b) FROM t WHERE b < 100;
SHOW CREATE TABLE t FORMAT TSVRaw;
CREATE TABLE no (a UInt32, b UInt32, PROJECTION p (SELECT _part_offset ORDER BY b)) ENGINE = MergeTree ORDER BY a SETTINGS allow_part_offset_column_in_projections = 0; -- { serverError BAD_ARGUMENTS }
CREATE TABLE g (k UInt32, v UInt32, PROJECTION p (SELECT _part_offset, k ORDER BY v)) ENGINE = ReplacingMergeTree ORDER BY k SETTINGS deduplicate_merge_projection_mode = 'rebuild';
INSERT INTO g VALUES (1, 2), (2, 1);
INSERT INTO g VALUES (1, 3);
SELECT * FROM g FINAL WHERE v > 1 ORDER BY k;
CREATE TABLE c AS t;
SHOW CREATE TABLE c FORMAT TSVRaw;
DETACH TABLE t;
ATTACH TABLE t;
SELECT name, `settings` FROM system.projections WHERE database = currentDatabase() AND table = 't' ORDER BY name;
