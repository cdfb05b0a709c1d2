-- A column of states that an INSERT does not give holds the state of no rows.
CREATE TABLE t (k UInt8, s AggregateFunction(sum, UInt8), u AggregateFunction(uniq, String), q AggregateFunction(quantiles(0.5, 0.9), Float64)) ENGINE = Memory;
INSERT INTO t (k) VALUES (1);
INSERT INTO t (k, s) SELECT 2, sumState(toUInt8(number)) FROM numbers(4);
SELECT k, finalizeAggregation(s), finalizeAggregation(u) FROM t ORDER BY k;
SELECT sumMerge(s), uniqMerge(u) FROM t;
