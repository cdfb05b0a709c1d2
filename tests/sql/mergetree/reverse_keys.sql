-- { configs: default }
-- ORDER BY ... DESC in the key of a table.

CREATE TABLE k (a UInt8, b String) ENGINE = MergeTree ORDER BY (a DESC, b);
INSERT INTO k VALUES (1, 'a'), (2, 'b'), (2, 'a'), (3, 'c');
SELECT * FROM k ORDER BY a DESC, b;
SHOW CREATE TABLE k;
SELECT sorting_key, primary_key FROM system.tables WHERE database = currentDatabase() AND name = 'k';
INSERT INTO k VALUES (9, 'z'), (0, 'y'), (2, 'b');
OPTIMIZE TABLE k FINAL;
SELECT * FROM k;
SELECT * FROM k WHERE a > 1 AND b < 'c' ORDER BY a, b;
SELECT * FROM k WHERE a = 2 ORDER BY b;
SELECT a FROM k ORDER BY a DESC LIMIT 2;
SELECT a FROM k ORDER BY a LIMIT 2;
SELECT a, count() FROM k GROUP BY a ORDER BY a SETTINGS optimize_aggregation_in_order = 1;
SELECT min(a), max(a), min(b), max(b) FROM k;
DROP TABLE k;

CREATE TABLE k (a UInt8, b String) ENGINE = MergeTree ORDER BY a DESC;
SHOW CREATE TABLE k;
INSERT INTO k SELECT number, toString(number) FROM numbers(10);
OPTIMIZE TABLE k FINAL;
SELECT a FROM k;
DROP TABLE k;
CREATE TABLE k (a UInt8, b String) ENGINE = MergeTree PRIMARY KEY a ORDER BY (a DESC, b DESC) SETTINGS allow_experimental_reverse_key = 1;
SHOW CREATE TABLE k;
INSERT INTO k SELECT number % 5, toString(number) FROM numbers(10);
OPTIMIZE TABLE k FINAL;
SELECT * FROM k;
DROP TABLE k;

-- Many granules and parts; a key that begins ascending.
CREATE TABLE m (a UInt32, b Int32, c Float64) ENGINE = MergeTree ORDER BY (a, b DESC, c) SETTINGS index_granularity = 8;
INSERT INTO m SELECT number % 7, number - 300, -number FROM numbers(600);
INSERT INTO m SELECT number % 11, 300 - number, number / 2 FROM numbers(600);
SELECT count(), sum(a), sum(b), sum(c) FROM m WHERE a = 3;
SELECT count(), sum(b) FROM m WHERE a >= 2 AND a < 5 AND b > 100;
SELECT count(), sum(a) FROM m WHERE b BETWEEN -20 AND 20;
SELECT a, b, c FROM m WHERE a = 10 AND b > 280 ORDER BY a, b DESC, c;
SELECT a, max(b) FROM m GROUP BY a ORDER BY a SETTINGS optimize_aggregation_in_order = 1;
SELECT a FROM m ORDER BY a, b DESC LIMIT 3;
SELECT b FROM m ORDER BY a, b LIMIT 3;
OPTIMIZE TABLE m FINAL;
SELECT a, b, c FROM m LIMIT 5;
SELECT count(), sum(a), sum(b), sum(c) FROM m WHERE a = 3;
SELECT count(), sum(b) FROM m WHERE a >= 2 AND a < 5 AND b > 100;
SELECT count(), sum(a) FROM m WHERE b BETWEEN -20 AND 20;
DROP TABLE m;

-- Engines that fold rows, NULL, NaN and strings.
CREATE TABLE r (a UInt8, b Nullable(String), v UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY (a DESC, b DESC) SETTINGS allow_nullable_key = 1;
INSERT INTO r VALUES (1, 'a', 1), (1, NULL, 1), (1, 'b', 1), (2, NULL, 1), (1, 'prefix-of-sixteen-x', 1), (1, 'prefix-of-sixteen-y', 1);
INSERT INTO r VALUES (1, 'a', 2), (1, NULL, 0), (1, 'prefix-of-sixteen-x', 2), (0, 'q', 1);
SELECT * FROM r FINAL ORDER BY a, b;
OPTIMIZE TABLE r FINAL;
SELECT * FROM r;
DROP TABLE r;
CREATE TABLE f (x Float64, y UInt8) ENGINE = SummingMergeTree ORDER BY x DESC;
INSERT INTO f VALUES (1.5, 1), (-1.5, 2), (0, 3), (-0., 4), (1.5, 5);
INSERT INTO f VALUES (1.5, 1), (-7, 2);
SELECT x + 0, y FROM f FINAL ORDER BY x;
OPTIMIZE TABLE f FINAL;
SELECT x + 0, y FROM f;
DROP TABLE f;
CREATE TABLE s (s FixedString(20), n UInt64, z String) ENGINE = CollapsingMergeTree(sign) ORDER BY (s DESC, n DESC, z); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
CREATE TABLE s (s FixedString(3), n Int64, z String, sign Int8) ENGINE = CollapsingMergeTree(sign) ORDER BY (s DESC, n DESC, z);
INSERT INTO s VALUES ('abc', -5, 'x', 1), ('abc', 5, 'y', 1), ('abd', 1, 'z', 1);
INSERT INTO s VALUES ('abc', -5, 'x', -1), ('abd', 1, 'zz', 1), ('aaa', 0, '', 1);
SELECT * FROM s FINAL ORDER BY ALL;
OPTIMIZE TABLE s FINAL;
SELECT * FROM s;
DROP TABLE s;
