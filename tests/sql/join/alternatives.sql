-- Joins on an OR of equalities: a pair that several branches find counts once.

CREATE TABLE a (id UInt32, x Nullable(UInt8), y String, z Int64) ENGINE = Memory;
CREATE TABLE b (id UInt32, x Nullable(UInt8), y String, z Int64) ENGINE = Memory;
INSERT INTO a SELECT number, if(number % 5 = 2, NULL, number % 6), concat('s', toString(number % 8)), number % 4 FROM numbers(24);
INSERT INTO b SELECT number, if(number % 7 = 3, NULL, number % 9), concat('s', toString(number % 11)), number % 10 FROM numbers(18);

SELECT count(), sum(a.id), sum(b.id) FROM a JOIN b ON a.x = b.x OR a.y = b.y;
SELECT a.id, b.id FROM a JOIN b ON (a.x = b.x AND a.z = b.z) OR (a.y = b.y AND a.id < b.id) ORDER BY a.id, b.id;
SELECT count(), sum(a.id), sum(b.id) FROM a LEFT JOIN b ON a.x = b.x OR a.y = b.y;
SELECT count(), sum(a.id), sum(b.id) FROM a RIGHT JOIN b ON a.x = b.x OR a.z = b.z;
SELECT count(), sum(a.id), sum(b.id) FROM a FULL JOIN b ON a.x = b.x OR a.y = b.y;
SELECT a.id FROM a SEMI LEFT JOIN b ON a.x = b.x OR a.y = b.y ORDER BY a.id;
SELECT a.id FROM a ANTI LEFT JOIN b ON a.x = b.x OR a.y = b.y ORDER BY a.id;
SELECT b.id FROM a ANTI RIGHT JOIN b ON a.x = b.x OR a.y = b.y ORDER BY b.id;
SELECT a.id FROM a ANY LEFT JOIN b ON a.x = b.x OR a.y = b.y ORDER BY a.id LIMIT 6;
SELECT count(), sum(a.id), sum(b.id) FROM a JOIN b ON a.x = b.z OR a.y = b.y OR a.id = b.id;
SELECT count(), sum(a.id), sum(b.id) FROM a, b WHERE a.x = b.x OR a.y = b.y;
SELECT count(), sum(a.id), sum(b.id) FROM a, b WHERE (a.x = b.x OR a.y = b.y) AND a.id > b.id;
SELECT count() FROM a JOIN b ON a.x = b.x OR a.y = b.y JOIN b AS c ON c.id = b.id OR c.z = a.z;
SELECT count() FROM a JOIN b ON a.x + 1 = b.x OR a.y = concat(b.y, '');
SELECT count() FROM a LEFT JOIN b ON a.x = b.x OR a.y = b.y SETTINGS join_use_nulls = 1;
