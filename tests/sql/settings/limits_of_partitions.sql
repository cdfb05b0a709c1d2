-- { fixedEngine }
CREATE TABLE parts (k UInt32) ENGINE = MergeTree PARTITION BY k ORDER BY k;
INSERT INTO parts SELECT number FROM numbers(101) SETTINGS max_block_size = 1000, max_threads = 1; -- { serverError TOO_MANY_PARTS }
INSERT INTO parts SELECT number FROM numbers(101) SETTINGS throw_on_max_partitions_per_insert_block = 0;
INSERT INTO parts SELECT number FROM numbers(101) SETTINGS max_partitions_per_insert_block = 0;
INSERT INTO parts SELECT number FROM numbers(101) SETTINGS max_partitions_per_insert_block = 101;
INSERT INTO parts SETTINGS max_partitions_per_insert_block = 2, max_threads = 1 VALUES (1), (2), (3); -- { serverError TOO_MANY_PARTS }
SELECT count() FROM parts;
