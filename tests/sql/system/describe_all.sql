-- { configs: default }
-- DESCRIBE with every kind of column, and of files that do not exist.
CREATE TABLE t (d Date TTL d + INTERVAL 1 DAY, k UInt32 CODEC(Delta(4), ZSTD(3)), s String DEFAULT concat('a', toString(k)) COMMENT 'words' CODEC(LZ4) TTL toDate('2020-01-01') + toIntervalDay(k), e String EPHEMERAL, al UInt32 ALIAS k + 1, ma UInt8 MATERIALIZED k % 2, a Array(Nullable(Int32)), tp Tuple(x Int32, y String) COMMENT 'pair') ENGINE = MergeTree ORDER BY k;
DESCRIBE t FORMAT TSVWithNames;
DESC TABLE t SETTINGS describe_compact_output = 1 FORMAT TSVWithNames;
DESC t SETTINGS describe_include_subcolumns = 1 FORMAT TSVWithNames;
DESC t SETTINGS describe_include_subcolumns = 1, describe_compact_output = 1 FORMAT TSVWithNames;
CREATE TABLE m (x Int8) ENGINE = Log;
DESC m SETTINGS describe_include_virtual_columns = 1 FORMAT TSVWithNames;
DESC m SETTINGS describe_include_virtual_columns = 1, describe_include_subcolumns = 1, describe_compact_output = 1 FORMAT TSVWithNames;
DESCRIBE file('absent.csv', 'CSV', 'a Int32, b Array(String)');
SELECT * FROM file('absent.csv', 'CSV', 'a Int32, b Array(String)'); -- { serverError FILE_DOESNT_EXIST }
DESCRIBE (SELECT 1 AS a, 'x' AS b);
DESCRIBE (SELECT 1 AS a) SETTINGS describe_include_virtual_columns = 1;
ALTER TABLE t MODIFY COLUMN d REMOVE TTL;
ALTER TABLE t MODIFY COLUMN a TTL d + INTERVAL 2 YEAR;
DESCRIBE t;
