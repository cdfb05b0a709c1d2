-- { largeBlocks }
-- The build side is large, and conditions leave few rows of the left side, which is read first.
CREATE TABLE large (k UInt64, v UInt32) ENGINE = MergeTree ORDER BY v;
CREATE TABLE largest (k Nullable(UInt64), w UInt32, t String) ENGINE = MergeTree ORDER BY w;
INSERT INTO large SELECT number * 7919 % 300007, number % 100 FROM numbers(300000);
INSERT INTO largest SELECT if(number % 10 = 0, NULL, number * 31 % 300011), number % 1000, toString(number % 77) FROM numbers(400000);

SELECT count(), sum(w), sum(v) FROM largest JOIN large ON largest.k = large.k WHERE cityHash64(w) % 1000 < 5;
SELECT count(), sum(w), sum(v) FROM largest LEFT JOIN large ON largest.k = large.k WHERE cityHash64(w) % 1000 < 5;
SELECT count(), sum(w), sum(v) FROM largest LEFT JOIN (SELECT * FROM large) AS l ON largest.k = l.k WHERE cityHash64(t) % 10 < 8;
SELECT count(), sum(w) FROM largest LEFT ANTI JOIN large ON largest.k = large.k WHERE cityHash64(w) % 100 < 3;
SELECT count(), sum(w) FROM largest LEFT SEMI JOIN large ON largest.k = large.k WHERE cityHash64(w) % 100 < 3;
SELECT count(), sum(w) FROM largest JOIN large ON largest.k = large.k WHERE cityHash64(w) = 5;
SELECT count() FROM (SELECT w FROM largest JOIN large ON largest.k = large.k WHERE cityHash64(w) % 10 < 8 LIMIT 3);
