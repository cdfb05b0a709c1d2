-- { fixedEngine }
-- The engine Log: rows in files that only grow.
CREATE TABLE t (n UInt64, s String, o Nullable(Int16), d Date DEFAULT '2024-02-03', a Array(UInt8), m Map(String, UInt8), lc LowCardinality(String), t Tuple(x UInt8, y String), w Decimal(20, 3)) ENGINE = Log COMMENT 'a log';
SHOW CREATE TABLE t;
SELECT count(), sum(n) FROM t;
SELECT engine, engine_full, storage_policy, has_own_data, total_rows, total_bytes, comment FROM system.tables WHERE database = currentDatabase() AND name = 't';
INSERT INTO t VALUES (3, 'c', NULL, '2020-01-01', [1, 2], map('k', 1), 'lc', (1, 'one'), 1.5), (1, 'a', 7, '2021-01-01', [], map(), '', (0, ''), -2.25);
INSERT INTO t (n, s) VALUES (2, 'b');
SELECT * FROM t ORDER BY n;
SELECT count() FROM t WHERE s != 'a';
SELECT s, d FROM t ORDER BY n;
SELECT count() FROM t WHERE o IS NULL;
SELECT total_rows, total_bytes > 0, parts FROM system.tables WHERE database = currentDatabase() AND name = 't';
INSERT INTO t (n, s) SELECT n + 10, s FROM t;
SELECT n, s FROM t ORDER BY n;
INSERT INTO t (n) SELECT number FROM numbers(100000);
SELECT count(), sum(n), uniqExact(d) FROM t;
SELECT n FROM t WHERE s = '' AND n IN (0, 65535, 65536, 99999) ORDER BY n;
TRUNCATE TABLE t;
SELECT count() FROM t;
INSERT INTO t (n) VALUES (5);
SELECT n, d, m, t, w FROM t;
INSERT INTO t (n) SELECT throwIf(number = 3) FROM numbers(5); -- { serverError FUNCTION_THROW_IF_VALUE_IS_NON_ZERO }
SELECT n FROM t;
RENAME TABLE t TO u;
INSERT INTO u (n) VALUES (7);
SELECT n FROM u ORDER BY n;
CREATE TABLE v (x UInt8, y UInt8 MATERIALIZED x + 1, z UInt8 ALIAS x + 2, e UInt8 EPHEMERAL 9, f UInt8 DEFAULT e, CONSTRAINT c CHECK x < 100) ENGINE = Log;
INSERT INTO v (x) VALUES (1), (2);
INSERT INTO v (x) VALUES (200); -- { serverError VIOLATED_CONSTRAINT }
SELECT x, y, z, f FROM v ORDER BY x;
CREATE TABLE w AS v;
INSERT INTO w (x) SELECT x FROM v;
SELECT y FROM w ORDER BY y;
CREATE TABLE c ENGINE = Log AS SELECT number AS n, toString(number) AS s FROM numbers(4);
SELECT * FROM c ORDER BY n;
CREATE OR REPLACE TABLE c ENGINE = Log AS SELECT n + 1 AS n FROM c;
SELECT * FROM c ORDER BY n;
SELECT n FROM c FINAL; -- { serverError ILLEGAL_FINAL }
OPTIMIZE TABLE c; -- { serverError NOT_IMPLEMENTED }
ALTER TABLE v DROP CONSTRAINT c; -- { serverError NOT_IMPLEMENTED }
CREATE TABLE s (x UInt8) ENGINE = Log SETTINGS any_setting = 1;
SHOW CREATE TABLE s;
DROP TABLE u;
SELECT count() FROM u; -- { serverError UNKNOWN_TABLE }
CREATE TABLE u (x String) ENGINE = Log;
SELECT count() FROM u;
