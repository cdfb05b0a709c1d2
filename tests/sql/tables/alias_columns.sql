-- { echoOn }
CREATE TABLE al (a UInt8, x ALIAS a * 2, y String ALIAS toString(x), m UInt8 MATERIALIZED a + 1, n Array(UInt8) ALIAS [a, x], z String) ENGINE = Memory;
INSERT INTO al VALUES (1, 'one'), (2, 'two');
SELECT * FROM al ORDER BY a;
SELECT x, y, m, n, z FROM al WHERE x > 2;
SELECT al.x, t2.y FROM al JOIN al AS t2 ON al.x = t2.x ORDER BY 1;
SELECT count(x), sum(x), max(m) FROM al;
SELECT count() FROM al WHERE y = '2';
SELECT a AS x, x FROM al ORDER BY a;
SELECT COLUMNS('x|a|m') FROM al ORDER BY a;
SELECT * FROM (SELECT *, x FROM al) ORDER BY a;
SELECT sum(x) FROM al GROUP BY y ORDER BY y;
SELECT t.x FROM al AS t ORDER BY t.x DESC LIMIT 1;
SELECT y, count() FROM al WHERE x IN (SELECT x FROM al WHERE x > 2) GROUP BY y;
SELECT a FROM al ARRAY JOIN [x] AS q WHERE q = 2;
SELECT x FROM al AS l JOIN al AS r USING (x) ORDER BY x;
SELECT l.x, r.x, r.m FROM al AS l LEFT JOIN (SELECT toUInt8(number) AS a FROM numbers(2)) AS k ON l.a = k.a LEFT JOIN al AS r ON r.a = k.a ORDER BY l.a;
SELECT r.n FROM al AS l FULL JOIN al AS r ON l.a = r.a + 1 ORDER BY r.a;
SELECT r.x FROM al AS l FULL JOIN al AS r ON l.a = r.a + 1 ORDER BY r.a SETTINGS join_use_nulls = 1;
DESCRIBE TABLE al;
SELECT name, type, default_kind, default_expression, position FROM system.columns WHERE table = 'al' ORDER BY position;
INSERT INTO al (a, x) VALUES (1, 2); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
INSERT INTO al (a, m) VALUES (1, 2); -- { serverError ILLEGAL_COLUMN }
INSERT INTO al (a) SELECT x FROM al;
SELECT a, x, m FROM al ORDER BY a, z;
CREATE TABLE lam (a UInt8, f Array(UInt8) DEFAULT arrayMap(x -> x + a, [1, 2]), g Array(UInt8) ALIAS arrayMap(y -> y + a + length(f), f)) ENGINE = Memory;
INSERT INTO lam (a) VALUES (1), (2);
SELECT g FROM lam ORDER BY a;
SELECT x.g, y.g FROM lam AS x JOIN lam AS y ON x.a = y.a ORDER BY x.a;
SELECT arrayMap(z -> z + length(g), g) FROM lam ORDER BY a;
CREATE TABLE ep (a UInt8 DEFAULT e + 1, e UInt8 EPHEMERAL 3, m UInt8 MATERIALIZED a + e) ENGINE = Memory;
INSERT INTO ep (e) VALUES (5);
INSERT INTO ep (a) VALUES (10);
INSERT INTO ep VALUES (20);
INSERT INTO ep (a, e) FORMAT JSONEachRow {"a":30} {"e":8} {"a":40,"e":6}
SELECT a, m FROM ep ORDER BY a;
SELECT e FROM ep; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
DESCRIBE TABLE ep;
CREATE TABLE bad (a UInt8 DEFAULT b, b UInt8 DEFAULT a) ENGINE = Memory; -- { serverError CYCLIC_ALIASES }
CREATE TABLE bad (a UInt8, b UInt8 ALIAS c, c UInt8 ALIAS b) ENGINE = Memory; -- { serverError CYCLIC_ALIASES }
CREATE TABLE bad (a UInt8, b UInt8 ALIAS nosuch) ENGINE = Memory; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE bad (a UInt8, b UInt8 ALIAS a + 1) ENGINE = MergeTree ORDER BY b; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE bad (e UInt8 ALIAS 4) ENGINE = Memory; -- { serverError EMPTY_LIST_OF_COLUMNS_PASSED }
CREATE TABLE inferred (a UInt8, b DEFAULT a + 1, c DEFAULT toString(b)) ENGINE = Memory;
DESCRIBE TABLE inferred;
CREATE TABLE mat (a UInt8, k UInt8 MATERIALIZED 10 - a) ENGINE = MergeTree ORDER BY k;
INSERT INTO mat VALUES (3), (1), (2);
SELECT *, k FROM mat ORDER BY k;
