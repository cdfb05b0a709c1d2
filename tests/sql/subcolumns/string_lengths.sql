-- { largeBlocks }
-- Conditions and functions that need only the lengths of strings.
CREATE TABLE texts (n UInt64, plain String, coded String, same String, maybe Nullable(String), low LowCardinality(String)) ENGINE = MergeTree ORDER BY n;
INSERT INTO texts SELECT number, if(number % 7 = 0, '', repeat(char(97 + number % 26), number % 50) || toString(cityHash64(number))), if(number % 3 = 0, '', toString(number % 90)), 'constant', if(number % 5 = 0, NULL, toString(number % 11)), toString(number % 4) FROM numbers(30000);
SELECT sum(length(plain)), sum(length(coded)), sum(length(same)), sum(length(maybe)), sum(length(low)) FROM texts;
SELECT count() FROM texts WHERE plain != '';
SELECT count() FROM texts WHERE '' = coded;
SELECT count(), sum(length(plain)) FROM texts WHERE notEmpty(plain) AND empty(coded);
SELECT count(), sum(length(coded)), max(coded) FROM texts WHERE coded != '' AND length(coded) = 1;
SELECT n % 3 AS k, avg(length(coded)) AS l, count() AS c FROM texts WHERE coded <> '' GROUP BY k ORDER BY k;
SELECT n, length(plain), plain = '' FROM texts WHERE n < 9 ORDER BY n;
SELECT n, length(plain) FROM texts WHERE plain = '' ORDER BY n LIMIT 3;
OPTIMIZE TABLE texts FINAL;
SELECT sum(length(plain)), sum(length(coded)), sum(length(same)) FROM texts;
ALTER TABLE texts UPDATE coded = 'x' WHERE n % 2 = 0 SETTINGS mutations_sync = 2;
ALTER TABLE texts ADD COLUMN later String DEFAULT repeat('a', n % 3);
SELECT sum(length(coded)), sum(length(later)), countIf(later = '') FROM texts;
SELECT count() FROM texts WHERE later = '';
SELECT count() FROM texts WHERE later = '' AND later < 'b';
DROP TABLE texts;
