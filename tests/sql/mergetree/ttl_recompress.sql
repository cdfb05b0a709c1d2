-- { configs: default }
-- Parts whose rows are all old enough get other codecs; the rule that was reached last counts.
CREATE TABLE r (k UInt32, d DateTime, v String, w UInt32 CODEC(LZ4), m UInt32 TTL d + INTERVAL 1 MONTH) ENGINE = MergeTree ORDER BY k TTL d RECOMPRESS CODEC(ZSTD(7)), d + INTERVAL 10 YEAR RECOMPRESS CODEC(LZ4HC(9)), d + INTERVAL 50 YEAR, d + INTERVAL 60 YEAR DELETE WHERE k = 1, d TO DISK 'default';
SYSTEM STOP MERGES r;
INSERT INTO r SELECT number, toDateTime('2000-01-01 00:00:00') + number, toString(number), number, 7 FROM numbers(1000);
INSERT INTO r SELECT number + 1000, toDateTime('2000-01-02 00:00:00') + number, toString(number), number, 7 FROM numbers(1000);
SELECT rows, default_compression_codec, delete_ttl_info_min, delete_ttl_info_max, recompression_ttl_info.expression, recompression_ttl_info.min, recompression_ttl_info.max FROM system.parts WHERE database = currentDatabase() AND table = 'r' AND active ORDER BY min_block_number;
SELECT rows_where_ttl_info.expression, rows_where_ttl_info.min, rows_where_ttl_info.max, move_ttl_info.expression, move_ttl_info.min FROM system.parts WHERE database = currentDatabase() AND table = 'r' AND active ORDER BY min_block_number;
SYSTEM START MERGES r;
OPTIMIZE TABLE r FINAL;
SELECT rows, default_compression_codec FROM system.parts WHERE database = currentDatabase() AND table = 'r' AND active;
SELECT count(), sum(k), sum(length(v)), sum(w), sum(m) FROM r;
DROP TABLE r;
CREATE TABLE r (k UInt32, d DateTime, s String) ENGINE = MergeTree ORDER BY k TTL d + INTERVAL 20 YEAR RECOMPRESS CODEC(ZSTD(7)), d + INTERVAL 10 YEAR RECOMPRESS CODEC(Delta, LZ4HC(9)), d + INTERVAL 100 YEAR RECOMPRESS CODEC(T64);
INSERT INTO r VALUES (1, '2000-01-01 00:00:00', 'a'), (2, '2001-01-01 00:00:00', 'b');
OPTIMIZE TABLE r FINAL;
SELECT recompression_ttl_info.expression, default_compression_codec FROM system.parts WHERE database = currentDatabase() AND table = 'r' AND active;
INSERT INTO r VALUES (3, '2080-01-01 00:00:00', 'c');
OPTIMIZE TABLE r FINAL;
SELECT default_compression_codec FROM system.parts WHERE database = currentDatabase() AND table = 'r' AND active;
SELECT * FROM r ORDER BY k;
DROP TABLE r;
CREATE TABLE e (k UInt32, d Date) ENGINE = MergeTree ORDER BY k TTL d RECOMPRESS CODEC(Quick); -- { serverError UNKNOWN_CODEC }
CREATE TABLE e (k UInt32, d Date) ENGINE = MergeTree ORDER BY k TTL d RECOMPRESS CODEC(Delta); -- { serverError BAD_ARGUMENTS }
CREATE TABLE e (k UInt32, d Date) ENGINE = MergeTree ORDER BY k TTL d RECOMPRESS CODEC(LZ4, LZ4); -- { serverError BAD_ARGUMENTS }
CREATE TABLE e (k UInt32, d Date) ENGINE = MergeTree ORDER BY k TTL d RECOMPRESS CODEC(LZ4) WHERE k = 1; -- { serverError SYNTAX_ERROR }
CREATE TABLE e (k UInt32, d Date) ENGINE = MergeTree ORDER BY k TTL d TO DISK 'nowhere'; -- { serverError BAD_TTL_EXPRESSION }
CREATE TABLE e (k UInt32, d Date) ENGINE = MergeTree ORDER BY k TTL d TO VOLUME 'nowhere'; -- { serverError BAD_TTL_EXPRESSION }
