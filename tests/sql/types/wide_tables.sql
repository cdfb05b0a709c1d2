-- { fixedEngine }
-- Integers of 128 and 256 bits in tables.
CREATE TABLE w (k UInt32, a Int128, b UInt128, c Int256, d UInt256, n Nullable(Int256), l Array(UInt256)) ENGINE = MergeTree ORDER BY (c, k) SETTINGS index_granularity = 64;
INSERT INTO w SELECT number, toInt128(number) * toInt128('-1000000000000000000000'), toUInt128(number) + toUInt128('340282366920938463463374607431768211000'), (toInt256(number) - 500) * toInt256('100000000000000000000000000000000000000000000'), toUInt256(-1) - number, if(number % 3 = 0, NULL, toInt256(number)), [toUInt256(number), toUInt256(-1)] FROM numbers(1000);
INSERT INTO w SELECT number + 1000, 5, 6, 7, 8, 9, [] FROM numbers(100);
SELECT count(), min(a), max(a), min(b), max(b), min(c), max(c), min(d), max(d), sum(n) FROM w;
SELECT k, c, d FROM w WHERE c > toInt256('49800000000000000000000000000000000000000000000') ORDER BY c, k;
SELECT k, a FROM w WHERE c = 7 ORDER BY k LIMIT 2;
SELECT k, l FROM w WHERE c BETWEEN toInt256('-49900000000000000000000000000000000000000000000') AND -1 ORDER BY c LIMIT 2;
SELECT count() FROM w WHERE a < -998000000000000000000000;
SELECT count() FROM w WHERE d > 1e77;
SELECT count() FROM w WHERE b IN (6, toUInt128('340282366920938463463374607431768211001'));
SELECT k FROM w ORDER BY c DESC, k DESC LIMIT 3;
SELECT k, c FROM w ORDER BY c, k LIMIT 3;
OPTIMIZE TABLE w FINAL;
SELECT count(), sum(k), min(c), max(d), countIf(n IS NULL), arraySort(groupUniqArray(length(l))) FROM w;
SELECT name, type FROM system.columns WHERE table = 'w' AND database = currentDatabase() ORDER BY position;
CREATE TABLE p (a Int128) ENGINE = MergeTree ORDER BY a PARTITION BY a;
INSERT INTO p VALUES (5), (-5);
SELECT partition, partition_id FROM system.parts WHERE table = 'p' AND database = currentDatabase() AND active ORDER BY partition;
CREATE TABLE q (a UInt256, b UInt8, c Int256, d UInt128) ENGINE = MergeTree ORDER BY a PARTITION BY (a, b, c, d);
INSERT INTO q VALUES (5, 1, -2, 3), (115792089237316195423570985008687907853269984665640564039457584007913129639935, 1, -2, 3);
SELECT partition, partition_id FROM system.parts WHERE table = 'q' AND database = currentDatabase() AND active ORDER BY partition;
CREATE TABLE r (k Int256, v UInt64) ENGINE = MergeTree ORDER BY k PARTITION BY k % 3;
INSERT INTO r SELECT number, number FROM numbers(7);
SELECT k, v FROM r ORDER BY k;
CREATE TABLE s (k Int128, a Int128, b UInt256, c UInt128) ENGINE = SummingMergeTree ORDER BY k;
INSERT INTO s VALUES (1, 1, 2, 3), (1, -5, 115792089237316195423570985008687907853269984665640564039457584007913129639935, 1), (2, 0, 0, 0), (3, 1, -1, 0);
SELECT * FROM s ORDER BY k;
CREATE TABLE v (k UInt256, v UInt128, x String) ENGINE = ReplacingMergeTree(v) ORDER BY k;
INSERT INTO v VALUES (1, 2, 'b'), (1, 340282366920938463463374607431768211455, 'c'), (1, 1, 'a'), (2, 1, 'z');
INSERT INTO v VALUES (1, 7, 'd');
SELECT * FROM v FINAL ORDER BY k;
CREATE TABLE g (k UInt8, m AggregateFunction(max, UInt256), t SimpleAggregateFunction(sum, Int128)) ENGINE = AggregatingMergeTree ORDER BY k;
INSERT INTO g SELECT 1, maxState(toUInt256(number)), 5 FROM numbers(3);
INSERT INTO g SELECT 1, maxState(toUInt256(-1)), -7 FROM numbers(3);
SELECT k, maxMerge(m), sum(t) FROM g GROUP BY k;
CREATE TABLE x (a UInt256 CODEC(Delta, LZ4)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE x (a Int128 CODEC(T64)) ENGINE = MergeTree ORDER BY a; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
CREATE TABLE x (a Int256 CODEC(ZSTD(3)), b UInt128 DEFAULT 7, c Int128 DEFAULT -1) ENGINE = MergeTree ORDER BY a;
INSERT INTO x (a) SELECT toInt256(number) * number FROM numbers(5);
SELECT * FROM x ORDER BY a;
SET allow_suspicious_low_cardinality_types = 1;
CREATE TABLE y (a LowCardinality(Int128), b LowCardinality(Nullable(UInt256))) ENGINE = MergeTree ORDER BY a;
INSERT INTO y SELECT number % 3 - 1, if(number % 2 = 0, NULL, toUInt256(-1)) FROM numbers(6);
SELECT a, b, count() FROM y GROUP BY a, b ORDER BY a, b;
