-- ReplacingMergeTree: the row with the greatest version, the last one among equals.
CREATE TABLE t (k UInt8, v UInt8, w UInt8) ENGINE = ReplacingMergeTree(w) ORDER BY k;
INSERT INTO t VALUES (1, 1, 5), (2, 2, 1), (1, 3, 4);
SELECT * FROM t ORDER BY k;
INSERT INTO t VALUES (1, 4, 5), (2, 5, 0);
SELECT * FROM t FINAL ORDER BY k;
SELECT * FROM t FINAL PREWHERE v < 3 ORDER BY k;
SELECT * FROM t FINAL WHERE v < 3 ORDER BY k;
SELECT v FROM t FINAL WHERE k = 1;
SELECT sum(v) FROM t FINAL;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY k;
SHOW CREATE TABLE t FORMAT TSVRaw;
DROP TABLE t;
CREATE TABLE t (k UInt8, v String) ENGINE = ReplacingMergeTree ORDER BY k;
INSERT INTO t VALUES (1, 'a'), (2, 'b'), (1, 'c');
INSERT INTO t VALUES (2, 'd'), (3, 'e');
SELECT * FROM t FINAL ORDER BY k;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY k;
DROP TABLE t;
-- Rows marked as deleted are kept by merges and hidden from readers with FINAL.
CREATE TABLE t (k UInt8, v UInt8, w UInt8, d UInt8) ENGINE = ReplacingMergeTree(w, d) ORDER BY k;
INSERT INTO t VALUES (1, 1, 5, 0), (2, 2, 1, 0), (1, 3, 6, 1);
SELECT * FROM t ORDER BY k;
SELECT * FROM t FINAL ORDER BY k;
INSERT INTO t VALUES (2, 9, 7, 1), (3, 9, 7, 0);
SELECT * FROM t FINAL ORDER BY k;
SELECT count() FROM t FINAL;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY k;
DROP TABLE t;
CREATE TABLE t (k UInt8, a UInt8) ENGINE = ReplacingMergeTree ORDER BY tuple();
INSERT INTO t VALUES (1, 2), (3, 4);
INSERT INTO t VALUES (5, 6);
SELECT * FROM t FINAL;
DROP TABLE t;
CREATE TABLE t (k UInt8, a String) ENGINE = ReplacingMergeTree(a) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE t (k UInt8, a UInt32, d UInt16) ENGINE = ReplacingMergeTree(a, d) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE t (k UInt8, a UInt32) ENGINE = ReplacingMergeTree(zz) ORDER BY k; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
