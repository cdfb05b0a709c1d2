-- { fixedEngine }
-- SHOW CREATE and the engines.
CREATE TABLE t (id UInt8, n Nested(a UInt8, b String)) ENGINE = MergeTree ORDER BY id;
SHOW CREATE TABLE t;
SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = 't';
INSERT INTO t VALUES (1, [1,2], ['x','y']), (2, [], []);
CREATE TABLE t2 AS t;
SHOW CREATE TABLE t2;
CREATE TABLE t3 ENGINE = Memory AS SELECT * FROM t;
SHOW CREATE TABLE t3;
CREATE TABLE t4 ENGINE = Memory AS SELECT n, id FROM t;
SHOW CREATE TABLE t4;
CREATE TABLE t5 (id UInt8, n Nested(a UInt8, b String)) ENGINE = Memory AS SELECT * FROM t;
SHOW CREATE TABLE t5;
SELECT * FROM t5 ORDER BY id;
CREATE TABLE t6 (id UInt8, n Nested(a UInt8, b String)) ENGINE = Memory AS SELECT id, n FROM t; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
CREATE VIEW v AS SELECT * FROM t;
SHOW CREATE TABLE v;
CREATE TABLE l (id UInt8, n Nested(a UInt8, b String)) ENGINE = Log;
SHOW CREATE TABLE l;
INSERT INTO l VALUES (1, [1,2], ['x','y']);
SELECT *, n FROM l;
-- Codecs, comments and defaults belong to every array.
CREATE TABLE c (id UInt8, n Nested(a UInt8, b UInt8) CODEC(ZSTD(3)) COMMENT 'hello') ENGINE = MergeTree ORDER BY id;
SHOW CREATE TABLE c;
CREATE TABLE d (id UInt8, n Nested(a UInt8, b UInt8) DEFAULT []) ENGINE = MergeTree ORDER BY id;
SHOW CREATE TABLE d;
CREATE TABLE a (id UInt8, n Nested(a UInt8, b UInt8) ALIAS []) ENGINE = MergeTree ORDER BY id;
SHOW CREATE TABLE a;
INSERT INTO a VALUES (1);
SELECT *, n FROM a;
CREATE TABLE k (n Nested(a UInt8, b UInt8)) ENGINE = MergeTree ORDER BY n.a;
SHOW CREATE TABLE k;
CREATE TABLE k2 (n Nested(a UInt8, b UInt8)) ENGINE = MergeTree ORDER BY n; -- { serverError UNKNOWN_IDENTIFIER }
-- Only the outermost Nested is flattened.
CREATE TABLE i (id UInt8, n Nested(a UInt8, b Nested(c UInt8, d String)), o Array(Nested(x UInt8)), p Tuple(x Nested(y UInt8), z UInt8)) ENGINE = MergeTree ORDER BY id;
SHOW CREATE TABLE i;
INSERT INTO i VALUES (1, [1,2], [[(1,'x')],[(2,'y'),(3,'z')]], [[(7)]], ([(8)], 9));
SELECT * FROM i;
SELECT n.b.c, toTypeName(n.b), n.b.d, n.b.size0, n.b.size1, p.x.y, toTypeName(p), o.x FROM i;
SELECT id, n.a, n.b, toTypeName(n.b), n.b.c FROM i ARRAY JOIN n ORDER BY n.a;
