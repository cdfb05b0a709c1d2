-- { fixedEngine }
-- Buffer, views and INSERT reach a table by way of one that stands for a call.
CREATE TABLE t (x UInt8) ENGINE = MergeTree ORDER BY x;
CREATE TABLE r AS remote('127.0.0.1', currentDatabase(), 't');
CREATE TABLE bu (x UInt8) ENGINE = Buffer('', 'r', 1, 100, 100, 100000, 1000000, 10000000, 10000000);
INSERT INTO bu VALUES (3);
OPTIMIZE TABLE bu;
SELECT * FROM t;
CREATE TABLE src (x UInt8) ENGINE = Null;
CREATE MATERIALIZED VIEW mv TO r AS SELECT x FROM src;
INSERT INTO src VALUES (1);
SELECT * FROM t ORDER BY x;
DROP TABLE mv;
DROP TABLE bu;
DROP TABLE r;
DROP TABLE t;
