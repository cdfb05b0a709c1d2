-- Joins on inequalities, without an equality: ranges, intervals, and values of several types.

CREATE TABLE points (id UInt32, at Nullable(Int32), day Date, word String, f Float64) ENGINE = Memory;
CREATE TABLE spans (id UInt32, low Nullable(Int32), high Nullable(Int32), first Date, last Date, word String, f Float64) ENGINE = Memory;
INSERT INTO points SELECT number, if(number % 9 = 4, NULL, (number * 7) % 50 - 10), toDate('2024-02-20') + (number * 5) % 30, concat('w', toString(number % 10)), if(number % 8 = 3, nan, number / 4) FROM numbers(40);
INSERT INTO spans SELECT number, if(number % 11 = 6, NULL, number * 3 - 12), if(number % 13 = 8, NULL, number * 3 - 12 + number % 5), toDate('2024-02-18') + number * 2, toDate('2024-02-18') + number * 2 + number % 4, concat('w', toString(number % 7), 'x'), if(number % 6 = 5, nan, number / 2) FROM numbers(18);

SELECT count(), sum(p.id), sum(s.id) FROM points AS p JOIN spans AS s ON p.at < s.low;
SELECT count(), sum(p.id), sum(s.id) FROM points AS p JOIN spans AS s ON p.at >= s.high;
SELECT p.id, s.id FROM points AS p JOIN spans AS s ON p.at BETWEEN s.low AND s.high ORDER BY p.id, s.id;
SELECT p.id, s.id FROM points AS p JOIN spans AS s ON s.low > p.at AND s.low <= p.at + 3 ORDER BY p.id, s.id LIMIT 20;
SELECT p.id, s.id FROM points AS p, spans AS s WHERE p.day >= s.first AND p.day <= s.last AND p.id % 2 = s.id % 2 ORDER BY p.id, s.id;
SELECT count(), sum(p.id), sum(s.id) FROM points AS p JOIN spans AS s ON p.word > s.word AND p.at < s.low;
SELECT count(), sum(p.id), sum(s.id) FROM points AS p JOIN spans AS s ON p.f > s.f;
SELECT count(), sum(p.id), sum(s.id) FROM points AS p JOIN spans AS s ON p.f <= s.f AND p.f + 2 > s.f;
SELECT count(), sum(p.id), sum(s.id) FROM points AS p JOIN spans AS s ON toInt64(p.at) < toUInt64(s.id) AND p.id != s.id;
SELECT count() FROM spans AS a JOIN spans AS b ON a.low <= b.high AND a.high >= b.low;
SELECT count() FROM spans AS a JOIN spans AS b ON a.low < b.low AND a.high < b.high AND a.id > 2;
SELECT p.id, s.id, q.id FROM points AS p JOIN spans AS s ON p.at = s.low JOIN points AS q ON q.at > s.low AND q.at < s.high ORDER BY p.id, s.id, q.id;
SELECT count() FROM (SELECT * FROM points WHERE id > 100) AS p JOIN spans AS s ON p.at < s.low;
SELECT count() FROM points AS p JOIN (SELECT * FROM spans WHERE id > 100) AS s ON p.at < s.low;
SELECT id FROM points AS p WHERE EXISTS (SELECT 1 FROM spans AS s WHERE s.low <= p.at AND s.high > p.at) ORDER BY id;
SELECT id FROM points AS p WHERE NOT EXISTS (SELECT 1 FROM spans AS s WHERE s.first > p.day) ORDER BY id;

-- Many rows of each key: the range is a part of them.
CREATE TABLE ticks (sym UInt8, at Nullable(Int32), price Int32) ENGINE = Memory;
CREATE TABLE quotes (sym UInt8, from Nullable(Int32), till Int32, id UInt32) ENGINE = Memory;
INSERT INTO ticks SELECT number % 5, if(number % 37 = 9, NULL, (number * 31) % 600), number % 17 FROM numbers(500);
INSERT INTO quotes SELECT number % 5, if(number % 41 = 3, NULL, number), number + number % 23, number FROM numbers(600);
SELECT count(), sum(price), sum(id) FROM ticks AS t JOIN quotes AS q ON t.sym = q.sym AND t.at >= q.from AND t.at < q.till;
SELECT count(), sum(price), sum(id) FROM ticks AS t LEFT JOIN quotes AS q ON t.sym = q.sym AND t.at BETWEEN q.from AND q.till AND t.price > 3;
SELECT count(), sum(price), sum(id) FROM ticks AS t RIGHT JOIN quotes AS q ON t.sym = q.sym AND q.from > t.at AND q.from <= t.at + 9;
SELECT count(), sum(price), sum(id) FROM ticks AS t FULL JOIN quotes AS q ON t.sym = q.sym AND q.from > t.at AND q.from <= t.at + 9;
SELECT count(), sum(price) FROM ticks AS t SEMI LEFT JOIN quotes AS q ON t.sym = q.sym AND t.at > q.till;
SELECT count(), sum(price) FROM ticks AS t ANTI LEFT JOIN quotes AS q ON t.sym = q.sym AND t.at >= q.from AND t.at <= q.till;
SELECT count(), sum(price) FROM ticks AS t ANY LEFT JOIN quotes AS q ON t.sym = q.sym AND t.at < q.from AND t.at + 6 > q.from;
SELECT count(), sum(id) FROM quotes AS q JOIN ticks AS t ON t.sym = q.sym AND t.at > q.from AND t.price = 1;
