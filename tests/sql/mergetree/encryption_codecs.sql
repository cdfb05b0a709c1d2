-- Codecs of encryption without any key: they can be declared, and nothing can be written with them.
CREATE TABLE alone (k UInt32, s String CODEC(AES_128_GCM_SIV)) ENGINE = MergeTree ORDER BY k;
CREATE TABLE chained (k UInt32 CODEC(Delta, LZ4, AES_256_GCM_SIV), s String CODEC(ZSTD(3), AES_128_GCM_SIV), a Array(String) CODEC(Default, AES_128_GCM_SIV), INDEX i s TYPE minmax) ENGINE = MergeTree ORDER BY k;
CREATE TABLE twice (s String CODEC(AES_128_GCM_SIV, AES_256_GCM_SIV)) ENGINE = MergeTree ORDER BY tuple();
SHOW CREATE TABLE alone;
SHOW CREATE TABLE chained;
SHOW CREATE TABLE twice;
INSERT INTO alone VALUES (1, 'x'); -- { serverError BAD_ARGUMENTS }
INSERT INTO chained (k, s) VALUES (1, 'x'); -- { serverError BAD_ARGUMENTS }
INSERT INTO twice VALUES ('x'); -- { serverError BAD_ARGUMENTS }
SELECT count() FROM alone;
SELECT count() FROM chained;
SELECT name, compression_codec FROM system.columns WHERE table = 'chained' AND database = currentDatabase() ORDER BY position;
-- a key of the sorting order may be encrypted
CREATE TABLE sorted (k UInt32 CODEC(AES_128_GCM_SIV)) ENGINE = MergeTree ORDER BY k;
-- lists that are refused
CREATE TABLE no (s String CODEC(AES_128_GCM_SIV, LZ4)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE no (s Int32 CODEC(AES_128_GCM_SIV, Delta)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE no (s Int32 CODEC(Delta, AES_128_GCM_SIV)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE no (s String CODEC(NONE, AES_256_GCM_SIV)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE no (s String CODEC(AES_256_GCM_SIV(1))) ENGINE = MergeTree ORDER BY tuple(); -- { serverError ILLEGAL_SYNTAX_FOR_CODEC_TYPE }
CREATE TABLE no (s String CODEC(AES_192_GCM_SIV)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError UNKNOWN_CODEC }
CREATE TABLE no (s String CODEC(aes_128_gcm_siv)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError UNKNOWN_CODEC }
-- ALTER
ALTER TABLE alone MODIFY COLUMN s CODEC(AES_256_GCM_SIV);
SHOW CREATE TABLE alone;
ALTER TABLE alone MODIFY COLUMN s REMOVE CODEC;
INSERT INTO alone VALUES (1, 'x');
SELECT * FROM alone;
ALTER TABLE alone MODIFY COLUMN s String CODEC(LZ4, AES_256_GCM_SIV);
SELECT * FROM alone;
ALTER TABLE alone ADD COLUMN n UInt8 CODEC(AES_256_GCM_SIV);
SELECT * FROM alone;
SELECT name, method_byte, is_compression, is_generic_compression, is_encryption, is_timeseries_codec FROM system.codecs WHERE name LIKE 'AES%' ORDER BY name;
