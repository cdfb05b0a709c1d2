-- { fixedEngine }
-- Direct joins that ask a table for the keys of the left side: tables with many more rows, and dictionaries that ask their source.

CREATE TABLE facts (id UInt32, k Nullable(UInt64), s String) ENGINE = Memory;
INSERT INTO facts SELECT number, if(number % 4 = 0, NULL, number % 9), concat('s', toString(number % 4)) FROM numbers(30);
CREATE TABLE rocks (k UInt64, name String, n Nullable(UInt8)) ENGINE = EmbeddedRocksDB PRIMARY KEY k;
INSERT INTO rocks SELECT number * 2, concat('r', toString(number)), if(number % 3, NULL, 1) FROM numbers(5000);
SELECT id, name, n FROM facts AS f INNER JOIN rocks ON f.id = rocks.k ORDER BY id LIMIT 3;
SELECT id, name, n FROM facts AS f LEFT JOIN rocks ON f.id = rocks.k ORDER BY id LIMIT 3;
SELECT id, name, n FROM facts AS f LEFT JOIN rocks ON f.id = rocks.k ORDER BY id LIMIT 3 SETTINGS join_use_nulls=1;
SELECT count() FROM facts AS f ANTI LEFT JOIN rocks ON f.id = rocks.k;
SELECT count(), max(name) FROM facts AS f SEMI LEFT JOIN rocks ON f.id = rocks.k;
SELECT count(), max(name) FROM facts AS f ANY LEFT JOIN rocks ON f.k = rocks.k;
CREATE DICTIONARY cached (k UInt64, word String DEFAULT 'dflt', n Nullable(UInt8) DEFAULT NULL) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT number AS k, concat(\'w\', toString(number)) AS word, 1::Nullable(UInt8) AS n FROM numbers(6)')) LAYOUT(CACHE(SIZE_IN_CELLS 100)) LIFETIME(10000);
SELECT countIf(dictHas('cached', number)) FROM numbers(30);
CREATE DICTIONARY asked (k UInt64, s String, word String DEFAULT 'dflt') PRIMARY KEY k, s SOURCE(CLICKHOUSE(QUERY 'SELECT number AS k, concat(\'s\', toString(number%4)) AS s, concat(\'w\', toString(number)) AS word FROM numbers(6)')) LAYOUT(COMPLEX_KEY_DIRECT());
SELECT id, word, n FROM facts AS f LEFT JOIN cached ON f.id = cached.k ORDER BY id DESC LIMIT 27,5 SETTINGS join_algorithm='direct';
SELECT id, word FROM facts AS f LEFT JOIN asked ON f.id = asked.k AND f.s = asked.s ORDER BY id LIMIT 9;
SELECT id, word FROM facts AS f INNER JOIN asked ON f.id = asked.k AND f.s = asked.s ORDER BY id LIMIT 9 SETTINGS join_algorithm='direct'; -- { serverError NOT_IMPLEMENTED }
CREATE TABLE ofasked (word String, s String, k UInt64) ENGINE = Dictionary(asked);
SELECT id, word FROM facts AS f INNER JOIN ofasked AS asked ON f.id = asked.k AND f.s = asked.s ORDER BY id LIMIT 9 SETTINGS join_algorithm='direct'; -- { serverError NOT_IMPLEMENTED }
SELECT * FROM ofasked ORDER BY k LIMIT 2;
SELECT id, n, k FROM facts AS f LEFT JOIN rocks ON f.id = rocks.k ORDER BY id LIMIT 4, 3;
SELECT count(), sum(f.id), max(name), count(n) FROM facts AS f LEFT JOIN rocks ON f.id = rocks.k WHERE f.id > 3;
INSERT INTO rocks VALUES (2, 'new', 7), (3, 'three', NULL);
SELECT id, name, n FROM facts AS f INNER JOIN rocks ON f.id = rocks.k ORDER BY id LIMIT 4;
SELECT count(), max(name) FROM facts AS f SEMI LEFT JOIN rocks ON f.id = rocks.k SETTINGS join_algorithm = 'direct';
SELECT count() FROM facts AS f INNER JOIN cached ON f.k = cached.k;
CREATE TABLE parts (k UInt32, j UInt32, name String) ENGINE = MergeTree ORDER BY (k, j);
INSERT INTO parts SELECT number, number % 3, concat('s', toString(number)) FROM numbers(10);
SELECT count() FROM facts AS f INNER JOIN parts ON f.id = parts.k SETTINGS join_algorithm = 'direct';
SELECT count() FROM facts AS f LEFT JOIN parts ON f.s = parts.name SETTINGS join_algorithm = 'direct';
SELECT count() FROM facts AS f SEMI LEFT JOIN parts ON f.id = parts.j SETTINGS join_algorithm = 'direct';
SELECT count() FROM facts AS f ANTI LEFT JOIN parts ON f.id = parts.j SETTINGS join_algorithm = 'direct';
SELECT count() FROM facts AS f INNER JOIN parts ON f.id = parts.k AND f.s = parts.name SETTINGS join_algorithm = 'direct'; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM facts AS f INNER JOIN parts ON f.id = parts.k + 1 SETTINGS join_algorithm = 'direct'; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM facts AS f RIGHT JOIN parts ON f.id = parts.k SETTINGS join_algorithm = 'direct'; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM facts AS f FULL JOIN parts ON f.id = parts.k SETTINGS join_algorithm = 'direct'; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM parts INNER JOIN facts AS f ON f.id = parts.k SETTINGS join_algorithm = 'direct'; -- { serverError NOT_IMPLEMENTED }
