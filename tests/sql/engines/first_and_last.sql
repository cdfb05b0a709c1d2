-- { fixedEngine }
-- Columns of which each group keeps the value of its first or its last row.
CREATE TABLE t (k UInt8, a SimpleAggregateFunction(any, String), l SimpleAggregateFunction(anyLast, String), an SimpleAggregateFunction(any, Nullable(String)), ln SimpleAggregateFunction(anyLast, Nullable(String)), lc SimpleAggregateFunction(anyLast, LowCardinality(String)), m SimpleAggregateFunction(max, UInt8)) ENGINE = AggregatingMergeTree ORDER BY k;
SYSTEM STOP MERGES t;
INSERT INTO t VALUES (1, 'a1', 'l1', NULL, 'ln1', 'lc1', 5), (2, 'a1', 'l1', 'an1', NULL, 'lc1', 1), (3, 'alone', 'alone', NULL, NULL, 'alone', 0);
INSERT INTO t VALUES (1, 'a2', 'l2', 'an2', NULL, 'lc2', 7), (2, 'a2', 'l2', NULL, 'ln2', 'lc2', 0);
INSERT INTO t VALUES (1, 'a3', 'l3', 'an3', NULL, 'lc3', 6);
SELECT * FROM t FINAL ORDER BY k;
SELECT a, l, ln FROM t FINAL WHERE k = 1;
SELECT k, l FROM t FINAL WHERE l > 'l2' ORDER BY k;
SELECT count(), max(length(l)), min(a), max(lc) FROM t FINAL;
SYSTEM START MERGES t;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY k;
DROP TABLE t;

CREATE TABLE t (k UInt8, s UInt64, a SimpleAggregateFunction(any, String), l SimpleAggregateFunction(anyLast, String)) ENGINE = SummingMergeTree ORDER BY k;
SYSTEM STOP MERGES t;
INSERT INTO t VALUES (1, 1, 'a1', 'l1'), (2, 0, 'a1', 'l1'), (3, 3, 'a1', 'l1'), (5, 0, 'x', 'x');
INSERT INTO t VALUES (1, 1, 'a2', 'l2'), (2, 0, 'a2', 'l2'), (4, 3, 'a2', 'l2');
INSERT INTO t VALUES (4, 3, 'a3', 'l3');
SELECT * FROM t FINAL ORDER BY k;
SELECT l FROM t FINAL ORDER BY k;
SYSTEM START MERGES t;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY k;
DROP TABLE t;

CREATE TABLE t (k UInt8, s String, n Nullable(String), a Array(UInt8), v UInt32) ENGINE = CoalescingMergeTree ORDER BY k;
SYSTEM STOP MERGES t;
INSERT INTO t VALUES (1, 's1', 'n1', [1], 0), (2, '', NULL, [], 2);
INSERT INTO t VALUES (1, '', NULL, [], 1), (2, 's2', 'n2', [2, 2], 0);
INSERT INTO t VALUES (1, 's3', NULL, [3], 3);
SELECT * FROM t FINAL ORDER BY k;
SELECT s, a FROM t FINAL ORDER BY k;
SYSTEM START MERGES t;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY k;
DROP TABLE t;
