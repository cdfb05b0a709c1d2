-- { fixedEngine }
-- Tables that are looked up by their keys: later queries use what the first one built, and a change of the table shows.

CREATE TABLE facts (id UInt32, k UInt32, s String) ENGINE = Memory;
INSERT INTO facts SELECT number, number % 9, concat('s', toString(number % 4)) FROM numbers(30);
CREATE TABLE one (k UInt32, name String, extra Nullable(UInt8)) ENGINE = Join(ANY, LEFT, k);
CREATE TABLE many (k UInt32, name String) ENGINE = Join(ALL, INNER, k);
CREATE TABLE pairs (k UInt32, s String, name String) ENGINE = Join(ALL, LEFT, k, s);
CREATE TABLE known (k UInt32) ENGINE = Set;
INSERT INTO one SELECT number, concat('n', toString(number)), if(number % 2, NULL, number) FROM numbers(5);
INSERT INTO many SELECT number % 6, concat('n', toString(number)) FROM numbers(12);
INSERT INTO pairs SELECT number % 9, concat('s', toString(number % 4)), toString(number) FROM numbers(18);
INSERT INTO known VALUES (1), (2), (3);

SELECT count(), sum(id), max(name), count(extra) FROM facts ANY LEFT JOIN one USING (k);
SELECT count(), sum(id), max(name), count(extra) FROM facts ANY LEFT JOIN one USING (k);
SELECT id, name FROM facts ANY LEFT JOIN one USING (k) ORDER BY id LIMIT 7;
SELECT count(), sum(id), max(name) FROM facts INNER JOIN many USING (k);
SELECT count(), sum(id), max(name) FROM facts INNER JOIN many USING (k);
SELECT count(), sum(id), max(name) FROM facts AS f ALL LEFT JOIN pairs AS p ON f.k = p.k AND f.s = p.s;
SELECT count(), sum(id), max(name) FROM facts AS f ALL LEFT JOIN pairs AS p ON f.s = p.s AND f.k = p.k;
SELECT count() FROM facts WHERE k IN known;
SELECT count() FROM facts WHERE k IN known;

INSERT INTO one VALUES (7, 'seven', 7);
INSERT INTO many VALUES (8, 'z'), (8, 'zz');
INSERT INTO pairs VALUES (8, 's0', '99');
INSERT INTO known VALUES (4), (5);

SELECT count(), sum(id), max(name), count(extra) FROM facts ANY LEFT JOIN one USING (k);
SELECT count(), sum(id), max(name) FROM facts INNER JOIN many USING (k);
SELECT count(), sum(id), max(name) FROM facts AS f ALL LEFT JOIN pairs AS p ON f.k = p.k AND f.s = p.s;
SELECT count() FROM facts WHERE k IN known;
SELECT count() FROM facts WHERE k NOT IN known;
SELECT count(), sum(id), max(name) FROM facts INNER JOIN many USING (k) WHERE name != 'z';
TRUNCATE TABLE many;
SELECT count(), sum(id), max(name) FROM facts INNER JOIN many USING (k);
TRUNCATE TABLE known;
SELECT count() FROM facts WHERE k IN known;

CREATE DICTIONARY words (k UInt64, word String, size UInt8) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT number AS k, concat(\'w\', toString(number)) AS word, number % 3 AS size FROM numbers(6)')) LAYOUT(FLAT()) LIFETIME(0);
SELECT count(), sum(id), max(word) FROM facts INNER JOIN words ON facts.k = words.k;
SELECT count(), sum(id), max(word) FROM facts INNER JOIN words ON facts.k = words.k;
SELECT count(), sum(id), max(word), sum(size) FROM facts LEFT JOIN words ON facts.k = words.k SETTINGS join_algorithm = 'direct';
SELECT count() FROM facts ANTI LEFT JOIN words ON facts.k = words.k SETTINGS join_algorithm = 'direct';
SELECT count() FROM facts SEMI LEFT JOIN words ON facts.k = words.k SETTINGS join_algorithm = 'direct,hash';
SELECT count() FROM facts RIGHT JOIN words ON facts.k = words.k SETTINGS join_algorithm = 'direct'; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM facts ANY INNER JOIN words ON facts.k = words.k SETTINGS join_algorithm = 'direct'; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM facts INNER JOIN words ON facts.id = words.size SETTINGS join_algorithm = 'direct'; -- { serverError NOT_IMPLEMENTED }
SELECT k, word FROM words WHERE k > 2 ORDER BY k;
SELECT max(k), count(), min(size) FROM words;

CREATE TABLE rocks (k UInt64, name String) ENGINE = EmbeddedRocksDB PRIMARY KEY k;
INSERT INTO rocks SELECT number, concat('r', toString(number)) FROM numbers(5);
SELECT count(), sum(id), max(name) FROM facts INNER JOIN rocks ON facts.k = rocks.k;
INSERT INTO rocks VALUES (3, 'new'), (8, 'eight');
SELECT count(), sum(id), max(name), countIf(name = 'new') FROM facts INNER JOIN rocks ON facts.k = rocks.k;
SELECT count(), sum(id), max(name) FROM rocks INNER JOIN facts ON facts.k = rocks.k WHERE name > 'r2';
