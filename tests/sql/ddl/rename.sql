-- { echoOn }
CREATE TABLE first (a UInt8) ENGINE = Memory;
CREATE TABLE second (b String) ENGINE = Memory;
INSERT INTO first VALUES (1), (2);
INSERT INTO second VALUES ('x');
RENAME TABLE first TO third;
SELECT sum(a) FROM third;
SELECT * FROM first; -- { serverError UNKNOWN_TABLE }
RENAME TABLE third TO second; -- { serverError TABLE_ALREADY_EXISTS }
RENAME TABLE nosuch TO other; -- { serverError UNKNOWN_TABLE }
RENAME TABLE third TO one, second TO two;
SELECT sum(a) FROM one;
SELECT b FROM two;
RENAME TABLE one TO t, two TO one, t TO two;
SELECT b FROM one;
SELECT sum(a) FROM two;
EXCHANGE TABLES one AND two;
SELECT sum(a) FROM one;
EXCHANGE TABLES one AND nosuch; -- { serverError UNKNOWN_TABLE }
SHOW TABLES;
CREATE DATABASE renamed_db;
RENAME TABLE one TO renamed_db.one;
SELECT sum(a) FROM renamed_db.one;
SHOW TABLES FROM renamed_db;
RENAME TABLE renamed_db.one TO nosuchdb.one; -- { serverError UNKNOWN_DATABASE }
DROP DATABASE renamed_db;
