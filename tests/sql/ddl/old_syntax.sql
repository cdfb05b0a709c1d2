-- { configs: default }
CREATE DATABASE q;
USE q;
SET allow_deprecated_syntax_for_merge_tree = 1;
CREATE TABLE o1 (d Date, k UInt32) ENGINE = MergeTree(d, k, 8192);
SELECT engine_full, partition_key, sorting_key, primary_key, sampling_key, create_table_query FROM system.tables WHERE name = 'o1' AND database = 'q';
CREATE TABLE o3 (d Date, k UInt32) ENGINE = MergeTree(d, intHash32(k), (k, intHash32(k)), 8192);
SELECT engine_full, partition_key, sorting_key, primary_key, sampling_key FROM system.tables WHERE name = 'o3' AND database = 'q';
ALTER TABLE o1 ADD COLUMN z UInt8;
SHOW CREATE TABLE o1;
ALTER TABLE o1 MODIFY ORDER BY (k, z); -- { serverError BAD_ARGUMENTS }
ALTER TABLE o1 MODIFY SETTING parts_to_throw_insert = 100; -- { serverError BAD_ARGUMENTS }
SHOW CREATE TABLE o1;
ALTER TABLE o1 MODIFY TTL d + INTERVAL 1 DAY; -- { serverError BAD_ARGUMENTS }
CREATE TABLE o5 (d Date, k UInt32) ENGINE = MergeTree(d, k, 8192) SETTINGS index_granularity = 1; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE o6 (d Date, k UInt32) ENGINE = MergeTree(d, k, 8192) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE o7 (d Date, k UInt32) ENGINE = MergeTree(d, tuple(), 8192);
SHOW CREATE TABLE o7;
CREATE TABLE o8 (d Date, k UInt32) ENGINE = MergeTree(d + 1, k, 8192); -- { serverError BAD_ARGUMENTS }
CREATE TABLE o10 (d Date, k UInt32, s Int8) ENGINE = CollapsingMergeTree(d, k, 8192, s);
SHOW CREATE TABLE o10;
CREATE TABLE o11 (d Date, k UInt32, s UInt8) ENGINE = ReplacingMergeTree(d, k, 8192);
CREATE TABLE o12 (d Date, k UInt32, s Int8, v UInt8) ENGINE = VersionedCollapsingMergeTree(d, k, 8192, s, v);
CREATE TABLE o13 (d Date, k UInt32, s UInt8) ENGINE = SummingMergeTree(d, k, 8192, (s));
CREATE TABLE o14 (d Date DEFAULT '2020-01-01', k UInt32) ENGINE = MergeTree(d, k, 64);
INSERT INTO o14 (k) VALUES (1), (2);
SELECT * FROM o14 ORDER BY k;
ALTER TABLE o14 DROP PARTITION 202001;
SELECT count() FROM o14;
CREATE TABLE o15 AS o14;
SHOW CREATE TABLE o15;
DETACH TABLE o14;
ATTACH TABLE o14;
SHOW CREATE TABLE o14;
