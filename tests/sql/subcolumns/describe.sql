-- DESCRIBE lists the parts of columns.
DROP TABLE IF EXISTS d;
CREATE TABLE d (a Array(UInt8) DEFAULT [1] COMMENT 'cc', n Nullable(String) ALIAS 'x', e Array(Array(UInt8)) MATERIALIZED [[1, 2]], t Tuple(a UInt8, b Tuple(c String, d Array(Nullable(UInt16)))), u Tuple(UInt8, Nullable(String)), ma Map(String, Array(UInt8)), at Array(Tuple(x UInt8, y Nullable(String))), lc LowCardinality(String), alc Array(LowCardinality(Nullable(String)))) ENGINE = Memory;
DESCRIBE d SETTINGS describe_include_subcolumns = 1;
DESCRIBE (SELECT [1] AS x, NULL::Nullable(UInt8) AS y) SETTINGS describe_include_subcolumns = 1;
DESCRIBE numbers(1) SETTINGS describe_include_subcolumns = 1;
DESCRIBE d;
SET describe_include_subcolumns = 1;
DESCRIBE (SELECT map('a', 1) AS x) FORMAT TSVWithNamesAndTypes;
DROP TABLE d;
