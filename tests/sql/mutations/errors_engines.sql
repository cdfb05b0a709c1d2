-- { fixedEngine }
-- Engines other than MergeTree, and their versions of rows.
CREATE TABLE mem (a Int32, b String) ENGINE=Memory;
INSERT INTO mem VALUES (1, 'x'), (2, 'y'), (3, 'z');
ALTER TABLE mem UPDATE b = 'q' WHERE a = 2;
SELECT * FROM mem ORDER BY a;
ALTER TABLE mem DELETE WHERE a = 1;
SELECT * FROM mem ORDER BY a;
INSERT INTO mem SELECT number, toString(number) FROM numbers(10, 5);
ALTER TABLE mem UPDATE a = a + 100, b = concat(b, toString(a)) WHERE a > 10;
SELECT * FROM mem ORDER BY a;
ALTER TABLE mem DELETE WHERE b IN (SELECT b FROM mem WHERE a < 5);
SELECT * FROM mem ORDER BY a;
ALTER TABLE mem UPDATE b = '', DELETE WHERE a = 10; -- { serverError SYNTAX_ERROR }
ALTER TABLE mem UPDATE b = '' WHERE a = 10, DELETE WHERE b = '';
SELECT count() FROM mem;
ALTER TABLE mem DELETE WHERE 1;
SELECT count() FROM mem;
INSERT INTO mem VALUES (1, 'x');
SELECT * FROM mem;
ALTER TABLE mem UPDATE zz = 1 WHERE 1; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
ALTER TABLE mem UPDATE a = 'x' WHERE 1; -- { serverError CANNOT_PARSE_TEXT }
ALTER TABLE mem DELETE WHERE zz; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE mem DELETE IN PARTITION 1 WHERE a = 2; -- { serverError NOT_IMPLEMENTED }
DELETE FROM mem WHERE a = 2; -- { serverError BAD_ARGUMENTS }
UPDATE mem SET b = 'w' WHERE a = 2; -- { serverError NOT_IMPLEMENTED }
CREATE TABLE l (a Int32) ENGINE = Log;
INSERT INTO l VALUES (1);
ALTER TABLE l DELETE WHERE 1; -- { serverError NOT_IMPLEMENTED }
ALTER TABLE l UPDATE a = 1 WHERE 1; -- { serverError NOT_IMPLEMENTED }
DELETE FROM l WHERE 1; -- { serverError BAD_ARGUMENTS }
UPDATE l SET a = 1 WHERE 1; -- { serverError NOT_IMPLEMENTED }
CREATE VIEW v AS SELECT * FROM mem;
ALTER TABLE v DELETE WHERE 1; -- { serverError NOT_IMPLEMENTED }
DELETE FROM v WHERE 1; -- { serverError BAD_ARGUMENTS }
DELETE FROM system.one WHERE 1; -- { serverError BAD_ARGUMENTS }
ALTER TABLE system.one DELETE WHERE 1; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM l;
CREATE TABLE r (k Int32, v Int32, ver UInt32) ENGINE = ReplacingMergeTree(ver) ORDER BY k;
ALTER TABLE r UPDATE ver = 1 WHERE 1; -- { serverError CANNOT_UPDATE_COLUMN }
ALTER TABLE r UPDATE k = 1 WHERE 1; -- { serverError CANNOT_UPDATE_COLUMN }
DROP VIEW v;
