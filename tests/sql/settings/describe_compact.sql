CREATE TABLE t (a UInt8 DEFAULT 1 COMMENT 'c', b Nullable(UInt8), c Array(UInt8)) ENGINE = Memory;
DESCRIBE TABLE t SETTINGS describe_compact_output = 1;
DESCRIBE TABLE t SETTINGS describe_compact_output = 1, describe_include_subcolumns = 1;
DESCRIBE (SELECT 1 AS x) FORMAT TSVWithNames SETTINGS describe_compact_output = 1;
DROP TABLE t;
