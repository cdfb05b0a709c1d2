-- { configs: default }
-- Dates and times that the partition key reads.
CREATE TABLE by_time (t DateTime, x Int32) ENGINE = MergeTree PARTITION BY toYYYYMM(t) ORDER BY x;
CREATE TABLE two_dates (d Date, e Date, t DateTime) ENGINE = MergeTree PARTITION BY (d, e, t) ORDER BY d;
CREATE TABLE fine_time (t DateTime64(3), n Int8) ENGINE = MergeTree PARTITION BY (toDate(t), n) ORDER BY t;
CREATE TABLE wide_date (d Date32) ENGINE = MergeTree PARTITION BY d ORDER BY d;
CREATE TABLE one_date (d Date, t DateTime) ENGINE = MergeTree PARTITION BY (toYear(d), toMonth(d), toHour(t)) ORDER BY d;
CREATE TABLE not_divided (d Date, x Int8) ENGINE = MergeTree ORDER BY d;
CREATE TABLE two_times (t DateTime, u DateTime) ENGINE = MergeTree PARTITION BY (toYYYYMM(t), u) ORDER BY t;
INSERT INTO by_time VALUES ('2021-03-01 00:00:05', 1), ('2021-03-31 12:00:00', 2), ('2021-04-01 00:00:00', 3);
INSERT INTO two_dates VALUES ('2021-01-01', '2021-01-01', '2021-01-01 00:00:00');
INSERT INTO fine_time VALUES ('2021-01-01 00:00:01.234', 7), ('2021-01-01 00:00:04.934', 7);
INSERT INTO wide_date VALUES ('2021-01-01');
INSERT INTO one_date VALUES ('2021-01-05', '2021-01-05 01:00:00'), ('2021-01-31', '2021-01-31 01:30:00');
INSERT INTO not_divided VALUES ('2021-01-01', 1);
INSERT INTO two_times VALUES ('2021-01-01 00:00:05', '2021-01-01 00:00:05');
SELECT table, partition_id, min_date, max_date, min_time, max_time FROM system.parts WHERE database = currentDatabase() AND active ORDER BY table, name;
SELECT table, column, min_date, max_date, min_time, max_time FROM system.parts_columns WHERE database = currentDatabase() AND active ORDER BY table, name, column;

-- Sizes.
CREATE TABLE sized (k UInt32, s String, INDEX i s TYPE set(0) GRANULARITY 1, PROJECTION p (SELECT s ORDER BY s)) ENGINE = MergeTree ORDER BY k;
INSERT INTO sized SELECT number, toString(number) FROM numbers(1000);
SELECT rows, data_compressed_bytes > 0, data_uncompressed_bytes > data_compressed_bytes, marks_bytes > 0, primary_key_bytes_in_memory > 0, bytes_on_disk > data_compressed_bytes FROM system.parts WHERE database = currentDatabase() AND table = 'sized';
SELECT secondary_indices_compressed_bytes > 0, secondary_indices_uncompressed_bytes > 0, secondary_indices_marks_bytes > 0, length(hash_of_all_files), projections, has_lightweight_delete, visible, level, data_version FROM system.parts WHERE database = currentDatabase() AND table = 'sized';
SELECT name, parent_name, rows, data_uncompressed_bytes > 0, parent_data_uncompressed_bytes > 0, parent_rows FROM system.projection_parts WHERE database = currentDatabase() AND table = 'sized';
SELECT total_bytes_uncompressed > total_bytes, total_marks, parts, active_parts FROM system.tables WHERE database = currentDatabase() AND name = 'sized';
