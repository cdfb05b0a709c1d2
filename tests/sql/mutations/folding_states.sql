-- Mutations of a table of aggregate states.
CREATE TABLE g (k UInt32, m SimpleAggregateFunction(max, UInt64), u AggregateFunction(uniq, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k;
INSERT INTO g SELECT number % 3, number, uniqState(number) FROM numbers(30) GROUP BY number;
DELETE FROM g WHERE k = 1;
SELECT k, max(m), uniqMerge(u) FROM g GROUP BY k ORDER BY k;
SELECT k, m FROM g FINAL ORDER BY k;
ALTER TABLE g UPDATE m = 1000 WHERE k = 2;
OPTIMIZE TABLE g FINAL;
SELECT k, m, finalizeAggregation(u) FROM g ORDER BY k;
DROP TABLE g;

