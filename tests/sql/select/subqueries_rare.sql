-- { echoOn }
CREATE TABLE a (id UInt32, g UInt8, v Int32) ENGINE = Memory;
CREATE TABLE b (id UInt32, name String) ENGINE = Memory;
INSERT INTO a SELECT number, number % 3, toInt32(number) * 10 FROM numbers(10);
INSERT INTO b VALUES (1, 'one'), (3, 'three'), (5, 'five'), (50, 'fifty');
SELECT id FROM a WHERE id IN b; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
SELECT * REPLACE (v + 1 AS v) FROM a WHERE id < 2 ORDER BY id;
SELECT COLUMNS('^[iv]') FROM a WHERE id < 2 ORDER BY id;
SELECT * APPLY(toString) FROM a WHERE id = 3;
SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b) AND id < 1;
SELECT sum(id) FROM a WHERE id GLOBAL IN (SELECT id FROM b);
SELECT id FROM a WHERE (id, g) IN (SELECT id FROM b); -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
