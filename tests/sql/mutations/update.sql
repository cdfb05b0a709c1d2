-- ALTER TABLE ... UPDATE: new values at once, whatever reads the table.
CREATE TABLE t (id UInt64, a Int32, s String, n Nullable(Float64), l LowCardinality(String), arr Array(String), tu Tuple(x UInt8, y String), m Map(String, UInt32), f FixedString(3), d Date, dt DateTime64(3), de Decimal(18, 3), e Enum8('x' = 1, 'y' = 2)) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT number, number, toString(number), number / 2, toString(number % 2), [toString(number)], (number, 'y'), map('k', number), 'abc', '2024-01-01', '2024-01-01 00:00:00.123', number, 'x' FROM numbers(20);
ALTER TABLE t UPDATE a = -1 WHERE id = 3;
SELECT id, a FROM t WHERE id < 6 ORDER BY id;
ALTER TABLE t UPDATE a = a * 10, s = concat(s, '!') WHERE id % 5 = 0;
SELECT id, a, s FROM t ORDER BY id;
ALTER TABLE t UPDATE n = NULL WHERE id < 2;
ALTER TABLE t UPDATE n = 1.5 WHERE id = 2;
SELECT id, n FROM t WHERE id < 4 ORDER BY id;
SELECT count(n), countIf(n.null) FROM t;
ALTER TABLE t UPDATE l = 'new' WHERE id >= 18;
SELECT l, count() FROM t GROUP BY l ORDER BY l;
ALTER TABLE t UPDATE arr = arrayConcat(arr, ['z']) WHERE id = 7;
SELECT arr, arr.size0 FROM t WHERE id IN (6, 7, 8) ORDER BY id;
ALTER TABLE t UPDATE tu = (9, 'nine') WHERE id = 9;
SELECT tu, tu.x, tu.y FROM t WHERE id IN (8, 9) ORDER BY id;
ALTER TABLE t UPDATE m = map('q', 1, 'k', 2) WHERE id = 10;
SELECT m, m['k'], m.keys FROM t WHERE id IN (10, 11) ORDER BY id;
ALTER TABLE t UPDATE f = 'de', d = '2025-02-03', dt = '2025-02-03 04:05:06.789', de = 1.25, e = 'y' WHERE id = 12;
SELECT f, d, dt, de, e FROM t WHERE id IN (11, 12) ORDER BY id;
ALTER TABLE t UPDATE e = 2 WHERE id = 13;
SELECT e FROM t WHERE id = 13;
-- The bounds of a changed column must not hide rows.
ALTER TABLE t UPDATE a = 1000000 WHERE id = 19;
SELECT id FROM t WHERE a = 1000000;
SELECT id FROM t WHERE a > 500 ORDER BY id;
SELECT max(a), min(a) FROM t;
SELECT count() FROM t WHERE a = 19;
SELECT id FROM t WHERE s = '15!' ORDER BY id;
SELECT id, a FROM t ORDER BY a DESC LIMIT 3;
SELECT id, a FROM t ORDER BY a LIMIT 3;
-- A column may take the values of others, also of those that are set along.
ALTER TABLE t UPDATE a = id, s = toString(a) WHERE id BETWEEN 1 AND 3;
SELECT id, a, s FROM t WHERE id BETWEEN 1 AND 3 ORDER BY id;
-- Several commands, one after the other.
ALTER TABLE t UPDATE a = 7 WHERE id = 1, UPDATE s = toString(a) WHERE a = 7, DELETE WHERE s = '7' AND id > 5;
SELECT id, a, s FROM t WHERE s = '7' OR id BETWEEN 6 AND 8 ORDER BY id;
-- Conversions.
ALTER TABLE t UPDATE a = '42' WHERE id = 4;
ALTER TABLE t UPDATE a = 5.7 WHERE id = 5;
ALTER TABLE t UPDATE a = 4294967297 WHERE id = 6;
ALTER TABLE t UPDATE s = 8 WHERE id = 8;
ALTER TABLE t UPDATE d = '2026-01-01 10:00:00' WHERE id = 4;
ALTER TABLE t UPDATE n = '2.5' WHERE id = 4;
SELECT id, a, s, n FROM t WHERE id IN (4, 5, 6, 8) ORDER BY id;
-- Subqueries.
ALTER TABLE t UPDATE a = (SELECT max(id) FROM t) WHERE id = 4;
SELECT a FROM t WHERE id = 4;
ALTER TABLE t UPDATE s = 'in' WHERE id IN (SELECT number * 2 FROM numbers(4));
SELECT groupArray(id) FROM (SELECT id FROM t WHERE s = 'in' ORDER BY id);
-- Nothing matches, everything matches.
ALTER TABLE t UPDATE a = 0 WHERE id > 100;
ALTER TABLE t UPDATE a = 3 WHERE 1;
SELECT min(a), max(a), sum(a), count() FROM t;
SELECT count() FROM t WHERE a != 3;
SELECT count() FROM t WHERE a = 3;
OPTIMIZE TABLE t FINAL;
SELECT id, a, s, n, l, arr, tu, m, f, d, de, e FROM t ORDER BY id;
INSERT INTO t (id, a) VALUES (100, 100);
ALTER TABLE t UPDATE a = a + 1 WHERE a >= 3;
SELECT a, count() FROM t GROUP BY a ORDER BY a;
DELETE FROM t WHERE id = 100;
ALTER TABLE t UPDATE a = a + 1 WHERE 1;
SELECT a, count() FROM t GROUP BY a ORDER BY a;
ALTER TABLE t UPDATE s = repeat('long ', 100) WHERE id = 11;
SELECT length(s) FROM t WHERE id = 11;
OPTIMIZE TABLE t FINAL;
SELECT sum(length(s)), sum(a), count() FROM t;
DROP TABLE t;

-- Columns that are added later, and their defaults.
CREATE TABLE c (id UInt32, x UInt32) ENGINE = MergeTree ORDER BY id;
INSERT INTO c SELECT number, number FROM numbers(6);
ALTER TABLE c ADD COLUMN y UInt32 DEFAULT x * 2;
ALTER TABLE c UPDATE y = 100 WHERE id = 1;
SELECT * FROM c ORDER BY id;
ALTER TABLE c UPDATE x = 50 WHERE id = 2;
SELECT * FROM c ORDER BY id;
DELETE FROM c WHERE y = 100;
SELECT * FROM c ORDER BY id;
ALTER TABLE c ADD COLUMN z String DEFAULT concat('z', toString(id)), UPDATE z = 'set' WHERE id = 4;
SELECT * FROM c ORDER BY id;
ALTER TABLE c UPDATE z = upper(z) WHERE id > 3;
SELECT z FROM c ORDER BY id;
OPTIMIZE TABLE c FINAL;
SELECT * FROM c ORDER BY id;
DROP TABLE c;

-- MATERIALIZED columns follow, DEFAULT columns do not.
CREATE TABLE v (id UInt32, a UInt32, b UInt32 DEFAULT a + 1, c UInt32 MATERIALIZED a * 10, d UInt32 MATERIALIZED c + b, l UInt32 ALIAS a + 100, w String MATERIALIZED toString(l)) ENGINE = MergeTree ORDER BY id;
INSERT INTO v (id, a) VALUES (1, 1), (2, 2), (3, 3);
SELECT *, c, d, l, w FROM v ORDER BY id;
ALTER TABLE v UPDATE a = 5 WHERE id = 2;
SELECT *, c, d, l, w FROM v ORDER BY id;
ALTER TABLE v UPDATE b = 7 WHERE id = 3;
SELECT *, c, d, l, w FROM v ORDER BY id;
ALTER TABLE v UPDATE a = 8, b = 9 WHERE id = 1;
SELECT *, c, d, l, w FROM v ORDER BY id;
ALTER TABLE v UPDATE a = l WHERE c = 30;
SELECT *, c, d, l, w FROM v ORDER BY id;
ALTER TABLE v DELETE WHERE d > 1000;
SELECT *, c, d, l, w FROM v ORDER BY id;
DROP TABLE v;
