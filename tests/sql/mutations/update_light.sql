-- UPDATE ... SET: few changed rows, which scans, merges and later changes must all see.
CREATE TABLE t (id UInt64, a Int32, s String, n Nullable(Int32), arr Array(UInt8), l LowCardinality(String)) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 64, enable_block_number_column = 1, enable_block_offset_column = 1;
INSERT INTO t SELECT number, number, concat('row ', toString(number % 5)), if(number % 2 = 0, NULL, number), [number % 10], 'low' FROM numbers(1000);
UPDATE t SET a = -5 WHERE id = 500;
SELECT id, a, s FROM t WHERE id BETWEEN 499 AND 501 ORDER BY id;
SELECT id FROM t WHERE a = -5;
SELECT id FROM t WHERE a < 0;
SELECT count() FROM t WHERE a = 500;
SELECT min(a), max(a), sum(a), count() FROM t;
UPDATE t SET a = a - 1, s = concat(s, ' changed') WHERE id % 100 = 0;
SELECT id, a, s FROM t WHERE id % 100 = 0 ORDER BY id;
SELECT s, count() FROM t GROUP BY s ORDER BY s;
UPDATE t SET n = 7 WHERE id = 2;
UPDATE t SET n = NULL WHERE id = 3;
SELECT id, n, n.null FROM t WHERE id < 5 ORDER BY id;
SELECT count(n) FROM t;
UPDATE t SET arr = [1, 2, 3], l = 'high' WHERE id IN (10, 20);
SELECT id, arr, arr.size0, l FROM t WHERE id IN (9, 10, 20) ORDER BY id;
SELECT l, count(), sum(arr.size0) FROM t GROUP BY l ORDER BY l;
UPDATE t SET l = 'mid' WHERE id = 20;
SELECT l, count() FROM t GROUP BY l ORDER BY l;
DELETE FROM t WHERE id = 10;
SELECT l, count() FROM t GROUP BY l ORDER BY l;
UPDATE t SET a = 1 WHERE s = 'row 0 changed';
SELECT count() FROM t WHERE a = 1;
SELECT id, a FROM t ORDER BY a, id LIMIT 3;
SELECT id, a FROM t ORDER BY a DESC, id LIMIT 3;
UPDATE t SET a = 2000 + id WHERE id > 995;
SELECT id, a FROM t ORDER BY a DESC LIMIT 5;
SELECT id FROM t WHERE a > 1500 ORDER BY id;
UPDATE t SET a = (SELECT 3) WHERE id IN (SELECT id FROM t WHERE id < 3);
SELECT id, a FROM t WHERE id < 5 ORDER BY id;
-- More and more patches.
UPDATE t SET a = 10 WHERE id = 11;
UPDATE t SET a = 10 WHERE id = 12;
UPDATE t SET a = 10 WHERE id = 13;
UPDATE t SET a = 10 WHERE id = 14;
UPDATE t SET a = 11 WHERE id = 14;
UPDATE t SET a = 10 WHERE id = 15;
UPDATE t SET a = 10 WHERE id = 16;
UPDATE t SET s = 'x' WHERE id = 17;
UPDATE t SET a = 10 WHERE id = 18;
SELECT id, a, s FROM t WHERE id BETWEEN 10 AND 19 ORDER BY id;
UPDATE t SET a = 0 WHERE 1;
SELECT a, count() FROM t GROUP BY a ORDER BY a;
SELECT count() FROM t WHERE s = 'x';
ALTER TABLE t UPDATE a = 4 WHERE id = 4;
UPDATE t SET a = 5 WHERE id = 5;
SELECT sum(a) FROM t;
OPTIMIZE TABLE t FINAL;
SELECT sum(a), count(), sum(arr.size0), count(n), uniqExact(s) FROM t;
SELECT id, a, s, l FROM t WHERE id IN (4, 5, 17, 20) ORDER BY id;
UPDATE t SET zz = 1 WHERE 1; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
UPDATE t SET id = 1 WHERE 1; -- { serverError CANNOT_UPDATE_COLUMN }
UPDATE t SET a = 'x' WHERE 1; -- { serverError CANNOT_PARSE_TEXT }
UPDATE t SET a = 1, a = 2 WHERE 1; -- { serverError MULTIPLE_ASSIGNMENTS_TO_COLUMN }
SELECT sum(a) FROM t;
DROP TABLE t;
CREATE TABLE m (id UInt32, a UInt32, b UInt32 MATERIALIZED a * 2, c String DEFAULT toString(a)) ENGINE = MergeTree ORDER BY id SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1;
INSERT INTO m (id, a) SELECT number, number FROM numbers(100);
UPDATE m SET a = 50 WHERE id = 1;
SELECT *, b FROM m WHERE id < 3 ORDER BY id;
UPDATE m SET c = 'set' WHERE b = 100;
SELECT *, b FROM m WHERE c = 'set' ORDER BY id;
ALTER TABLE m ADD COLUMN d UInt32 DEFAULT a + 1;
UPDATE m SET d = 5 WHERE id = 2;
SELECT id, a, d FROM m WHERE id < 4 ORDER BY id;
OPTIMIZE TABLE m FINAL;
SELECT id, a, b, c, d FROM m WHERE id < 4 ORDER BY id;
