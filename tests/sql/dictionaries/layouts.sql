-- All layouts give the same answers, except where a key comes twice.
CREATE TABLE src (id UInt64, k String, v String, w Int32) ENGINE = MergeTree ORDER BY w;
INSERT INTO src VALUES (1, 'x', 'first', 1), (2, 'y', 'b', 3), (70, 'zz', 'seventy', 4), (4000000000, '', 'far', 5);
CREATE DICTIONARY hashed (id UInt64, v String DEFAULT '-', w Int32) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(HASHED()) LIFETIME(0);
CREATE DICTIONARY sparse (id UInt64, v String DEFAULT '-', w Int32) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(SPARSE_HASHED()) LIFETIME(0);
CREATE DICTIONARY arrayed (id UInt64, v String DEFAULT '-', w Int32) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(HASHED_ARRAY()) LIFETIME(0);
CREATE DICTIONARY cached (id UInt64, v String DEFAULT '-', w Int32) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(CACHE(SIZE_IN_CELLS 100)) LIFETIME(1000);
CREATE DICTIONARY small (id UInt64, v String DEFAULT '-', w Int32) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(CACHE(SIZE_IN_CELLS 16)) LIFETIME(1000);
CREATE DICTIONARY direct (id UInt64, v String DEFAULT '-', w Int32) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(DIRECT());
CREATE DICTIONARY flat (id UInt64, v String DEFAULT '-', w Int32) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src' WHERE 'id < 1000')) LAYOUT(FLAT()) LIFETIME(0);
CREATE DICTIONARY chashed (k String, v String DEFAULT '-', w Int32) PRIMARY KEY k SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0);
CREATE DICTIONARY csparse (k String, v String DEFAULT '-', w Int32) PRIMARY KEY k SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(COMPLEX_KEY_SPARSE_HASHED()) LIFETIME(0);
CREATE DICTIONARY carrayed (k String, v String DEFAULT '-', w Int32) PRIMARY KEY k SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(COMPLEX_KEY_HASHED_ARRAY()) LIFETIME(0);
CREATE DICTIONARY ccached (k String, v String DEFAULT '-', w Int32) PRIMARY KEY k SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(COMPLEX_KEY_CACHE(SIZE_IN_CELLS 100)) LIFETIME(1000);
CREATE DICTIONARY cdirect (k String, v String DEFAULT '-', w Int32) PRIMARY KEY k SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(COMPLEX_KEY_DIRECT());
SELECT dictGet('hashed', 'v', 1), dictGet('sparse', 'v', 1), dictGet('arrayed', 'v', 1), dictGet('flat', 'v', 1), dictGet('chashed', 'v', 'x'), dictGet('cdirect', 'v', 'x');
-- Which row counts if a key comes several times
CREATE DICTIONARY twice_flat (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS id, toString(number) AS v FROM numbers(3) ORDER BY number')) LAYOUT(FLAT()) LIFETIME(0);
CREATE DICTIONARY twice_hashed (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS id, toString(number) AS v FROM numbers(3) ORDER BY number')) LAYOUT(HASHED()) LIFETIME(0);
CREATE DICTIONARY twice_sparse (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS id, toString(number) AS v FROM numbers(3) ORDER BY number')) LAYOUT(SPARSE_HASHED()) LIFETIME(0);
CREATE DICTIONARY twice_arrayed (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS id, toString(number) AS v FROM numbers(3) ORDER BY number')) LAYOUT(HASHED_ARRAY()) LIFETIME(0);
CREATE DICTIONARY twice_chashed (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS id, toString(number) AS v FROM numbers(3) ORDER BY number')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0);
CREATE DICTIONARY twice_carrayed (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS id, toString(number) AS v FROM numbers(3) ORDER BY number')) LAYOUT(COMPLEX_KEY_HASHED_ARRAY()) LIFETIME(0);
SELECT dictGet('twice_flat', 'v', 1), dictGet('twice_hashed', 'v', 1), dictGet('twice_sparse', 'v', 1), dictGet('twice_arrayed', 'v', 1), dictGet('twice_chashed', 'v', 1), dictGet('twice_carrayed', 'v', 1);
SELECT * FROM twice_flat;
SELECT * FROM twice_hashed;
SELECT * FROM twice_carrayed;
SELECT arrayJoin([0, 2, 3, 70, 4000000000, 18446744073709551615]) AS id, dictGet('hashed', 'v', id), dictGet('sparse', 'v', id), dictGet('arrayed', 'v', id), dictGet('cached', 'v', id), dictGet('small', 'v', id), dictGet('direct', 'v', id) ORDER BY id;
SELECT arrayJoin([0, 2, 3, 70, 4000000000, 18446744073709551615]) AS id, dictGet('flat', ('v', 'w'), id), dictHas('flat', id), dictHas('hashed', id), dictHas('direct', id), dictHas('cached', id) ORDER BY id;
SELECT arrayJoin(['', 'y', 'zz', 'q', 'yy']) AS k, dictGet('chashed', 'v', k), dictGet('csparse', 'v', k), dictGet('carrayed', 'v', k), dictGet('ccached', 'v', k), dictGet('cdirect', 'v', k) ORDER BY k;
SELECT arrayJoin(['', 'y', 'zz', 'q', 'yy']) AS k, dictHas('chashed', k), dictGetOrDefault('cdirect', 'w', k, 99), dictGetOrNull('ccached', 'w', k) ORDER BY k;
SELECT sum(dictGet('hashed', 'w', number)), sum(dictGet('cached', 'w', number)), sum(dictGet('small', 'w', number)), sum(dictGet('direct', 'w', number)), sum(dictGet('flat', 'w', number)) FROM numbers(2, 100);
SELECT 'hashed', * FROM hashed ORDER BY ALL;
SELECT 'sparse', * FROM sparse ORDER BY ALL;
SELECT 'arrayed', * FROM arrayed ORDER BY ALL;
SELECT 'flat', * FROM flat ORDER BY ALL;
SELECT 'direct', * FROM direct ORDER BY ALL;
SELECT 'chashed', * FROM chashed ORDER BY ALL;
SELECT 'carrayed', * FROM carrayed ORDER BY ALL;
SELECT 'cdirect', * FROM cdirect ORDER BY ALL;
-- Direct dictionaries see what has changed, and others do not until they are loaded again.
INSERT INTO src VALUES (5, 'five', 'five', 6);
SELECT dictGet('direct', 'v', 5), dictGet('cdirect', 'v', 'five'), dictHas('direct', 5);
SYSTEM RELOAD DICTIONARY hashed;
SELECT dictGet('hashed', 'v', 5), dictHas('hashed', 5);
SYSTEM RELOAD DICTIONARIES;
SELECT dictGet('flat', 'v', 5), dictGet('chashed', 'v', 'five'), dictGet('arrayed', 'v', 5);
SYSTEM RELOAD DICTIONARY nosuch; -- { serverError BAD_ARGUMENTS }
-- The simple key is always UInt64.
CREATE DICTIONARY short (id UInt32, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src' WHERE 'id < 100')) LAYOUT(HASHED()) LIFETIME(0);
DESCRIBE short;
SELECT toTypeName(id), id, v FROM short ORDER BY id;
CREATE DICTIONARY signed (id Int64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT -1 AS id, \'minus\' AS v')) LAYOUT(HASHED()) LIFETIME(0);
SELECT * FROM signed;
SELECT dictGet('signed', 'v', 18446744073709551615);
CREATE DICTIONARY text (id String, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT \'12\' AS id, \'twelve\' AS v')) LAYOUT(FLAT()) LIFETIME(0);
SELECT dictGet('text', 'v', 12), dictGet('text', 'v', '12');
-- Flat dictionaries have a greatest key.
CREATE DICTIONARY tall (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 600000 AS id, \'q\' AS v')) LAYOUT(FLAT()) LIFETIME(0);
SELECT dictGet('tall', 'v', 600000); -- { serverError ARGUMENT_OUT_OF_BOUND }
CREATE OR REPLACE DICTIONARY tall (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 600000 AS id, \'q\' AS v')) LAYOUT(FLAT(INITIAL_ARRAY_SIZE 10 MAX_ARRAY_SIZE 1000000)) LIFETIME(0);
SELECT dictGet('tall', 'v', 600000);
CREATE DICTIONARY nocells (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(CACHE()) LIFETIME(1);
SELECT dictGet('nocells', 'v', 7); -- { serverError POCO_EXCEPTION }
-- No rows
CREATE DICTIONARY nothing (id UInt64, v String DEFAULT 'none') PRIMARY KEY id SOURCE(NULL()) LAYOUT(HASHED()) LIFETIME(0);
SELECT dictGet('nothing', 'v', 1), dictHas('nothing', 0), (SELECT count() FROM nothing);
CREATE DICTIONARY noattributes (id UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(HASHED()) LIFETIME(0);
SELECT dictHas('noattributes', 1), dictHas('noattributes', 3);
-- Polygons and prefixes of addresses
CREATE DICTIONARY polygons (key Array(Array(Array(Array(Float64)))), name String DEFAULT 'none') PRIMARY KEY key SOURCE(CLICKHOUSE(QUERY 'SELECT [[[[0., 0.], [10., 0.], [10., 10.], [0., 10.]]]] AS key, \'big\' AS name UNION ALL SELECT [[[[1., 1.], [2., 1.], [2., 2.], [1., 2.]]]], \'small\'')) LAYOUT(POLYGON()) LIFETIME(0);
SELECT dictGet('polygons', 'name', (5., 5.)), dictGet('polygons', 'name', (1.5, 1.5)), dictGet('polygons', 'name', (50, 5)), dictHas('polygons', (1.2, 1.5)), dictHas('polygons', (-1, 3));
SELECT dictGet('polygons', 'name', 5.); -- { serverError TYPE_MISMATCH }
SELECT * FROM polygons; -- { serverError UNSUPPORTED_METHOD }
CREATE DICTIONARY points (key Array(Array(Array(Tuple(Float64, Float64)))), name String) PRIMARY KEY key SOURCE(CLICKHOUSE(QUERY 'SELECT [[[(0., 0.), (10., 0.), (10., 10.), (0., 10.)], [(4., 4.), (6., 4.), (6., 6.), (4., 6.)]]] AS key, \'ring\' AS name')) LAYOUT(POLYGON_SIMPLE()) LIFETIME(0);
SELECT dictGet('points', 'name', (1., 5.)), dictGet('points', 'name', (5., 5.)) AS hole;
CREATE DICTIONARY prefixes (prefix String, v String DEFAULT '?') PRIMARY KEY prefix SOURCE(CLICKHOUSE(QUERY 'SELECT * FROM values(\'prefix String, v String\', (\'10.0.0.0/8\', \'ten\'), (\'10.1.0.0/16\', \'ten.one\'), (\'2001:db8::/32\', \'six\'), (\'1.2.3.4\', \'host\'))')) LAYOUT(IP_TRIE()) LIFETIME(0);
SELECT dictGet('prefixes', 'v', tuple(toUInt32(167838211))), dictGet('prefixes', 'v', toUInt32(167903747)), dictGet('prefixes', 'v', tuple(toUInt32(0))), dictGet('prefixes', 'v', tuple(toUInt32(16909060))), dictHas('prefixes', toUInt32(167838211));
SELECT dictGet('prefixes', 'v', tuple(toFixedString(unhex('20010DB8000000000000000000000001'), 16)));
SELECT dictGet('prefixes', 'v', '10.1.2.3'); -- { serverError TYPE_MISMATCH }
SELECT dictGet('prefixes', 'v', 5); -- { serverError TYPE_MISMATCH }
SELECT * FROM prefixes ORDER BY ALL;
