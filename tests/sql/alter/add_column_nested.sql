-- A part of a Nested structure has the lengths of its other parts.
CREATE TABLE t (k UInt8, `n.a` Array(UInt8), z UInt8) ENGINE = MergeTree ORDER BY k;
INSERT INTO t VALUES (1, [1, 2], 3), (2, [], 4);
ALTER TABLE t ADD COLUMN `n.c` Array(String);
SELECT k, n.a, n.c FROM t ORDER BY k;
SELECT k, a, c FROM t ARRAY JOIN n.a AS a, n.c AS c ORDER BY k, a;
ALTER TABLE t ADD COLUMN y UInt8 AFTER n;
ALTER TABLE t ADD COLUMN n UInt8; -- { serverError DUPLICATE_COLUMN }
DESCRIBE t;
SELECT * FROM t ORDER BY k;
