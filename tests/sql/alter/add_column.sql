-- Columns appear at once, and rows that are there get the values of their defaults.
CREATE TABLE t (a UInt64, s String, d UInt64 MATERIALIZED a * 2, l UInt64 ALIAS a + 1, e String EPHEMERAL) ENGINE = MergeTree ORDER BY a;
-- The number of parts is looked at below: nothing merges, and each INSERT is one block.
SYSTEM STOP MERGES t;
SET max_threads = 1, max_block_size = 1000;
INSERT INTO t (a, s) VALUES (1, 'x'), (2, 'y');
ALTER TABLE t ADD COLUMN b UInt8 DEFAULT a + 1;
SELECT *, b FROM t ORDER BY a;
DESCRIBE t;
SHOW CREATE TABLE t;
ALTER TABLE t ADD COLUMN f UInt8 FIRST, ADD COLUMN c String AFTER f, ADD COLUMN g Float64 AFTER s;
DESCRIBE t;
SELECT * FROM t ORDER BY a;
INSERT INTO t VALUES (1, 'c', 7, 's7', 1.5, 9);
SELECT * FROM t ORDER BY a;
SELECT name, position, type, default_kind, default_expression FROM system.columns WHERE table = 't' AND database = currentDatabase() ORDER BY position;
-- IF NOT EXISTS looks at nothing else.
ALTER TABLE t ADD COLUMN IF NOT EXISTS a String DEFAULT nothing AFTER nowhere;
ALTER TABLE t ADD COLUMN IF NOT EXISTS a String, ADD COLUMN IF NOT EXISTS h Int8 DEFAULT -1;
SELECT a, h FROM t ORDER BY a;
-- Codec and comment.
ALTER TABLE t ADD COLUMN k UInt64 CODEC(Delta, ZSTD) COMMENT 'hello' AFTER a, ADD COLUMN `a b` Nullable(String);
SHOW CREATE TABLE t;
ALTER TABLE t ADD COLUMN n1 UInt8 NULL, ADD COLUMN n2 UInt8 NOT NULL;
SELECT n1, n2, toTypeName(n1), toTypeName(n2) FROM t ORDER BY a;
SELECT comment FROM system.columns WHERE table = 't' AND name = 'k' AND database = currentDatabase();
SELECT count() FROM system.parts WHERE table = 't' AND active AND database = currentDatabase();
DROP TABLE t;
-- A table without rows, and one whose columns were added before its first row.
CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a;
ALTER TABLE t ADD COLUMN b UInt64 DEFAULT a * 10;
SELECT * FROM t;
INSERT INTO t (a) VALUES (1);
INSERT INTO t VALUES (2, 3);
SELECT * FROM t ORDER BY a;
TRUNCATE TABLE t;
SELECT count(), sum(b) FROM t;
CREATE TABLE copy AS t;
INSERT INTO copy (a) VALUES (4);
SELECT * FROM copy;
ALTER TABLE copy ADD COLUMN c String DEFAULT toString(b);
INSERT INTO t SELECT a, b FROM copy;
SELECT * FROM t;
DESCRIBE t;
RENAME TABLE copy TO other;
ALTER TABLE other ADD COLUMN d String DEFAULT concat(c, c);
SELECT * FROM other;
