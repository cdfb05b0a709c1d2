-- { configs: default }
CREATE TABLE src (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 10;
CREATE TABLE dst (a UInt32, c UInt64) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 10;
CREATE MATERIALIZED VIEW mv TO dst AS SELECT a % 2 AS a, count() AS c FROM src GROUP BY a;
INSERT INTO src VALUES (1), (2);
INSERT INTO src VALUES (1), (2);
INSERT INTO src VALUES (3), (4);
SELECT * FROM src ORDER BY a;
SELECT * FROM dst ORDER BY ALL;
INSERT INTO src SETTINGS deduplicate_blocks_in_dependent_materialized_views = 0 VALUES (1), (2);
SELECT * FROM src ORDER BY a;
SELECT * FROM dst ORDER BY ALL;
INSERT INTO src SETTINGS insert_deduplication_token = 't' VALUES (10);
INSERT INTO src SETTINGS insert_deduplication_token = 't' VALUES (11);
SELECT * FROM src ORDER BY a;
SELECT count() FROM dst;
DROP VIEW mv;
DROP TABLE src;
DROP TABLE dst;
