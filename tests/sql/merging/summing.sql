-- SummingMergeTree: numbers outside the keys are summed; rows of zeros disappear.
CREATE TABLE t (k UInt8, a Int64, b Nullable(Float64), s String, d Date) ENGINE = SummingMergeTree ORDER BY k;
INSERT INTO t VALUES (1, 1, NULL, 'x', '2020-01-01'), (1, 2, 3.5, 'y', '2020-01-02'), (2, 5, NULL, 'z', '2020-01-01'), (2, -5, NULL, 'q', '2020-01-01'), (3, 0, 0, 'q', '2020-01-01');
SELECT * FROM t ORDER BY k;
INSERT INTO t VALUES (1, -3, -3.5, 'x', '2020-01-01'), (3, 0, NULL, '', '2020-01-01'), (4, 1, 1, 'n', '2020-01-01');
SELECT * FROM t FINAL ORDER BY k;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY k;
DROP TABLE t;
CREATE TABLE t (k UInt8, a Int64, b UInt8, s String) ENGINE = SummingMergeTree((a)) ORDER BY k;
INSERT INTO t VALUES (1, 1, 200, 'x'), (1, 2, 100, 'y'), (2, 0, 3, '');
SELECT * FROM t ORDER BY k;
INSERT INTO t VALUES (1, -3, 200, 'x');
SELECT k, a, b FROM t FINAL;
OPTIMIZE TABLE t FINAL;
SELECT count() FROM t;
DROP TABLE t;
CREATE TABLE t (k UInt8, l LowCardinality(String), e Enum8('a' = 1), dec Decimal(9, 2), b Bool, p UInt8, u UInt8) ENGINE = SummingMergeTree ORDER BY k PARTITION BY p;
INSERT INTO t VALUES (1, 'l', 'a', 1.5, true, 7, 200), (1, 'm', 'a', 1.5, true, 7, 100);
SELECT * FROM t;
DROP TABLE t;
CREATE TABLE t (k UInt8, a Int64, b UInt8, s SimpleAggregateFunction(max, String), u AggregateFunction(sum, UInt8)) ENGINE = SummingMergeTree ORDER BY k;
INSERT INTO t SELECT 1, 1, 200, toString(number), sumState(toUInt8(number)) FROM numbers(3) GROUP BY number;
INSERT INTO t SELECT 2, 0, 0, '', sumState(toUInt8(0));
SELECT k, a, b, s, finalizeAggregation(u) FROM t ORDER BY k;
DROP TABLE t;
CREATE TABLE t (k UInt8, a Int8) ENGINE = SummingMergeTree(k) ORDER BY k; -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (k UInt8, a Int8) ENGINE = SummingMergeTree(zz) ORDER BY k; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
