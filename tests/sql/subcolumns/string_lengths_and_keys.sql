-- { configs: default }
-- Keys and skipping indices test whole values, although a condition needs only the length.
CREATE TABLE keyed (s String, t String, INDEX i t TYPE set(10) GRANULARITY 1) ENGINE = MergeTree ORDER BY s SETTINGS index_granularity = 100;
INSERT INTO keyed SELECT if(number < 500, '', toString(number)), if(number % 1000 < 10, '', 'x') FROM numbers(5000);
SELECT count(), sum(length(s)) FROM keyed WHERE s = '';
SELECT count() FROM keyed WHERE s = '' SETTINGS force_primary_key = 1;
SELECT count() FROM keyed WHERE t = '' SETTINGS force_data_skipping_indices = 'i';
DROP TABLE keyed;
