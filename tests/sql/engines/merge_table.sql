-- Tables of the engine Merge, and the table function merge.
CREATE TABLE part_a (n UInt8, s String) ENGINE = Memory;
CREATE TABLE part_b (n UInt16, s String, extra Int32) ENGINE = Memory;
CREATE TABLE other (x Int8) ENGINE = Memory;
INSERT INTO part_a VALUES (1, 'a'), (2, 'b');
INSERT INTO part_b VALUES (300, 'c', -1), (400, 'd', -2);
CREATE TABLE both ENGINE = Merge(currentDatabase(), '^part_');
SELECT n, s FROM both ORDER BY n;
SELECT n, s, extra FROM both ORDER BY n;
SELECT name, type FROM system.columns WHERE table = 'both' AND database = currentDatabase() ORDER BY position;
SELECT * FROM both ORDER BY n;
SELECT _table, n FROM both ORDER BY n;
SELECT _table, count() FROM both GROUP BY _table ORDER BY _table;
SELECT n FROM both WHERE _table = 'part_a' ORDER BY n;
SELECT n FROM both WHERE _table IN ('part_b') ORDER BY n;
SELECT n FROM both WHERE _table = 'nothing';
SELECT toTypeName(_table), toTypeName(n) FROM both LIMIT 1;
SELECT count(), sum(n) FROM both;
SELECT n FROM both WHERE n > 1 AND s < 'd' ORDER BY n;
INSERT INTO both VALUES (1, 'x', 2); -- { serverError NOT_IMPLEMENTED }
CREATE TABLE given (n UInt64, s String) ENGINE = Merge(currentDatabase(), 'part_');
SELECT * FROM given ORDER BY n;
SELECT toTypeName(n) FROM given LIMIT 1;
SELECT n, extra FROM given ORDER BY n; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE missing (n UInt64, nowhere String) ENGINE = Merge(currentDatabase(), 'part_');
SELECT * FROM missing ORDER BY n;
CREATE TABLE nothing (n UInt64) ENGINE = Merge(currentDatabase(), '^no_such_table$');
SELECT * FROM nothing;
SELECT count() FROM nothing;
CREATE TABLE inferred ENGINE = Merge(currentDatabase(), '^no_such_table$'); -- { serverError CANNOT_EXTRACT_TABLE_STRUCTURE }
CREATE TABLE part_c (n UInt32, s String) ENGINE = Memory;
INSERT INTO part_c VALUES (70000, 'late');
SELECT n, s, _table FROM given ORDER BY n;
SELECT n, s, _table FROM both ORDER BY n;
DROP TABLE part_c;
SELECT count() FROM both;
SELECT n, s FROM merge(currentDatabase(), '^part_') ORDER BY n;
SELECT n, s, _table FROM merge('^part_') ORDER BY n;
SELECT count() FROM merge('^no_such_table$'); -- { serverError CANNOT_EXTRACT_TABLE_STRUCTURE }
SELECT n FROM merge('^part_') WHERE _table = 'part_a' ORDER BY n;
CREATE TABLE copied ENGINE = Memory AS SELECT n, s FROM both;
SELECT count() FROM copied;
CREATE TABLE bad (n UInt8) ENGINE = Merge; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE bad (n UInt8) ENGINE = Merge(currentDatabase()); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE bad (n UInt8) ENGINE = Merge(currentDatabase(), '('); -- { serverError CANNOT_COMPILE_REGEXP }
CREATE TABLE bad (n UInt8) ENGINE = Merge('no_such_database', 'x');
CREATE TABLE bad (n UInt8) ENGINE = Merge(currentDatabase(), 'part_') ORDER BY n; -- { serverError TABLE_ALREADY_EXISTS }
SELECT n AS x, s FROM both AS b WHERE b.n = 1;
SELECT b.n, o.x FROM both AS b INNER JOIN (SELECT 1 AS x) AS o ON b.n = o.x;
SELECT 300 IN (SELECT n FROM both), 301 IN (SELECT n FROM both);
TRUNCATE TABLE both; -- { serverError NOT_IMPLEMENTED }
OPTIMIZE TABLE both; -- { serverError NOT_IMPLEMENTED }
SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = 'both';
CREATE TABLE conflict_1 (v String) ENGINE = Memory;
CREATE TABLE conflict_2 (v UInt8) ENGINE = Memory;
INSERT INTO conflict_1 VALUES ('a');
INSERT INTO conflict_2 VALUES (1);
SELECT v, toTypeName(v) FROM merge('^conflict_') ORDER BY toString(v);
CREATE TABLE conflicts ENGINE = Merge(currentDatabase(), '^conflict_');
SELECT v FROM conflicts ORDER BY toString(v);
SHOW CREATE TABLE conflicts;
SHOW CREATE TABLE both;

CREATE DATABASE IF NOT EXISTS merge_one;
CREATE DATABASE IF NOT EXISTS merge_two;
CREATE TABLE merge_one.t (n UInt8) ENGINE = Memory;
CREATE TABLE merge_two.t (n UInt8) ENGINE = Memory;
INSERT INTO merge_one.t VALUES (1);
INSERT INTO merge_two.t VALUES (2);
CREATE TABLE over_all (n UInt8) ENGINE = Merge(REGEXP('^merge_'), '^t$');
SELECT _database, _table, n FROM over_all ORDER BY n;
SELECT _database, _table, n FROM merge(REGEXP('^merge_'), '^t$') ORDER BY n;
SELECT n FROM over_all WHERE _database = 'merge_two';
DROP DATABASE merge_one;
DROP DATABASE merge_two;
SELECT n FROM both FINAL ORDER BY n;
