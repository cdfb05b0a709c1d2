-- { echoOn }
CREATE TABLE c (a UInt64 CODEC(Delta, LZ4), b String CODEC(ZSTD(3)), c DateTime('UTC') CODEC(DoubleDelta), d Float64 CODEC(Gorilla, ZSTD), e Int32 CODEC(T64, LZ4), f UInt8 CODEC(NONE), g String CODEC(LZ4HC(9)), h Array(UInt32) CODEC(Delta, ZSTD)) ENGINE = MergeTree ORDER BY a;
INSERT INTO c SELECT number, repeat(toString(number % 10), 5), toDateTime(1700000000 + number * 60, 'UTC'), number / 4, toInt32(number % 100) - 50, number % 2, toString(cityHash64(number)), range(number % 5) FROM numbers(20000);
SELECT count(), sum(a), uniqExact(b), min(c), max(c), sum(d), sum(e), sum(f), uniqExact(g), sum(length(h)) FROM c;
SELECT * FROM c WHERE a IN (0, 8191, 8192, 19999) ORDER BY a;
SELECT sum(cityHash64(a, b, c, d, e, f, g)) FROM c;
SELECT count() FROM c WHERE d > 100 AND d < 101;
CREATE TABLE k0 (a UInt8 CODEC(NoSuch)) ENGINE = MergeTree ORDER BY a; -- { serverError UNKNOWN_CODEC }
CREATE TABLE k1 (a String CODEC(Delta)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE const (a UInt64, b String, c Nullable(UInt8), d Int64) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO const SELECT 7, 'same', NULL, -1 FROM numbers(30000);
SELECT count(), sum(a), min(b), max(b), count(c), sum(d) FROM const;
CREATE TABLE sparse (k UInt32, a UInt64, b String) ENGINE = MergeTree ORDER BY k;
INSERT INTO sparse SELECT number, if(number % 100 = 0, number, 0), if(number % 250 = 0, toString(number), '') FROM numbers(20000);
SELECT count(), sum(a), countIf(a != 0), countIf(b != ''), uniqExact(b) FROM sparse;
SELECT count() FROM sparse WHERE a = 0;
SELECT count() FROM sparse WHERE b = '';
SELECT k, a, b FROM sparse WHERE b != '' AND a > 19000 ORDER BY k;
CREATE TABLE mono (k UInt64, t DateTime('UTC'), neg Int64, lowcard String, wide UInt64) ENGINE = MergeTree ORDER BY k;
INSERT INTO mono SELECT number * 3, toDateTime(1600000000 + intDiv(number, 3), 'UTC'), -number * 1000, ['alpha', 'beta', 'gamma', ''][number % 4 + 1], cityHash64(number) FROM numbers(20000);
SELECT sum(k), max(t), min(neg), sum(wide % 1000), count() FROM mono;
SELECT lowcard, count(), max(k) FROM mono GROUP BY lowcard ORDER BY lowcard;
SELECT count() FROM mono WHERE lowcard = 'beta' AND k % 2 = 0;
SELECT count() FROM mono WHERE lowcard IN ('beta', 'gamma') AND t >= '2020-09-13 12:30:00';
SELECT k, t FROM mono WHERE k >= 24570 AND k < 24582 ORDER BY k;
SELECT k FROM mono WHERE wide = cityHash64(12345);
