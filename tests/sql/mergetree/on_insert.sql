-- { configs: default }
-- optimize_on_insert = 0: parts keep rows with equal keys, which FINAL and merges fold.

CREATE TABLE r (k UInt32, v UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY k;
SYSTEM STOP MERGES r;
INSERT INTO r SETTINGS optimize_on_insert = 0 VALUES (1, 1), (1, 3), (1, 2), (2, 5), (2, 5);
SELECT * FROM r ORDER BY k, v;
SELECT * FROM r FINAL ORDER BY k;
SELECT count() FROM r;
SELECT count() FROM r FINAL;
SELECT rows, level FROM system.parts WHERE database = currentDatabase() AND table = 'r' AND active;
INSERT INTO r VALUES (1, 4), (1, 4);
SELECT rows, level FROM system.parts WHERE database = currentDatabase() AND table = 'r' AND active ORDER BY rows;
SELECT * FROM r FINAL ORDER BY k;
SELECT * FROM r FINAL WHERE v > 4 ORDER BY k;
SYSTEM START MERGES r;
OPTIMIZE TABLE r FINAL;
SYSTEM STOP MERGES r;
SELECT * FROM r ORDER BY k, v;
DROP TABLE r;

CREATE TABLE s (k UInt32, v UInt8) ENGINE = SummingMergeTree ORDER BY k SETTINGS index_granularity = 4;
SYSTEM STOP MERGES s;
INSERT INTO s SETTINGS optimize_on_insert = 0 SELECT intDiv(number, 3), number % 5 FROM numbers(30);
SELECT count(), sum(v) FROM s;
SELECT * FROM s FINAL ORDER BY k;
INSERT INTO s SETTINGS optimize_on_insert = 0 SELECT number % 3, 0 FROM numbers(30);
SELECT count(), sum(v) FROM s;
SELECT * FROM s FINAL ORDER BY k;
SYSTEM START MERGES s;
OPTIMIZE TABLE s FINAL;
SYSTEM STOP MERGES s;
SELECT * FROM s ORDER BY k;
DROP TABLE s;

CREATE TABLE a (k UInt32, v AggregateFunction(uniq, UInt8), m SimpleAggregateFunction(min, UInt8)) ENGINE = AggregatingMergeTree ORDER BY k;
SYSTEM STOP MERGES a;
INSERT INTO a SETTINGS optimize_on_insert = 0 SELECT number % 2, initializeAggregation('uniqState', toUInt8(number)), number FROM numbers(10);
SELECT k, finalizeAggregation(v), m FROM a ORDER BY k, m;
SELECT k, finalizeAggregation(v), m FROM a FINAL ORDER BY k, m;
SYSTEM START MERGES a;
OPTIMIZE TABLE a FINAL;
SYSTEM STOP MERGES a;
SELECT k, finalizeAggregation(v), m FROM a ORDER BY k, m;
DROP TABLE a;

-- Rows whose sum is zero are still there.
CREATE TABLE z (k UInt32, v Int8) ENGINE = SummingMergeTree ORDER BY k;
SYSTEM STOP MERGES z;
INSERT INTO z SETTINGS optimize_on_insert = 0 VALUES (1, 0), (2, 1), (2, -1), (3, 3);
SELECT * FROM z ORDER BY k, v;
SELECT * FROM z FINAL ORDER BY k, v;
SYSTEM START MERGES z;
OPTIMIZE TABLE z FINAL;
SYSTEM STOP MERGES z;
SELECT * FROM z ORDER BY k, v;
DROP TABLE z;

CREATE TABLE l (k UInt32, v UInt8) ENGINE = ReplacingMergeTree ORDER BY k;
SYSTEM STOP MERGES l;
INSERT INTO l SETTINGS optimize_on_insert = 0 VALUES (1, 1), (1, 2), (2, 1);
INSERT INTO l VALUES (2, 3), (2, 2);
SELECT * FROM l FINAL ORDER BY k;
SYSTEM START MERGES l;
OPTIMIZE TABLE l FINAL;
SELECT * FROM l ORDER BY k;
DROP TABLE l;

-- A plain MergeTree does not care.
CREATE TABLE m (k UInt32) ENGINE = MergeTree ORDER BY k;
SYSTEM STOP MERGES m;
INSERT INTO m SETTINGS optimize_on_insert = 0 VALUES (1), (1);
SELECT rows, level FROM system.parts WHERE database = currentDatabase() AND table = 'm' AND active;
SELECT * FROM m;
DROP TABLE m;
