-- SimpleAggregateFunction in the key, partitions, definitions that are refused.
CREATE TABLE t (k SimpleAggregateFunction(max, String), v SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k; -- { serverError DATA_TYPE_CANNOT_BE_USED_IN_KEY }
SET allow_suspicious_primary_key = 1;
CREATE TABLE t (k SimpleAggregateFunction(max, String), l LowCardinality(String), d Date, v SimpleAggregateFunction(sum, UInt64), a SimpleAggregateFunction(anyLast, Nullable(String))) ENGINE = AggregatingMergeTree PARTITION BY d PRIMARY KEY (k) ORDER BY (k, l);
INSERT INTO t VALUES ('a', 'x', '2020-01-01', 1, 'p'), ('a', 'x', '2020-01-01', 2, NULL), ('a', 'y', '2020-01-02', 3, 'q'), ('b', 'x', '2020-01-01', 4, NULL);
INSERT INTO t VALUES ('a', 'x', '2020-01-01', 10, 'r'), ('a', 'x', '2020-01-02', 20, 's'), ('c', '', '2020-01-03', 30, NULL);
SELECT k, l, v, a FROM t FINAL ORDER BY k, l;
SELECT k, l, d, v, a FROM t FINAL WHERE l = 'x' ORDER BY k, l;
OPTIMIZE TABLE t FINAL;
SELECT k, l, d, v, a FROM t ORDER BY k, l, d;
SELECT k, sum(v) FROM t FINAL GROUP BY k ORDER BY k;
SELECT toTypeName(k), toTypeName(v) FROM t LIMIT 1;
DROP TABLE t;
CREATE TABLE t (k UInt8, s SimpleAggregateFunction(sum, UInt8)) ENGINE = AggregatingMergeTree ORDER BY k; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (k UInt8, s AggregateFunction(sum, UInt8)) ENGINE = AggregatingMergeTree ORDER BY s; -- { serverError DATA_TYPE_CANNOT_BE_USED_IN_KEY }
CREATE TABLE t (k UInt8, s UInt8) ENGINE = AggregatingMergeTree(s) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE t (k UInt8, p UInt8, f String, s SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k PARTITION BY p; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (k UInt8, p UInt8, f String, s SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY k PARTITION BY p SETTINGS allow_dimensions_outside_sorting_key = 1;
INSERT INTO t VALUES (1, 1, 'a', 1), (1, 1, 'b', 2);
SELECT * FROM t;
DROP TABLE t;
CREATE TABLE t (k UInt8) ENGINE = MergeTree ORDER BY k;
SELECT * FROM t FINAL; -- { serverError ILLEGAL_FINAL }
SELECT * FROM t SETTINGS final = 1;
SELECT * FROM (SELECT 1) FINAL; -- { serverError UNSUPPORTED_METHOD }
SELECT * FROM numbers(3) FINAL; -- { serverError ILLEGAL_FINAL }
DROP TABLE t;
-- The key is an expression.
CREATE TABLE t (n UInt32, s String, v SimpleAggregateFunction(sum, UInt64)) ENGINE = AggregatingMergeTree ORDER BY (n % 3, lower(s));
INSERT INTO t SELECT 5, if(number % 2, 'A', 'a'), 1 FROM numbers(4);
INSERT INTO t SELECT 2, if(number % 2, 'B', 'a'), 1 FROM numbers(4);
SELECT n, s, v FROM t FINAL ORDER BY ALL;
OPTIMIZE TABLE t FINAL;
SELECT n, s, v FROM t ORDER BY ALL;
DROP TABLE t;
