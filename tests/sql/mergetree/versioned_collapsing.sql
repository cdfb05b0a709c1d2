-- { configs: default }
-- VersionedCollapsingMergeTree: rows cancel each other if keys and versions are equal.

CREATE TABLE v (k UInt32, x UInt32, s Int8, ver UInt8) ENGINE = VersionedCollapsingMergeTree(s, ver) ORDER BY k;
SYSTEM STOP MERGES v;
INSERT INTO v VALUES (1, 1, 1, 1), (1, 2, -1, 1), (1, 3, 1, 2), (1, 4, 1, 2), (2, 1, -1, 1), (2, 2, 1, 1), (3, 1, -1, 1), (4, 1, 1, 1), (4, 2, 1, 1);
SELECT * FROM v ORDER BY k, ver, x;
SELECT * FROM v FINAL ORDER BY k, ver, x;
INSERT INTO v VALUES (4, 3, -1, 1), (3, 5, 1, 1), (1, 9, -1, 2);
INSERT INTO v VALUES (7, 1, -1, 3), (7, 2, 1, 4), (8, 1, 1, 1);
SELECT 'final';
SELECT * FROM v FINAL ORDER BY k, ver, x;
SELECT x FROM v FINAL ORDER BY x;
SELECT count(), sum(s) FROM v FINAL;
SELECT k, x FROM v FINAL WHERE k IN (1, 4) ORDER BY k, x;
SYSTEM START MERGES v;
OPTIMIZE TABLE v FINAL;
SYSTEM STOP MERGES v;
SELECT 'merged';
SELECT * FROM v ORDER BY k, ver, x;
SELECT * FROM v FINAL ORDER BY k, ver, x;
SELECT name, sorting_key, primary_key, engine_full FROM system.tables WHERE database = currentDatabase() AND name = 'v';
SELECT name, is_in_sorting_key, is_in_primary_key FROM system.columns WHERE database = currentDatabase() AND table = 'v' ORDER BY position;
SHOW CREATE TABLE v;
DROP TABLE v;

-- Without optimize_on_insert.
CREATE TABLE w (k UInt32, s Int8, ver Date) ENGINE = VersionedCollapsingMergeTree(s, ver) ORDER BY k;
SYSTEM STOP MERGES w;
INSERT INTO w SETTINGS optimize_on_insert = 0 VALUES (1, 1, '2020-01-01'), (1, -1, '2020-01-01'), (1, 1, '2020-01-01'), (2, -1, '2020-01-01'), (2, -1, '2020-01-01'), (2, 1, '2020-01-02');
SELECT * FROM w ORDER BY ALL;
SELECT * FROM w FINAL ORDER BY ALL;
SELECT rows, level FROM system.parts WHERE database = currentDatabase() AND table = 'w' AND active;
SYSTEM START MERGES w;
OPTIMIZE TABLE w FINAL;
SYSTEM STOP MERGES w;
SELECT * FROM w ORDER BY ALL;
SELECT rows FROM system.parts WHERE database = currentDatabase() AND table = 'w' AND active;
INSERT INTO w VALUES (1, 3, '2020-01-01');
DROP TABLE w;

CREATE TABLE a (k UInt32, s Int8, ver Float64) ENGINE = VersionedCollapsingMergeTree(s, ver) ORDER BY k;
SYSTEM STOP MERGES a;
CREATE TABLE b (k UInt32, s Int8, ver DateTime) ENGINE = VersionedCollapsingMergeTree(s, ver) ORDER BY tuple();
SYSTEM STOP MERGES b;
CREATE TABLE d (k UInt32, s Int8, ver DateTime64(3)) ENGINE = VersionedCollapsingMergeTree(s, ver) ORDER BY (ver, k);
SYSTEM STOP MERGES d;
CREATE TABLE e (k UInt32, s Int8, ver UInt64, n String) ENGINE = VersionedCollapsingMergeTree(s, ver) PRIMARY KEY k ORDER BY (k, n);
SYSTEM STOP MERGES e;
SELECT name, sorting_key, primary_key FROM system.tables WHERE database = currentDatabase() ORDER BY name;
INSERT INTO b VALUES (1, 1, 1), (2, 1, 2), (3, -1, 1);
INSERT INTO b VALUES (4, -1, 2), (5, 1, 3);
SELECT k, s FROM b FINAL ORDER BY k;
SYSTEM START MERGES b;
OPTIMIZE TABLE b FINAL;
SYSTEM STOP MERGES b;
SELECT k, s FROM b ORDER BY k;
INSERT INTO e SELECT number % 10, if(number % 4 = 3, -1, 1), number % 3, toString(number % 2) FROM numbers(60);
INSERT INTO e SELECT number % 10, if(number % 4 = 1, -1, 1), number % 3, toString(number % 2) FROM numbers(60);
SELECT k, n, ver, sum(s) FROM e FINAL GROUP BY k, n, ver ORDER BY k, n, ver;
SELECT count() FROM e FINAL;
SYSTEM START MERGES e;
OPTIMIZE TABLE e FINAL;
SYSTEM STOP MERGES e;
SELECT count(), sum(s) FROM e;
DROP TABLE a;
DROP TABLE b;
DROP TABLE d;
DROP TABLE e;

CREATE TABLE x (k UInt32, s Int8) ENGINE = VersionedCollapsingMergeTree(s) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE x (k UInt32, s Int8, v String) ENGINE = VersionedCollapsingMergeTree(s, v) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE x (k UInt32, s Int8, v UInt8) ENGINE = VersionedCollapsingMergeTree(s, z) ORDER BY k; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
CREATE TABLE x (k UInt32, s Int8, v UInt8) ENGINE = VersionedCollapsingMergeTree(v, s) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE x (k UInt32, s Int8, v UInt8) ENGINE = VersionedCollapsingMergeTree('s', v) ORDER BY k; -- { serverError BAD_ARGUMENTS }
