-- { fixedEngine }
-- Arrays that are added to a group are as long in old rows as the others.
CREATE TABLE t (id UInt8, n Nested(a UInt8, b String)) ENGINE = MergeTree ORDER BY id;
INSERT INTO t VALUES (1, [1,2], ['x','y']), (2, [], []);
ALTER TABLE t ADD COLUMN n.c Array(UInt16);
ALTER TABLE t ADD COLUMN `n.z` Array(LowCardinality(String)) FIRST;
SELECT *, n FROM t ORDER BY id;
SELECT n.c.size0, n.z.size0 FROM t ORDER BY id;
SELECT id, n.c FROM t WHERE length(n.c) = 2;
SELECT id, n.z, n.c FROM t ARRAY JOIN n.z, n.c ORDER BY id;
INSERT INTO t (id, n.z) VALUES (3, ['q']);
SELECT * FROM t ORDER BY id;
SHOW CREATE TABLE t;
ALTER TABLE t ADD COLUMN n Nested(d UInt8, e UInt8); -- { serverError DUPLICATE_COLUMN }
ALTER TABLE t ADD COLUMN IF NOT EXISTS n Nested(d UInt8, f UInt8);
ALTER TABLE t ADD COLUMN n UInt8; -- { serverError DUPLICATE_COLUMN }
ALTER TABLE t ADD COLUMN m Nested(d UInt8, e UInt8) AFTER id;
ALTER TABLE t ADD COLUMN k Nested(d UInt8, e UInt8) FIRST;
ALTER TABLE t ADD COLUMN v UInt8 AFTER m;
ALTER TABLE t ADD COLUMN y Nested(p UInt8, q UInt8) AFTER n;
ALTER TABLE t ADD COLUMN o Nested(p UInt8), ADD COLUMN `o.r` Array(String) DEFAULT arrayMap(x -> toString(x), o.p);
SHOW CREATE TABLE t;
INSERT INTO t (id, k.d, o.p) VALUES (4, [1,2], [5,6]);
SELECT * FROM t ORDER BY id;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY id;
SELECT k, m, n, o, y FROM t ORDER BY id;
