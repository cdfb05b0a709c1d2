-- { fixedEngine }
-- What SHOW CREATE and the system tables say of materialised views.
CREATE TABLE src (k UInt8, v Int32, d Date) ENGINE = MergeTree ORDER BY k;
CREATE MATERIALIZED VIEW a ENGINE = MergeTree PARTITION BY toYYYYMM(d) ORDER BY (k, d) AS SELECT k, d, v FROM src;
SHOW CREATE TABLE a;
CREATE MATERIALIZED VIEW b ENGINE = SummingMergeTree(s) PRIMARY KEY k ORDER BY (k, d) SETTINGS index_granularity = 100 AS SELECT k, d, sum(v) AS s FROM src GROUP BY k, d;
SHOW CREATE TABLE b;
SHOW CREATE VIEW b;
CREATE MATERIALIZED VIEW c AS SELECT k FROM src;
SHOW CREATE TABLE c;
CREATE MATERIALIZED VIEW d ENGINE = Memory DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT k FROM src;
SHOW CREATE TABLE d;
CREATE MATERIALIZED VIEW e ENGINE = Memory COMMENT 'it''s' AS SELECT k FROM src;
SHOW CREATE TABLE e;
CREATE MATERIALIZED VIEW f (x UInt64 COMMENT 'the x', y String DEFAULT 'q' CODEC(ZSTD(3)), INDEX i x TYPE minmax GRANULARITY 2, CONSTRAINT c CHECK x < 200) ENGINE = MergeTree ORDER BY x AS SELECT k AS x FROM src;
SHOW CREATE TABLE f;
DESCRIBE TABLE f;
CREATE MATERIALIZED VIEW g (a, b) ENGINE = Memory AS SELECT k, v FROM src;
SHOW CREATE TABLE g;
CREATE TABLE t (k UInt16, extra String) ENGINE = MergeTree ORDER BY k;
CREATE MATERIALIZED VIEW h TO t AS SELECT k FROM src COMMENT 'behind';
SHOW CREATE TABLE h;
CREATE MATERIALIZED VIEW i TO t (k UInt16) AS SELECT k FROM src;
SHOW CREATE TABLE i;
CREATE MATERIALIZED VIEW j TO t (`k` UInt8, `extra` LowCardinality(String)) AS SELECT k, toString(v) AS extra FROM src;
SHOW CREATE TABLE j;
CREATE MATERIALIZED VIEW m ENGINE = Memory POPULATE AS WITH q AS (SELECT k FROM src) SELECT k, count() AS n FROM q GROUP BY k;
SHOW CREATE TABLE m;
INSERT INTO src VALUES (1, 2, '2024-01-01'), (1, 3, '2024-01-01');
SELECT * FROM a ORDER BY ALL;
SELECT * FROM b ORDER BY ALL;
SELECT * FROM f ORDER BY ALL;
SELECT * FROM g ORDER BY ALL;
SELECT * FROM t ORDER BY ALL;
SELECT * FROM j ORDER BY ALL;
SELECT toTypeName(extra) FROM j LIMIT 1;
SELECT * FROM m;
SELECT name, engine, engine_full, create_table_query, as_select, comment FROM system.tables WHERE database = currentDatabase() AND name NOT LIKE '.%' ORDER BY name;
SELECT name, total_rows FROM system.tables WHERE database = currentDatabase() AND name IN ('a', 'b', 'h', 'm') ORDER BY name;
SELECT replaceRegexpAll(create_table_query, '[0-9a-f]{8}-[0-9a-f-]{27}', 'U') AS q FROM system.tables WHERE database = currentDatabase() AND name LIKE '.inner%' ORDER BY q;
SELECT table, name, type, comment FROM system.columns WHERE database = currentDatabase() AND table IN ('f', 'j') ORDER BY table, position;
SELECT dependencies_table FROM system.tables WHERE database = currentDatabase() AND name = 't';
OPTIMIZE TABLE b FINAL;
TRUNCATE TABLE h;
SELECT count() FROM t;
TRUNCATE TABLE b;
SELECT count() FROM b;
ALTER TABLE h MODIFY COMMENT 'new';
SHOW CREATE TABLE h;
ALTER TABLE h MODIFY QUERY SELECT k, 'z' AS extra FROM src WHERE k > 0;
SHOW CREATE TABLE h;
ALTER TABLE a MODIFY QUERY SELECT k, d, v + 1 AS v FROM src;
SHOW CREATE TABLE a;
ALTER TABLE a MODIFY REFRESH EVERY 1 DAY; -- { serverError NOT_IMPLEMENTED }
ALTER TABLE a DROP COLUMN k; -- { serverError NOT_IMPLEMENTED }
ALTER TABLE a ADD CONSTRAINT c CHECK k > 1; -- { serverError NOT_IMPLEMENTED }
RENAME TABLE h TO h2;
SHOW CREATE TABLE h2;
SHOW CREATE TABLE h; -- { serverError CANNOT_GET_CREATE_TABLE_QUERY }
DROP TABLE IF EXISTS h;
DROP VIEW IF EXISTS h2;
DROP VIEW h2; -- { serverError UNKNOWN_TABLE }
CREATE TABLE copied AS t;
CREATE TABLE ofview ENGINE = Memory AS j;
SHOW CREATE TABLE ofview;
CREATE TABLE selected ENGINE = Memory AS SELECT * FROM j;
SELECT * FROM selected ORDER BY ALL;
