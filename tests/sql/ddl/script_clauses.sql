-- { configs: default }
CREATE TABLE c1 (a UInt32 CODEC(Delta, ZSTD(3)), b String CODEC(LZ4HC(9)), c DateTime CODEC(DoubleDelta, LZ4), d Float64 CODEC(Gorilla), e Int64 CODEC(T64, ZSTD), f Float32 CODEC(FPC), g UInt8 CODEC(Default), h String CODEC(NONE)) ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE c1;
SELECT name, compression_codec FROM system.columns WHERE table = 'c1' AND database = currentDatabase() ORDER BY position;
INSERT INTO c1 SELECT number, toString(number), toDateTime('2024-01-01 00:00:00') + number, number / 3, -number, number, 1, 'x' FROM numbers(100);
SELECT count(), sum(a), max(b), max(c), sum(e), sum(g) FROM c1;
CREATE TABLE c2 (a UInt32 CODEC(Delta)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE c3 (a String CODEC(Delta, LZ4)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE c4 (a UInt32 CODEC(Zzz)) ENGINE = MergeTree ORDER BY a; -- { serverError UNKNOWN_CODEC }
CREATE TABLE c5 (a UInt32 CODEC(ZSTD(99))) ENGINE = MergeTree ORDER BY a; -- { serverError ILLEGAL_CODEC_PARAMETER }
CREATE TABLE c6 (a UInt32 CODEC(LZ4, LZ4)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE c7 (a UInt32 CODEC(LZ4, Delta)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE c8 (a UInt32 CODEC()) ENGINE = MergeTree ORDER BY a; -- { serverError SYNTAX_ERROR }
CREATE TABLE c9 (a UInt32 CODEC(NONE, LZ4)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE c10 (a UInt32 ALIAS 1 CODEC(LZ4)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE c11 (a UInt32 CODEC(Delta(3), LZ4)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError ILLEGAL_CODEC_PARAMETER }
CREATE TABLE c12 (a Float32 CODEC(T64)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
CREATE TABLE c13 (a Array(UInt32) CODEC(Delta(4), LZ4), b Nullable(UInt64) CODEC(DoubleDelta, ZSTD(1)), c LowCardinality(String) CODEC(ZSTD)) ENGINE = MergeTree ORDER BY tuple();
SHOW CREATE TABLE c13;
SET allow_suspicious_codecs = 1;
CREATE TABLE c14 (a UInt32 CODEC(LZ4, LZ4)) ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE c14;
CREATE TABLE k1 (a UInt8, b UInt8, CONSTRAINT c1 CHECK a < b, CONSTRAINT c2 ASSUME a > 0) ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE k1;
INSERT INTO k1 VALUES (1, 2);
INSERT INTO k1 VALUES (2, 1); -- { serverError VIOLATED_CONSTRAINT }
SELECT * FROM k1;
CREATE TABLE k2 (a UInt8, CHECK a > 0) ENGINE = Memory; -- { serverError SYNTAX_ERROR }
CREATE TABLE k3 (a UInt8, CONSTRAINT c1 CHECK a > 0, CONSTRAINT c1 CHECK a > 1) ENGINE = Memory;
CREATE TABLE k4 (a UInt8, CONSTRAINT c1 CHECK zz > 0) ENGINE = Memory; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE k5 (a UInt8, CONSTRAINT c1 CHECK a) ENGINE = Memory;
INSERT INTO k5 VALUES (1);
INSERT INTO k5 VALUES (0); -- { serverError VIOLATED_CONSTRAINT }
CREATE TABLE k7 (a Nullable(UInt8), CONSTRAINT c1 CHECK a > 1) ENGINE = Memory;
INSERT INTO k7 VALUES (NULL); -- { serverError VIOLATED_CONSTRAINT }
CREATE TABLE k8 (a UInt8, CONSTRAINT IF NOT EXISTS c1 CHECK a > 1) ENGINE = Memory; -- { serverError SYNTAX_ERROR }
CREATE TABLE i1 (a UInt32, b String, c Array(String), INDEX i1 a TYPE minmax GRANULARITY 4, INDEX i2 (a, b) TYPE set(100), INDEX i3 b TYPE bloom_filter(0.01) GRANULARITY 1, INDEX i4 b TYPE tokenbf_v1(256, 2, 0), INDEX i5 lower(b) TYPE ngrambf_v1(3, 256, 2, 0) GRANULARITY 2, INDEX i6 c TYPE bloom_filter) ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE i1;
SELECT name, type, type_full, expr, granularity FROM system.data_skipping_indices WHERE table = 'i1' AND database = currentDatabase() ORDER BY name;
CREATE TABLE i2 (a UInt32, INDEX i a TYPE zzz) ENGINE = MergeTree ORDER BY a; -- { serverError INCORRECT_QUERY }
CREATE TABLE i3 (a UInt32, INDEX i a TYPE minmax, INDEX i a TYPE minmax) ENGINE = MergeTree ORDER BY a; -- { serverError ILLEGAL_INDEX }
CREATE TABLE i4 (a UInt32, INDEX i a TYPE set) ENGINE = MergeTree ORDER BY a; -- { serverError INCORRECT_QUERY }
CREATE TABLE i5 (a UInt32, INDEX i a TYPE minmax GRANULARITY 0) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE i6 (a UInt32, INDEX i a) ENGINE = MergeTree ORDER BY a; -- { serverError SYNTAX_ERROR }
CREATE TABLE i7 (a UInt32, INDEX i a TYPE minmax) ENGINE = Memory; -- { serverError BAD_ARGUMENTS }
CREATE TABLE i8 (a UInt32, INDEX i zz TYPE minmax) ENGINE = MergeTree ORDER BY a; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE i9 (a Map(String, String), INDEX i mapKeys(a) TYPE bloom_filter, INDEX j mapValues(a) TYPE tokenbf_v1(100, 2, 1)) ENGINE = MergeTree ORDER BY tuple();
SHOW CREATE TABLE i9;
CREATE TABLE p1 (a UInt32, b UInt32, PROJECTION p1 (SELECT b, sum(a) GROUP BY b), PROJECTION p2 (SELECT * ORDER BY b)) ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE p1;
CREATE TABLE p2 (a UInt32, PROJECTION p (SELECT a FROM x)) ENGINE = MergeTree ORDER BY a; -- { serverError SYNTAX_ERROR }
CREATE TABLE p3 (a UInt32, PROJECTION p (SELECT a WHERE a > 1)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE p4 (a UInt32, PROJECTION p (SELECT zz ORDER BY zz)) ENGINE = MergeTree ORDER BY a; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE p5 (a UInt32, PROJECTION p (SELECT a ORDER BY a)) ENGINE = Memory; -- { serverError BAD_ARGUMENTS }
CREATE TABLE p6 (a UInt32, PROJECTION p (SELECT a ORDER BY a), PROJECTION p (SELECT a ORDER BY a)) ENGINE = MergeTree ORDER BY a; -- { serverError ILLEGAL_PROJECTION }
CREATE TABLE st1 (a UInt32 STATISTICS(tdigest), b String STATISTICS(uniq), c Float64 STATISTICS(minmax, tdigest)) ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE st1;
CREATE TABLE st2 (a UInt32 STATISTICS(zzz)) ENGINE = MergeTree ORDER BY a; -- { serverError INCORRECT_QUERY }
CREATE TABLE st3 (a String STATISTICS(tdigest)) ENGINE = MergeTree ORDER BY a; -- { serverError ILLEGAL_STATISTICS }
CREATE TABLE s1 (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 1024, min_bytes_for_wide_part = 0;
SHOW CREATE TABLE s1;
CREATE TABLE s2 (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS zzz = 1; -- { serverError UNKNOWN_SETTING }
CREATE TABLE s3 (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS index_granularity = 0; -- { serverError BAD_ARGUMENTS }
CREATE TABLE s4 (a UInt32) ENGINE = Memory SETTINGS index_granularity = 10; -- { serverError UNKNOWN_SETTING }
CREATE TABLE s5 (a UInt32 SETTINGS (min_compress_block_size = 1000, max_compress_block_size = 20000)) ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE s5;
CREATE TABLE s6 (a UInt32, b UInt32) ENGINE = MergeTree PARTITION BY a % 10 PRIMARY KEY a ORDER BY (a, b) SAMPLE BY b TTL toDate('2100-01-01') + a SETTINGS index_granularity = 100 COMMENT 'all'; -- { serverError BAD_ARGUMENTS }
CREATE TABLE s7 (a UInt32, b UInt32) ENGINE = MergeTree ORDER BY (a, b) PRIMARY KEY (a, b) SAMPLE BY b PARTITION BY a % 10 SETTINGS index_granularity = 100;
SHOW CREATE TABLE s7;
CREATE TABLE s8 (a UInt32, b UInt32) ENGINE = MergeTree ORDER BY a PRIMARY KEY b; -- { serverError BAD_ARGUMENTS }
CREATE TABLE s9 (a UInt32, b UInt32) ENGINE = MergeTree ORDER BY a ORDER BY b; -- { serverError SYNTAX_ERROR }
CREATE TABLE s10 (a UInt32, b UInt32) ENGINE = MergeTree ORDER BY a SAMPLE BY b; -- { serverError BAD_ARGUMENTS }
CREATE TABLE s11 (a UInt32, b Nullable(UInt32)) ENGINE = MergeTree ORDER BY b; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE s12 (a UInt32, b Nullable(UInt32)) ENGINE = MergeTree ORDER BY b SETTINGS allow_nullable_key = 1;
SHOW CREATE TABLE s12;
CREATE TABLE s13 (a Float32) ENGINE = MergeTree PARTITION BY a ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE s14 (a UInt32) ENGINE = MergeTree ORDER BY rand(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE s15 (a UInt32) ENGINE = MergeTree ORDER BY 1; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE s16 (a UInt32) ENGINE = MergeTree ORDER BY (a, a); -- { serverError BAD_ARGUMENTS }
CREATE TABLE s17 (a UInt32) ENGINE = MergeTree ORDER BY (a DESC) SETTINGS allow_experimental_reverse_key = 1;
CREATE TABLE s18 (a UInt32) ENGINE = MergeTree ORDER BY a DESC;
CREATE TABLE s19 (a UInt32) ENGINE = MergeTree ORDER BY a FORMAT TSV;
CREATE TABLE s20 (a UInt32) ENGINE = MergeTree ORDER BY a AS SELECT number AS a FROM numbers(3);
SELECT * FROM s20 ORDER BY a;
CREATE TABLE s21 (a UInt32) ENGINE = MergeTree ORDER BY a EMPTY AS SELECT number AS a FROM numbers(3);
SELECT count() FROM s21;
