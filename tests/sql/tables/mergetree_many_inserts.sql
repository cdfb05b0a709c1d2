-- { echoOn }
CREATE TABLE ins (k UInt32, s String) ENGINE = MergeTree ORDER BY k;
INSERT INTO ins VALUES (5, 'e');
INSERT INTO ins VALUES (3, 'c');
INSERT INTO ins VALUES (1, 'a');
INSERT INTO ins VALUES (4, 'd');
INSERT INTO ins VALUES (2, 'b');
SELECT * FROM ins ORDER BY k;
SELECT count(), sum(k), min(s), max(s) FROM ins;
INSERT INTO ins VALUES (3, 'cc');
INSERT INTO ins SELECT number, toString(number) FROM numbers(10, 5);
INSERT INTO ins SELECT number, toString(number) FROM numbers(10, 5);
SELECT k, count() FROM ins GROUP BY k HAVING count() > 1 ORDER BY k;
SELECT count() FROM ins WHERE k >= 10;
INSERT INTO ins SELECT k + 100, upper(s) FROM ins WHERE k < 4;
SELECT * FROM ins WHERE k > 100 ORDER BY k, s;
INSERT INTO ins SELECT * FROM ins WHERE 0;
SELECT count() FROM ins;
INSERT INTO ins VALUES (7, 'ok'), ('bad', 'x'); -- { serverError CANNOT_PARSE_TEXT }
SELECT count() FROM ins WHERE k = 7;
OPTIMIZE TABLE ins FINAL;
SELECT count(), sum(k) FROM ins;
SELECT k, s FROM ins ORDER BY k, s LIMIT 8;
TRUNCATE TABLE ins;
SELECT count() FROM ins;
DROP TABLE ins;
SELECT count() FROM ins; -- { serverError UNKNOWN_TABLE }
