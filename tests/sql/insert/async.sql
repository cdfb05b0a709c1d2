-- Asynchronous INSERTs: rows are there when the statement is answered; an error belongs to its statement.
SET async_insert = 1, wait_for_async_insert = 1, async_insert_busy_timeout_min_ms = 1, async_insert_busy_timeout_max_ms = 5;
CREATE TABLE t (k UInt32, s String DEFAULT concat('d', toString(k)), CONSTRAINT few CHECK k < 1000) ENGINE = MergeTree ORDER BY k;
CREATE TABLE sums (total UInt64) ENGINE = Memory;
CREATE MATERIALIZED VIEW v TO sums AS SELECT sum(k) AS total FROM t;
INSERT INTO t VALUES (1, 'a'), (2, 'b');
INSERT INTO t (k) VALUES (3);
INSERT INTO t VALUES (1 + 3, upper('x'));
INSERT INTO t FORMAT JSONEachRow {"k": 5}
INSERT INTO t (s, k) FORMAT CSV "f",6
INSERT INTO t VALUES ('x', 'y'); -- { serverError CANNOT_PARSE_TEXT }
INSERT INTO t VALUES (1000, 'y'); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO t (nothing) VALUES (1); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
INSERT INTO no_such_table VALUES (1); -- { serverError UNKNOWN_TABLE }
INSERT INTO t SELECT 7, 'selected';
SELECT * FROM t ORDER BY k;
SELECT sum(total) FROM sums;
SELECT name, value, changed FROM system.settings WHERE name IN ('async_insert', 'wait_for_async_insert') ORDER BY name;
CREATE TABLE m (k UInt8) ENGINE = Memory;
INSERT INTO m VALUES (1);
INSERT INTO m SETTINGS async_insert_deduplicate = 1 VALUES (2);
SELECT * FROM m ORDER BY k;
