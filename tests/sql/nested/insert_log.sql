-- { fixedEngine }
CREATE TABLE t (id UInt8, n Nested(a UInt8, b String)) ENGINE = Log;
INSERT INTO t VALUES (3, [1,2], ['x']); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
INSERT INTO t (id, n.a) VALUES (4, [1,2,3]);
SELECT *, n FROM t;
CREATE TABLE s (id UInt8, n Nested(a UInt8, b String)) ENGINE = ReplacingMergeTree ORDER BY id;
INSERT INTO s VALUES (3, [1,2], ['x']); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
INSERT INTO s (id, n.a) VALUES (4, [1,2,3]);
INSERT INTO s (id, n.b) VALUES (4, ['r']);
SELECT *, n FROM s FINAL;
