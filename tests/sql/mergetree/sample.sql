-- { fixedEngine }
-- SAMPLE BY and SELECT ... SAMPLE: shares, numbers of rows, offsets.

CREATE TABLE s (k UInt32, h UInt32) ENGINE = MergeTree ORDER BY (k, intHash32(h)) SAMPLE BY intHash32(h);
INSERT INTO s SELECT number % 10, number FROM numbers(1000);
SELECT count(), sum(h) FROM s SAMPLE 0.1;
SELECT count(), sum(h) FROM s SAMPLE 1/10;
SELECT count(), sum(h) FROM s SAMPLE 1/10 OFFSET 1/2;
SELECT count(), sum(h) FROM s SAMPLE 0.1 OFFSET 0.9;
SELECT count(), sum(h) FROM s SAMPLE 0.0123456789;
SELECT count(), sum(h) FROM s SAMPLE 1/3 OFFSET 1/3;
SELECT count(), sum(h) FROM s SAMPLE 100;
SELECT count(), sum(h) FROM s SAMPLE 100 OFFSET 0.5;
SELECT count(), sum(h) FROM s SAMPLE 2000;
SELECT count(), sum(h) FROM s SAMPLE 1;
SELECT count(), sum(h) FROM s SAMPLE 0;
SELECT count(), sum(h) FROM s SAMPLE 0.5 OFFSET 0.9;
SELECT count(), sum(h) FROM s SAMPLE 0.5 OFFSET 2;
SELECT count(), sum(h) FROM s SAMPLE 3/2;
SELECT count(), sum(h) FROM s SAMPLE 100 WHERE k = 1;
SELECT count(), sum(h) FROM s AS t SAMPLE 0.2 WHERE t.k < 5;
SELECT count(), sum(h) FROM s SAMPLE 0.2 PREWHERE h > 500;
SELECT h FROM s SAMPLE 0.02 ORDER BY h;
SELECT k, count() FROM s SAMPLE 0.3 GROUP BY k ORDER BY k;
SELECT count(), sum(a.h) FROM s AS a SAMPLE 0.1 INNER JOIN s AS b SAMPLE 0.5 ON a.h = b.h;
SELECT sum(c) FROM (SELECT count() AS c FROM s SAMPLE 0.1 UNION ALL SELECT count() FROM s SAMPLE 0.1 OFFSET 0.1);
SELECT count() FROM s WHERE h IN (SELECT h FROM s SAMPLE 0.25);
SELECT name, sampling_key FROM system.tables WHERE database = currentDatabase() AND name = 's';
SELECT name, is_in_sampling_key FROM system.columns WHERE database = currentDatabase() AND table = 's' ORDER BY position;
SHOW CREATE TABLE s;
DROP TABLE s;

-- All types of keys, plain columns, and engines that fold rows.
CREATE TABLE a (k UInt8) ENGINE = MergeTree ORDER BY k SAMPLE BY k;
INSERT INTO a SELECT number FROM numbers(256);
SELECT count(), min(k), max(k) FROM a SAMPLE 0.1;
SELECT count(), min(k), max(k) FROM a SAMPLE 0.1 OFFSET 0.5;
SELECT count(), min(k), max(k) FROM a SAMPLE 1/256;
SELECT count(), min(k), max(k) FROM a SAMPLE 10 OFFSET 1/256;
DROP TABLE a;
CREATE TABLE a (k UInt16) ENGINE = MergeTree ORDER BY k SAMPLE BY (k);
INSERT INTO a SELECT number FROM numbers(65536);
SELECT count(), min(k), max(k) FROM a SAMPLE 0.001;
SELECT count(), min(k), max(k) FROM a SAMPLE 0.3 OFFSET 0.001;
DROP TABLE a;
CREATE TABLE a (p UInt8, u UInt64, v UInt8) ENGINE = ReplacingMergeTree(v) PARTITION BY p ORDER BY (p, u) SAMPLE BY u SETTINGS index_granularity = 16;
INSERT INTO a SELECT number % 2, sipHash64(number % 300), number % 100 FROM numbers(600);
INSERT INTO a SELECT number % 2, sipHash64(number % 300), number % 101 FROM numbers(600);
SELECT count(), sum(v) FROM a SAMPLE 0.25;
SELECT count(), sum(v) FROM a FINAL SAMPLE 0.25;
SELECT count(), sum(v) FROM a FINAL SAMPLE 0.5 OFFSET 0.5;
SELECT count(), sum(v) FROM a FINAL SAMPLE 1/3 WHERE v > 50;
SELECT p, count() FROM a FINAL SAMPLE 0.5 GROUP BY p ORDER BY p;
DROP TABLE a;

CREATE TABLE x (k UInt32, h UInt32) ENGINE = MergeTree ORDER BY k SAMPLE BY h; -- { serverError BAD_ARGUMENTS }
CREATE TABLE x (k UInt32, h String) ENGINE = MergeTree ORDER BY (k, h) SAMPLE BY h; -- { serverError ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER }
CREATE TABLE x (k UInt32, h Int32) ENGINE = MergeTree ORDER BY (k, h) SAMPLE BY h; -- { serverError ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER }
CREATE TABLE x (k UInt32, h UInt8) ENGINE = MergeTree PRIMARY KEY k ORDER BY (k, h) SAMPLE BY h; -- { serverError BAD_ARGUMENTS }
CREATE TABLE x (k UInt32, h UInt8) ENGINE = MergeTree ORDER BY (k, h) SAMPLE BY z; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE x (k UInt32, h UInt8) ENGINE = Memory SAMPLE BY h; -- { serverError BAD_ARGUMENTS }
CREATE TABLE x (k UInt32, h UInt32) ENGINE = MergeTree ORDER BY k SAMPLE BY h SETTINGS compatibility_allow_sampling_expression_not_in_primary_key = 1;
INSERT INTO x SELECT number, intHash32(number) FROM numbers(1000);
DROP TABLE x;
CREATE TABLE x (k UInt32, h UInt8) ENGINE = MergeTree ORDER BY k;
SELECT * FROM x SAMPLE 0.1; -- { serverError SAMPLING_NOT_SUPPORTED }
SELECT * FROM numbers(10) SAMPLE 0.1; -- { serverError SAMPLING_NOT_SUPPORTED }
SELECT * FROM (SELECT 1) SAMPLE 0.1; -- { serverError UNSUPPORTED_METHOD }
DROP TABLE x;
