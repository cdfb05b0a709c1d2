-- { fixedEngine }
-- { echoOn }
CREATE TABLE ty (a Array(Tuple(UInt8, String)), b Tuple(x UInt8, y Tuple(z String, w Array(UInt8))), c Map(String, Tuple(UInt8, Int8)), d Enum8('a' = 1, 'b' = 2), e Nullable(Decimal(10, 2)), f LowCardinality(String), g AggregateFunction(sum, UInt8), i DateTime64(3, 'UTC'), j FixedString(3), k Array(Map(String, Array(Tuple(a UInt8)))), l INT, m VARCHAR(10), o Float64 NULL, p Tuple(UInt8) DEFAULT tuple(1), q DEFAULT l + 1, r ALIAS q * 2, s UInt8 EPHEMERAL, t UInt8 DEFAULT if(l > 1 AND m = 'x', 1, -2) COMMENT 'it''s' CODEC(ZSTD)) ENGINE = MergeTree ORDER BY tuple() COMMENT 'tc';
SHOW CREATE TABLE ty FORMAT TSVRaw;
SELECT create_table_query FROM system.tables WHERE name = 'ty';
DESCRIBE TABLE ty;
CREATE TABLE keys1 (a UInt8, b UInt8, PRIMARY KEY (a, b)) ENGINE = MergeTree;
SHOW CREATE TABLE keys1;
CREATE TABLE keys2 (a UInt8, b UInt8) ENGINE = MergeTree PRIMARY KEY a ORDER BY (a, b) SETTINGS index_granularity_bytes = 1000000;
SHOW CREATE TABLE keys2;
CREATE TABLE keys3 (a UInt8 PRIMARY KEY, b UInt8) ENGINE = MergeTree;
SELECT sorting_key, primary_key FROM system.tables WHERE name = 'keys3';
CREATE TABLE packed (a UInt8, b UInt32 CODEC(Delta, LZ4HC), c Float64 CODEC(Gorilla), d Float32 CODEC(FPC, ZSTD(5)), e Array(Nullable(Int16)) CODEC(T64, ZSTD), f DateTime CODEC(DoubleDelta, Default), g Decimal(18, 2) CODEC(GCD, LZ4), h String CODEC(NONE), i Int64 CODEC(T64('bit'))) ENGINE = MergeTree ORDER BY a;
SELECT name, compression_codec FROM system.columns WHERE table = 'packed' ORDER BY position;
SHOW CREATE TABLE packed;
INSERT INTO packed SELECT number, number * 7, number / 3, number / 4, [number, NULL], number * 60, number / 8, toString(number), -number FROM numbers(300);
INSERT INTO packed SELECT 255, 1, nan, inf, [], 0, -1, '', 5;
INSERT INTO packed SELECT 254, cityHash64(number), reinterpretAsFloat64(cityHash64(number)), -0.0, [number], number, number, '', number FROM numbers(100);
SELECT count(), sum(b), sum(e[1]), max(f), sum(g), max(h), min(i), sum(cityHash64(c, d)) FROM packed;
SELECT * FROM packed WHERE a = 255 ORDER BY b, c LIMIT 3;
CREATE TABLE bad (a UInt8 CODEC(NoSuch)) ENGINE = Memory; -- { serverError UNKNOWN_CODEC }
CREATE TABLE bad (a UInt8 CODEC(Delta)) ENGINE = Memory; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a String CODEC(Delta, LZ4)) ENGINE = Memory; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a UInt8 CODEC(Gorilla, LZ4)) ENGINE = Memory; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a UInt8 CODEC(LZ4, ZSTD)) ENGINE = Memory; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a UInt8 CODEC(NONE, LZ4)) ENGINE = Memory; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a Float32 CODEC(T64)) ENGINE = Memory; -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
CREATE TABLE bad (a Float32 CODEC(FPC(29))) ENGINE = Memory; -- { serverError ILLEGAL_CODEC_PARAMETER }
CREATE TABLE bad (a UInt8 CODEC(Delta(3), LZ4)) ENGINE = Memory; -- { serverError ILLEGAL_CODEC_PARAMETER }
