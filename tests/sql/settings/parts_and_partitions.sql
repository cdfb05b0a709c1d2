-- { configs: default }
CREATE TABLE t (a Int32, b Int32) ENGINE = MergeTree ORDER BY a PARTITION BY b SETTINGS max_parts_in_total = 2, inactive_parts_to_throw_insert = 10;
INSERT INTO t VALUES (1, 1), (2, 2);
INSERT INTO t VALUES (3, 3); -- { serverError TOO_MANY_PARTS }
SELECT * FROM t ORDER BY a;
SELECT * FROM t SETTINGS max_partitions_to_read = 1; -- { serverError TOO_MANY_PARTITIONS }
SELECT * FROM t ORDER BY a SETTINGS max_partitions_to_read = 2;
SELECT * FROM t WHERE b = 1 SETTINGS max_partitions_to_read = 1;
SELECT * FROM t ORDER BY a SETTINGS max_partitions_to_read = 0;
SELECT * FROM t WHERE b = 5 SETTINGS max_partitions_to_read = 1;
SELECT count() FROM t SETTINGS max_partitions_to_read = 1;
DROP TABLE t;
CREATE TABLE t (a Int32, b Int32) ENGINE = ReplacingMergeTree ORDER BY a PARTITION BY b SETTINGS max_partitions_to_read = 1;
INSERT INTO t VALUES (1, 1), (2, 2);
SELECT * FROM t WHERE b = 1;
SELECT * FROM t; -- { serverError TOO_MANY_PARTITIONS }
SELECT * FROM t FINAL; -- { serverError TOO_MANY_PARTITIONS }
SELECT * FROM t ORDER BY a SETTINGS max_partitions_to_read = 2;
DROP TABLE t;
