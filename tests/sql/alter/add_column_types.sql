-- Values of types in rows that were there before: with and without defaults.
CREATE TABLE t (k UInt8) ENGINE = MergeTree ORDER BY k;
INSERT INTO t VALUES (1), (2);
ALTER TABLE t
    ADD COLUMN e Enum8('x' = 5, 'y' = 3), ADD COLUMN e2 Enum8('x' = 5, 'y' = 3) DEFAULT 'x',
    ADD COLUMN n Nullable(UInt8), ADD COLUMN n2 Nullable(UInt8) DEFAULT 4, ADD COLUMN n3 Nullable(String) DEFAULT if(k = 1, NULL, 'two'),
    ADD COLUMN l LowCardinality(String), ADD COLUMN l2 LowCardinality(String) DEFAULT 'lc', ADD COLUMN l3 LowCardinality(Nullable(String)) DEFAULT toString(k),
    ADD COLUMN d Decimal(10, 2), ADD COLUMN d2 Decimal(10, 2) DEFAULT 1.5,
    ADD COLUMN dt DateTime('UTC'), ADD COLUMN dt2 DateTime('UTC') DEFAULT '2020-01-01 00:00:00', ADD COLUMN dt3 DateTime64(3, 'UTC') DEFAULT toDateTime64('2020-01-01 00:00:00.123', 3, 'UTC'),
    ADD COLUMN arr Array(UInt8), ADD COLUMN arr2 Array(String) DEFAULT ['a', toString(k)],
    ADD COLUMN m Map(String, UInt8), ADD COLUMN m2 Map(String, UInt8) DEFAULT map('k', k),
    ADD COLUMN u UUID, ADD COLUMN tu Tuple(a UInt8, b String), ADD COLUMN tu2 Tuple(a UInt8, b String) DEFAULT (k, 'b'),
    ADD COLUMN b Bool, ADD COLUMN b2 Bool DEFAULT true, ADD COLUMN f FixedString(3), ADD COLUMN f2 FixedString(3) DEFAULT 'ab',
    ADD COLUMN dd Date, ADD COLUMN d32 Date32, ADD COLUMN fl Float64 DEFAULT nan;
SELECT e, e2, n, n2, n3, l, l2, l3, d, d2 FROM t ORDER BY k;
SELECT dt, dt2, dt3, arr, arr2, m, m2, u, tu, tu2 FROM t ORDER BY k;
SELECT b, b2, hex(f), hex(f2), dd, d32, fl FROM t ORDER BY k;
SELECT count() FROM t WHERE e = 'x';
SELECT count() FROM t WHERE e = 'y' AND n IS NULL AND l2 = 'lc' AND d2 > 1 AND b2 AND fl != 0;
SELECT l2, l3, count() FROM t GROUP BY l2, l3 ORDER BY l3;
SELECT min(e), max(e2), min(fl), min(dt), min(d32) FROM t;
INSERT INTO t (k) VALUES (3);
OPTIMIZE TABLE t FINAL;
SELECT e, e2, n, n2, n3, l, l2, l3, d, d2 FROM t ORDER BY k;
SELECT dt, dt2, dt3, arr, arr2, m, m2, u, tu, tu2 FROM t ORDER BY k;
SELECT b, b2, hex(f), hex(f2), dd, d32, fl FROM t ORDER BY k;
