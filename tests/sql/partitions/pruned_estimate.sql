-- { configs: default }
-- EXPLAIN ESTIMATE counts the parts that are left when partitions are skipped.
CREATE TABLE m (k Int32, v UInt32) ENGINE = MergeTree PARTITION BY k % 10 ORDER BY v;
INSERT INTO m SELECT number, number FROM numbers(100);
EXPLAIN ESTIMATE SELECT count(v) FROM m WHERE k % 10 = 7;
EXPLAIN ESTIMATE SELECT sum(v) FROM m WHERE k % 10 IN (1, 2, 3);
EXPLAIN ESTIMATE SELECT sum(v) FROM m WHERE v < 1000;
