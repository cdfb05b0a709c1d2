-- { configs: default }
-- What is probably a mistake is refused unless a setting allows it, and stays as it is then.
CREATE TABLE c (a UInt32 CODEC(Delta)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE c (a UInt32 CODEC(LZ4, ZSTD, NONE)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE c (a UInt32 CODEC(Gorilla)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE c (a Float64 CODEC(ALP)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE c (a UInt32 CODEC(ZSTD_QAT)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError UNKNOWN_CODEC }
CREATE TABLE c (a UInt32 CODEC(DEFLATE_QPL)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError UNKNOWN_CODEC }
SET allow_suspicious_codecs = 1, enable_alp_codec = 1;
CREATE TABLE c (a UInt32 CODEC(Delta), b UInt32 CODEC(LZ4, ZSTD, NONE), d Float32 CODEC(Delta, Gorilla), e Float64 CODEC(ALP)) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO c SELECT number, number, number / 4, number / 8 FROM numbers(1000);
SELECT sum(a), sum(b), sum(d), sum(e) FROM c;
SHOW CREATE TABLE c;
SET allow_suspicious_codecs = 0, enable_alp_codec = 0;
ALTER TABLE c ADD COLUMN f UInt8;
ALTER TABLE c MODIFY COLUMN f CODEC(Delta); -- { serverError BAD_ARGUMENTS }
ALTER TABLE c MODIFY COLUMN f CODEC(Delta, ZSTD(3));
ALTER TABLE c MODIFY COLUMN a REMOVE CODEC;
ALTER TABLE c MODIFY COLUMN a REMOVE CODEC; -- { serverError BAD_ARGUMENTS }
OPTIMIZE TABLE c FINAL;
SELECT sum(a), sum(b), sum(d), sum(e), sum(f) FROM c;
SELECT name, compression_codec FROM system.columns WHERE database = currentDatabase() AND table = 'c' ORDER BY position;
CREATE TABLE x (a String CODEC(Delta)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE x (a Float64 CODEC(T64)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
SELECT name, method_byte, is_compression, is_generic_compression, is_timeseries_codec, tier FROM system.codecs WHERE name IN ('ALP', 'Delta', 'DoubleDelta', 'FPC', 'GCD', 'Gorilla', 'LZ4', 'LZ4HC', 'NONE', 'T64', 'ZSTD') ORDER BY name;
DROP TABLE c;
