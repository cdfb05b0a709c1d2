-- Many parts of several versions, in partitions, with a key that is an expression.
CREATE TABLE t (d Date, k UInt32, s String) ENGINE = MergeTree PARTITION BY toYYYYMM(d) ORDER BY (k % 10, s) PRIMARY KEY k % 10 SETTINGS index_granularity = 16;
INSERT INTO t SELECT toDate('2021-01-01') + number % 60, number, toString(number % 7) FROM numbers(200);
ALTER TABLE t ADD COLUMN v UInt64 DEFAULT k * 3;
INSERT INTO t SELECT toDate('2021-01-01') + number % 60, number, toString(number % 7), number FROM numbers(200, 100);
ALTER TABLE t ADD COLUMN w String DEFAULT concat(s, '-', toString(v));
INSERT INTO t (d, k, s, w) SELECT toDate('2021-01-01') + number % 60, number, toString(number % 7), 'given' FROM numbers(300, 50);
SELECT count(), sum(v), uniqExact(w) FROM t;
SELECT toYYYYMM(d) AS m, count(), sum(v), min(w), max(w) FROM t GROUP BY m ORDER BY m;
SELECT k, v, w FROM t WHERE k % 10 = 3 AND v > 500 ORDER BY k LIMIT 5;
SELECT k, v, w FROM t WHERE w = '3-30';
SELECT k % 10 AS key, s, sum(v) FROM t GROUP BY key, s ORDER BY key, s LIMIT 5;
SELECT s, w FROM t ORDER BY k % 10, s, k LIMIT 3;
OPTIMIZE TABLE t;
SELECT count(), sum(v), uniqExact(w) FROM t;
OPTIMIZE TABLE t FINAL;
SELECT count(), sum(v), uniqExact(w) FROM t;
SELECT count() FROM system.parts WHERE table = 't' AND active AND database = currentDatabase();
SELECT k, v, w FROM t WHERE w = '3-30';
