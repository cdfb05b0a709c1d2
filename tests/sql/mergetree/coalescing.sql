-- { fixedEngine }
-- CoalescingMergeTree keeps the last value of each column that is not NULL.

CREATE TABLE c (k UInt32, a Nullable(UInt32), b UInt32, s Nullable(String), t Tuple(x Nullable(UInt8), y UInt8), m Array(UInt8), l LowCardinality(Nullable(String))) ENGINE = CoalescingMergeTree ORDER BY k;
SYSTEM STOP MERGES c;
INSERT INTO c VALUES (1, 1, 1, NULL, (1, 1), [1], 'x'), (1, NULL, 2, 'a', (NULL, 0), [], NULL), (1, 2, 0, NULL, (NULL, 2), [2], 'z'), (2, NULL, 0, NULL, (NULL, 0), [], NULL);
SELECT * FROM c ORDER BY k;
INSERT INTO c (k, a) VALUES (1, 7), (3, 3);
INSERT INTO c (k, s) VALUES (1, 'new'), (2, 'two');
SELECT 'final';
SELECT * FROM c FINAL ORDER BY k;
SELECT s, a FROM c FINAL ORDER BY k;
SELECT k FROM c FINAL WHERE s IS NOT NULL ORDER BY k;
SELECT t.x, k FROM c FINAL ORDER BY k;
SELECT count() FROM c FINAL;
SYSTEM START MERGES c;
OPTIMIZE TABLE c FINAL;
SYSTEM STOP MERGES c;
SELECT 'merged';
SELECT * FROM c ORDER BY k;
SHOW CREATE TABLE c;
DROP TABLE c;

-- Only the columns that are named; others keep the first value.
CREATE TABLE d (k UInt32, a Nullable(UInt32), b Nullable(UInt32), c UInt8) ENGINE = CoalescingMergeTree(a) ORDER BY k;
SYSTEM STOP MERGES d;
INSERT INTO d VALUES (1, 1, NULL, 1), (1, NULL, 2, 0), (1, 2, 0, 2);
INSERT INTO d VALUES (1, NULL, 8, 8);
SELECT * FROM d FINAL;
SELECT * FROM d ORDER BY ALL;
DROP TABLE d;
CREATE TABLE d (k UInt32, a Nullable(UInt32), b Nullable(UInt32), c UInt8) ENGINE = CoalescingMergeTree((a, c)) ORDER BY k;
SYSTEM STOP MERGES d;
INSERT INTO d SETTINGS optimize_on_insert = 0 VALUES (1, 1, NULL, 1), (1, NULL, 2, 0), (1, 2, 0, 2), (2, NULL, NULL, 0), (2, 4, 5, 6);
SELECT * FROM d ORDER BY ALL;
SELECT * FROM d FINAL ORDER BY ALL;
SYSTEM START MERGES d;
OPTIMIZE TABLE d FINAL;
SYSTEM STOP MERGES d;
SELECT * FROM d ORDER BY ALL;
DROP TABLE d;

-- Without a sorting key all rows stay.
CREATE TABLE e (k UInt32, s Nullable(Int8)) ENGINE = CoalescingMergeTree ORDER BY tuple();
SYSTEM STOP MERGES e;
INSERT INTO e VALUES (1, 1), (2, NULL);
INSERT INTO e VALUES (4, NULL);
SELECT * FROM e FINAL ORDER BY ALL;
SYSTEM START MERGES e;
OPTIMIZE TABLE e FINAL;
SYSTEM STOP MERGES e;
SELECT * FROM e ORDER BY ALL;
DROP TABLE e;

-- Aggregate columns are merged, columns of the partition key are not changed.
CREATE TABLE f (k UInt32, p UInt8, a SimpleAggregateFunction(max, UInt8), u AggregateFunction(sum, UInt64), m Map(String, UInt8), d Date, e Enum8('a' = 1, 'b' = 2), f Float64) ENGINE = CoalescingMergeTree PARTITION BY p ORDER BY k;
SYSTEM STOP MERGES f;
INSERT INTO f SELECT 1, 0, 5, sumState(toUInt64(5)), map('a', 1), '2020-01-01', 'a', 1.5;
INSERT INTO f SELECT 1, 0, 3, sumState(toUInt64(6)), map(), '1970-01-01', 'b', 0;
SELECT k, p, a, finalizeAggregation(u), m, d, e, f FROM f FINAL;
SYSTEM START MERGES f;
OPTIMIZE TABLE f FINAL;
SYSTEM STOP MERGES f;
SELECT k, p, a, finalizeAggregation(u), m, d, e, f FROM f;
DROP TABLE f;

CREATE TABLE x (k UInt32, a Nullable(UInt32)) ENGINE = CoalescingMergeTree(k) ORDER BY k; -- { serverError BAD_ARGUMENTS }
CREATE TABLE x (k UInt32, a Nullable(UInt32)) ENGINE = CoalescingMergeTree(z) ORDER BY k; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
CREATE TABLE x (k UInt32, a Nullable(UInt32)) ENGINE = CoalescingMergeTree(a, k) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
