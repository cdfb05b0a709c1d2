-- { echoOn }
CREATE TABLE t (k UInt64, a UInt8, s String, n Nullable(Int32), f Float64, d Date, e Enum8('a' = 1, 'b' = 2)) ENGINE = MergeTree ORDER BY k;
INSERT INTO t VALUES (1, 200, '5', 3, 1.5, '2020-01-02', 'a'), (2, 3, '12', NULL, -2.75, '2021-02-03', 'b');
INSERT INTO t VALUES (3, 0, '7', 9, 0, '1970-01-01', 'a');
ALTER TABLE t MODIFY COLUMN a UInt32;
SELECT a, toTypeName(a) FROM t ORDER BY k;
SELECT k FROM t WHERE a = 200;
SELECT k FROM t WHERE a > 100 ORDER BY k;
INSERT INTO t (k, a) VALUES (4, 70000);
SELECT k, a FROM t ORDER BY a;
SELECT sum(a), min(a), max(a) FROM t;
ALTER TABLE t MODIFY COLUMN s UInt16; -- { serverError UNFINISHED }
ALTER TABLE t MODIFY COLUMN s Nullable(UInt32);
SELECT k, s FROM t ORDER BY k;
ALTER TABLE t MODIFY COLUMN n Nullable(Int64), MODIFY COLUMN f Float32;
SELECT k, n, f FROM t ORDER BY k;
ALTER TABLE t MODIFY COLUMN d DateTime('UTC');
ALTER TABLE t MODIFY COLUMN e Enum16('a' = 1, 'b' = 2, 'c' = 300);
INSERT INTO t (k, e) VALUES (5, 'c');
SELECT k, d, e FROM t ORDER BY k;
ALTER TABLE t MODIFY COLUMN e String;
SELECT k, e, length(e) FROM t WHERE e != 'a' ORDER BY k;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY k;
DESCRIBE t;
-- Conversions follow each other, as if each was written at once.
CREATE TABLE chain (k UInt8, v UInt32, s String) ENGINE = MergeTree ORDER BY k;
INSERT INTO chain VALUES (1, 300, '007'), (2, 44, '1');
ALTER TABLE chain MODIFY COLUMN v UInt8;
ALTER TABLE chain MODIFY COLUMN v String;
ALTER TABLE chain MODIFY COLUMN s UInt8;
INSERT INTO chain VALUES (3, 'x', 255);
ALTER TABLE chain MODIFY COLUMN s String;
SELECT * FROM chain ORDER BY k;
ALTER TABLE chain MODIFY COLUMN v LowCardinality(String);
ALTER TABLE chain MODIFY COLUMN v FixedString(3);
SELECT k, v, toTypeName(v) FROM chain ORDER BY k;
OPTIMIZE TABLE chain FINAL;
SELECT * FROM chain ORDER BY k;
-- Values that cannot be converted.
CREATE TABLE bad (k UInt8, s String, b String, n Nullable(UInt8)) ENGINE = MergeTree ORDER BY k;
INSERT INTO bad VALUES (1, '5', 'abc', NULL);
ALTER TABLE bad MODIFY COLUMN s Array(UInt8), MODIFY COLUMN s UInt8;
SELECT s, toTypeName(s) FROM bad;
ALTER TABLE bad MODIFY COLUMN n String; -- { serverError BAD_ARGUMENTS }
ALTER TABLE bad MODIFY COLUMN n UInt8; -- { serverError BAD_ARGUMENTS }
ALTER TABLE bad MODIFY COLUMN n UInt8 DEFAULT 7;
SELECT n FROM bad;
ALTER TABLE bad MODIFY COLUMN n DEFAULT 8;
SELECT n FROM bad;
INSERT INTO bad (k) VALUES (2);
SELECT k, n FROM bad ORDER BY k;
ALTER TABLE bad MODIFY COLUMN s Nope; -- { serverError UNKNOWN_TYPE }
ALTER TABLE bad MODIFY COLUMN nope UInt8; -- { serverError NOT_FOUND_COLUMN_IN_BLOCK }
ALTER TABLE bad MODIFY COLUMN IF EXISTS nope UInt8;
ALTER TABLE bad MODIFY COLUMN s Array(UInt8); -- { serverError TYPE_MISMATCH }
ALTER TABLE bad MODIFY COLUMN s Tuple(UInt8, UInt8); -- { serverError TYPE_MISMATCH }
SHOW CREATE TABLE bad;
-- Columns that a part lacks.
CREATE TABLE lacks (k UInt8) ENGINE = MergeTree ORDER BY k;
INSERT INTO lacks VALUES (1);
ALTER TABLE lacks ADD COLUMN a UInt8 DEFAULT k + 250;
INSERT INTO lacks (k) VALUES (9);
SELECT * FROM lacks ORDER BY k;
ALTER TABLE lacks MODIFY COLUMN a UInt32;
ALTER TABLE lacks ADD COLUMN b UInt64 DEFAULT a * 2;
SELECT k, b - a * 2 FROM lacks ORDER BY k;
ALTER TABLE lacks ALTER COLUMN a TYPE Int64;
ALTER TABLE lacks ALTER COLUMN a TYPE Int64 DEFAULT 3 FIRST;
ALTER TABLE lacks ALTER COLUMN a Int64; -- { serverError SYNTAX_ERROR }
INSERT INTO lacks (k) VALUES (20);
SELECT a, k FROM lacks WHERE k = 20;
SHOW CREATE TABLE lacks;
-- Parts of converted columns.
CREATE TABLE sub (k UInt8, s String, t Tuple(a UInt8, b String), m Map(String, UInt8), arr Array(UInt8)) ENGINE = MergeTree ORDER BY k;
INSERT INTO sub VALUES (1, 'abc', (1, 'x'), {'a': 1}, [1, 2, 3]), (2, '', (2, 'yy'), {}, []);
ALTER TABLE sub MODIFY COLUMN arr Array(UInt64), MODIFY COLUMN s Nullable(String), MODIFY COLUMN m Map(String, UInt32);
SELECT k, arr.size0, s.null, m.keys, t.b FROM sub ORDER BY k;
SELECT k, arr, s, m FROM sub WHERE notEmpty(arr) ORDER BY k;
ALTER TABLE sub MODIFY COLUMN t Tuple(a UInt16, b String);
SELECT k, t.a, toTypeName(t.a), t FROM sub ORDER BY k;
OPTIMIZE TABLE sub FINAL;
SELECT *, arr.size0, s.null, t.a FROM sub ORDER BY k;
