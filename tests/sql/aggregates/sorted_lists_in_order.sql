-- { largeBlocks }
-- The bound of the only group so far says nothing about the groups after it.
CREATE TABLE t (k UInt32, v UInt64) ENGINE = MergeTree ORDER BY k;
INSERT INTO t SELECT intDiv(number, 100000), number FROM numbers(300000);
SELECT k, groupArraySorted(2)(v) FROM t GROUP BY k ORDER BY k SETTINGS optimize_aggregation_in_order = 1, max_threads = 2;
SELECT k, groupArraySorted(2)(v) FROM t GROUP BY k ORDER BY k SETTINGS optimize_aggregation_in_order = 1, max_threads = 1;
DROP TABLE t;
