-- Rows of equal keys in parts with and without the column.
CREATE TABLE r (k UInt8, v UInt64) ENGINE = ReplacingMergeTree ORDER BY k;
INSERT INTO r VALUES (1, 1), (3, 30);
INSERT INTO r VALUES (1, 2), (2, 3);
ALTER TABLE r ADD COLUMN w UInt64 DEFAULT v + 5, ADD COLUMN s String DEFAULT concat('s', toString(w));
INSERT INTO r VALUES (2, 9, 9, 'nine');
SELECT * FROM r FINAL ORDER BY k;
SELECT w FROM r FINAL WHERE k = 1;
SELECT k FROM r FINAL WHERE w = 9 ORDER BY k;
SELECT k, s FROM r FINAL PREWHERE w > 6 ORDER BY k;
SELECT count(), sum(w) FROM r FINAL;
OPTIMIZE TABLE r FINAL;
SELECT * FROM r ORDER BY k;
-- A version that a later column cannot be, and a mark.
CREATE TABLE rv (k UInt8, ver UInt32, del UInt8) ENGINE = ReplacingMergeTree(ver, del) ORDER BY k;
INSERT INTO rv VALUES (1, 5, 0), (2, 1, 0);
ALTER TABLE rv ADD COLUMN x UInt64 DEFAULT ver * 100 FIRST;
INSERT INTO rv (k, ver, del, x) VALUES (1, 4, 0, 7), (2, 3, 1, 8), (3, 1, 0, 9);
SELECT * FROM rv FINAL ORDER BY k;
SELECT x FROM rv FINAL ORDER BY x;
OPTIMIZE TABLE rv FINAL;
SELECT * FROM rv FINAL ORDER BY k;
-- Sums: without a list of columns, new numbers are summed as well.
CREATE TABLE s (k UInt8, v UInt64) ENGINE = SummingMergeTree ORDER BY k;
INSERT INTO s VALUES (1, 1), (2, 5);
INSERT INTO s VALUES (1, 2);
ALTER TABLE s ADD COLUMN w UInt64 DEFAULT 5, ADD COLUMN z UInt64 MATERIALIZED v * 10, ADD COLUMN t String DEFAULT toString(v);
SELECT *, z FROM s FINAL ORDER BY k;
INSERT INTO s (k, v, w) VALUES (2, 1, 1);
SELECT *, z FROM s FINAL ORDER BY k;
SELECT k, sum(w) FROM s GROUP BY k ORDER BY k;
OPTIMIZE TABLE s FINAL;
SELECT *, z FROM s ORDER BY k;
CREATE TABLE s1 (k UInt8, v UInt64) ENGINE = SummingMergeTree(v) ORDER BY k;
INSERT INTO s1 VALUES (1, 1);
INSERT INTO s1 VALUES (1, 2);
ALTER TABLE s1 ADD COLUMN w UInt64 DEFAULT 5;
SELECT * FROM s1 FINAL;
-- States.
CREATE TABLE a (k UInt8, v SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k;
INSERT INTO a VALUES (1, 10);
INSERT INTO a VALUES (1, 20), (2, 1);
ALTER TABLE a ADD COLUMN m SimpleAggregateFunction(max, UInt64) DEFAULT v + 1, ADD COLUMN st AggregateFunction(sum, UInt64), ADD COLUMN d String;
SELECT k, v, m, finalizeAggregation(st), d FROM a FINAL ORDER BY k;
INSERT INTO a SELECT 1, 1, 100, sumState(number), 'x' FROM numbers(5);
SELECT k, v, m, finalizeAggregation(st) FROM a FINAL ORDER BY k;
OPTIMIZE TABLE a FINAL;
SELECT k, v, m, finalizeAggregation(st) FROM a ORDER BY k;
