-- Defaults that read other columns, be they there or not.
CREATE TABLE t (a UInt64, s String, l UInt64 ALIAS a + 1) ENGINE = MergeTree ORDER BY a;
INSERT INTO t (a, s) VALUES (1, 'x'), (2, 'y');
ALTER TABLE t ADD COLUMN b UInt64 DEFAULT c + 1, ADD COLUMN c UInt64 DEFAULT a + 5;
SELECT b FROM t ORDER BY a;
SELECT c, b FROM t ORDER BY a;
INSERT INTO t (a, c) VALUES (3, 100);
INSERT INTO t (a, b) VALUES (4, 200);
SELECT a, b, c FROM t ORDER BY a;
-- An alias, a column that is only given, a materialised one.
ALTER TABLE t ADD COLUMN from_alias UInt64 DEFAULT l * 2, ADD COLUMN given UInt64 EPHEMERAL 5, ADD COLUMN from_given UInt64 DEFAULT given + a;
SELECT a, from_alias, from_given FROM t ORDER BY a;
INSERT INTO t (a, given) VALUES (5, 1000);
SELECT a, from_alias, from_given FROM t ORDER BY a;
ALTER TABLE t ADD COLUMN m UInt64 MATERIALIZED b * 3, ADD COLUMN al String ALIAS concat(s, '!', toString(m));
SELECT a, m, al FROM t ORDER BY a;
INSERT INTO t (a, b) VALUES (6, 7);
SELECT a, b, m, al FROM t WHERE m > 20 ORDER BY a;
INSERT INTO t (a, m) VALUES (1, 2); -- { serverError ILLEGAL_COLUMN }
-- Functions of the row, with lambdas; of the statement; of chance.
ALTER TABLE t ADD COLUMN r Array(UInt64) DEFAULT arrayMap(x -> x + a, range(toUInt8(a))), ADD COLUMN now_ DateTime DEFAULT now(), ADD COLUMN chance UInt64 DEFAULT rand64();
SELECT a, r FROM t ORDER BY a;
SELECT a FROM t WHERE has(r, 7) ORDER BY a;
SELECT min(now_ > '2020-01-01 00:00:00'), uniqExact(chance) > 1 FROM t;
-- One level behind the other.
ALTER TABLE t ADD COLUMN x1 UInt64 DEFAULT a + 1, ADD COLUMN x2 UInt64 DEFAULT x1 + x1, ADD COLUMN x3 UInt64 DEFAULT x2 + x1, ADD COLUMN x4 UInt64 DEFAULT x3 + x2;
SELECT a, x4 FROM t ORDER BY a;
SELECT x4 FROM t WHERE x2 = 6;
SELECT a FROM t PREWHERE x4 > 20 WHERE x3 < 20 ORDER BY a;
SELECT sum(x1), sum(x2), sum(x3), sum(x4) FROM t;
OPTIMIZE TABLE t FINAL;
SELECT sum(x1), sum(x2), sum(x3), sum(x4), sum(m), sum(from_given), count() FROM t;
SELECT a, b, c, from_alias, from_given, m, r FROM t ORDER BY a;
