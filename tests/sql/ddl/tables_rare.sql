-- { fixedEngine }
-- { echoOn }
CREATE TABLE t2 (id UInt64, d Date DEFAULT toDate('2024-01-01'), s String DEFAULT concat('x', toString(id)), n Nullable(Int32), a Array(Tuple(UInt8, String)), t DateTime('UTC') CODEC(Delta, ZSTD(1)) COMMENT 'when') ENGINE = MergeTree PARTITION BY toYYYYMM(d) PRIMARY KEY id ORDER BY (id, s) SETTINGS index_granularity = 1024;
CREATE TABLE t3 (a UInt8, b String DEFAULT 'q') ENGINE = MergeTree ORDER BY a;
SHOW CREATE t2 FORMAT TSVRaw;
CREATE TABLE t4 AS t3;
SHOW CREATE TABLE t4;
CREATE OR REPLACE TABLE t4 (z UInt8) ENGINE = Memory;
DESCRIBE TABLE t4;
CREATE TABLE m1 (a UInt8, b UInt8 MATERIALIZED a + 1, c UInt8 ALIAS a + 2) ENGINE = Memory;
INSERT INTO m1 (a) VALUES (1);
SELECT * FROM m1;
SELECT a, b, c FROM m1;
DROP TABLE m1;
