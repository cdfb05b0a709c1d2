-- { fixedEngine }
-- { echoOn }
CREATE TABLE t1 (a UInt8, b String) ENGINE = Memory;
CREATE TABLE IF NOT EXISTS t1 (a UInt8, b String) ENGINE = Memory;
CREATE TABLE t1 (a UInt8) ENGINE = Memory; -- { serverError TABLE_ALREADY_EXISTS }
EXISTS TABLE t1;
EXISTS t1;
EXISTS TABLE nosuch;
SHOW TABLES;
SHOW TABLES LIKE 't%';
SHOW TABLES LIKE 'zzz%';
DESCRIBE TABLE t1;
DESC t1;
SHOW CREATE TABLE t1;
DROP TABLE t1;
EXISTS TABLE t1;
DROP TABLE IF EXISTS t1;
DROP TABLE t1; -- { serverError UNKNOWN_TABLE }
CREATE TABLE t2 (id UInt64, d Date DEFAULT toDate('2024-01-01'), s String DEFAULT concat('x', toString(id)), n Nullable(Int32), a Array(Tuple(UInt8, String)), t DateTime('UTC') CODEC(Delta, ZSTD(1)) COMMENT 'when') ENGINE = MergeTree PARTITION BY toYYYYMM(d) PRIMARY KEY id ORDER BY (id, s) SETTINGS index_granularity = 1024;
DESCRIBE TABLE t2;
SHOW CREATE TABLE t2;
INSERT INTO t2 (id) VALUES (1), (2);
SELECT id, d, s, n, a FROM t2 ORDER BY id;
TRUNCATE TABLE t2;
TRUNCATE TABLE IF EXISTS nosuch;
SELECT count() FROM t2;
CREATE TABLE t3 (a UInt8, b String DEFAULT 'q') ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE t3;
SHOW TABLES;
DESCRIBE (SELECT 1 AS x, 'a' AS y, [1] AS z);
DROP TABLE t2, t3;
SHOW TABLES;
CREATE TABLE `odd name` (`col umn` UInt8) ENGINE = Memory;
INSERT INTO `odd name` VALUES (1);
SELECT `col umn` FROM `odd name`;
SHOW CREATE TABLE `odd name`;
DROP TABLE `odd name`;
CREATE TABLE filled_once ENGINE = MergeTree ORDER BY a AS SELECT 1 AS a;
CREATE TABLE IF NOT EXISTS filled_once ENGINE = MergeTree ORDER BY a AS SELECT 2 AS a;
SELECT * FROM filled_once;
