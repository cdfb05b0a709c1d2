-- { configs: default }
-- Skipping indices under FINAL: granules with other rows of the same keys are read along.
CREATE TABLE r (k UInt32, v UInt32, s String, INDEX iv v TYPE minmax, INDEX ib s TYPE bloom_filter)
ENGINE = ReplacingMergeTree ORDER BY k SETTINGS index_granularity = 10;
SYSTEM STOP MERGES r;
INSERT INTO r SELECT number, number, concat('a', toString(number)) FROM numbers(100);
INSERT INTO r SELECT number, 1000 + number, concat('b', toString(number)) FROM numbers(50, 10);
INSERT INTO r SELECT number * 10, 2000 + number, concat('c', toString(number)) FROM numbers(10);
SELECT count(), sum(v) FROM r FINAL WHERE v < 60;
SELECT k, v FROM r FINAL WHERE v = 55;
SELECT k, v FROM r FINAL WHERE v = 55 SETTINGS use_skip_indexes_if_final = 0;
SELECT k, v FROM r FINAL WHERE v = 1055;
SELECT k, v, s FROM r FINAL WHERE s = 'a55';
SELECT k, v, s FROM r FINAL WHERE s = 'b55' OR v IN (7, 2003) ORDER BY k;
SELECT k, v, s FROM r FINAL WHERE s IN ('a9', 'c9', 'b50') ORDER BY k;
SELECT k, v FROM r FINAL WHERE v = 1055 SETTINGS force_data_skipping_indices = 'iv';
SELECT k, v FROM r FINAL WHERE k > 3 SETTINGS force_data_skipping_indices = 'iv'; -- { serverError INDEX_NOT_USED }
SELECT k, v FROM r FINAL WHERE v = 1055
SETTINGS force_data_skipping_indices = 'iv', use_skip_indexes_if_final = 0;
-- Without the exact mode an old row comes back.
SELECT k, v FROM r FINAL WHERE v = 55 SETTINGS use_skip_indexes_if_final_exact_mode = 0;
SELECT count() FROM r AS a FINAL INNER JOIN r AS b FINAL ON a.k = b.k WHERE a.v = 1055;
SYSTEM START MERGES r;
ALTER TABLE r UPDATE s = 'z' WHERE k = 33 SETTINGS mutations_sync = 2;
SELECT k, v, s FROM r FINAL WHERE s = 'z';
ALTER TABLE r DELETE WHERE k = 10 SETTINGS mutations_sync = 2;
SELECT k, v FROM r FINAL WHERE v IN (10, 11, 33, 1033, 1050, 50, 2001, 2005) ORDER BY k;
-- A deleted row hides older ones.
CREATE TABLE d (k UInt32, v UInt32, ver UInt8, gone UInt8, INDEX iv v TYPE minmax)
ENGINE = ReplacingMergeTree(ver, gone) ORDER BY k SETTINGS index_granularity = 5;
SYSTEM STOP MERGES d;
INSERT INTO d SELECT number, number, 1, 0 FROM numbers(50);
INSERT INTO d SELECT number, 900, 2, 1 FROM numbers(20, 3);
INSERT INTO d SELECT number, 500, 0, 0 FROM numbers(30, 3);
SELECT k, v FROM d FINAL WHERE v BETWEEN 19 AND 24 ORDER BY k;
SELECT k, v FROM d FINAL WHERE v = 500;
SELECT k, v FROM d FINAL WHERE v = 900;
-- Rows that collapse.
CREATE TABLE c (k UInt32, v UInt32, sign Int8, INDEX iv v TYPE set(100))
ENGINE = CollapsingMergeTree(sign) ORDER BY k SETTINGS index_granularity = 5;
SYSTEM STOP MERGES c;
INSERT INTO c SELECT number, number, 1 FROM numbers(50);
INSERT INTO c SELECT number, number, -1 FROM numbers(20, 5);
INSERT INTO c SELECT number, number + 100, 1 FROM numbers(20, 5);
SELECT k, v FROM c FINAL WHERE v IN (19, 20, 21, 121, 124, 130) ORDER BY k;
-- What is added up is no value of one row; the other columns are.
CREATE TABLE s (k UInt32, v UInt32, n String, INDEX iv v TYPE minmax, INDEX ix n TYPE set(0))
ENGINE = SummingMergeTree(v) ORDER BY k SETTINGS index_granularity = 5;
SYSTEM STOP MERGES s;
INSERT INTO s SELECT number, number + 1, toString(number) FROM numbers(50);
INSERT INTO s SELECT number, 100, 'x' FROM numbers(20, 5);
SELECT k, v, n FROM s FINAL WHERE n IN ('21', '40') ORDER BY k;
-- Keys of several columns that go on over granules and parts.
CREATE TABLE m (a UInt8, b UInt8, v UInt32, INDEX iv v TYPE minmax)
ENGINE = ReplacingMergeTree PRIMARY KEY a ORDER BY (a, b) SETTINGS index_granularity = 4;
SYSTEM STOP MERGES m;
INSERT INTO m SELECT number % 3, number % 7, number FROM numbers(21);
INSERT INTO m SELECT 1, number, 100 + number FROM numbers(7);
SELECT a, b, v FROM m FINAL WHERE v IN (1, 4, 103, 2, 20) ORDER BY a, b;
