-- { fixedEngine }
-- Columns that ORDER BY ... LIMIT only hands on, in parts that were changed after they were written.
CREATE TABLE t (id UInt32, k UInt8, s String, lc LowCardinality(String), arr Array(UInt16), n Nullable(String), c String DEFAULT 'same')
ENGINE = MergeTree PARTITION BY k % 2 ORDER BY (k, id) SETTINGS index_granularity = 4, enable_block_number_column = 1, enable_block_offset_column = 1;
INSERT INTO t (id, k, s, lc, arr, n) SELECT number, number % 7, concat('one ', toString(number)), concat('lc', toString(number % 3)), range(number % 4), if(number % 5 = 0, NULL, concat('n', toString(number))) FROM numbers(60);
INSERT INTO t (id, k, s, lc, arr, n) SELECT number, number % 7, concat('two ', toString(number)), concat('lc', toString(number % 4)), range(number % 5), if(number % 4 = 0, NULL, concat('m', toString(number))) FROM numbers(60, 60);

SELECT * FROM t ORDER BY id LIMIT 3;
SELECT * FROM t ORDER BY id DESC LIMIT 3;
SELECT s, arr, arr.size0, n.null FROM t WHERE lc = 'lc1' ORDER BY id DESC LIMIT 4 OFFSET 2;
SELECT s, _part_offset > 100, _partition_id, n FROM t ORDER BY id LIMIT 3;

-- A column that older parts lack, computed, and one with one value.
ALTER TABLE t ADD COLUMN d String DEFAULT concat(s, '/', toString(id)), ADD COLUMN e UInt64 DEFAULT 17;
SELECT d, e, s FROM t ORDER BY id DESC LIMIT 2;
INSERT INTO t (id, k, s, d) VALUES (500, 1, 'three', 'given'), (501, 2, 'four', 'too');
SELECT d, e, s, c FROM t ORDER BY id DESC LIMIT 4;

-- Rows that were deleted or updated.
DELETE FROM t WHERE id % 3 = 0;
SELECT id, s, d, arr, n FROM t ORDER BY id LIMIT 5;
SELECT id, s, d FROM t ORDER BY n DESC, id LIMIT 5;
ALTER TABLE t UPDATE s = concat('changed ', s), arr = [id] WHERE id % 4 = 1 SETTINGS mutations_sync = 1;
SELECT id, s, d, arr FROM t ORDER BY id LIMIT 5;
DELETE FROM t WHERE id BETWEEN 10 AND 40;
SELECT id, s, d, arr, lc FROM t ORDER BY id LIMIT 6;
ALTER TABLE t MODIFY COLUMN e String;
SELECT id, e, s FROM t ORDER BY id DESC LIMIT 3;
ALTER TABLE t DROP COLUMN d, RENAME COLUMN lc TO code;
SELECT * FROM t ORDER BY id DESC LIMIT 3;
OPTIMIZE TABLE t FINAL;
SELECT * FROM t ORDER BY id DESC LIMIT 3;

-- A self join, and a join whose columns come from both sides.
SELECT a.s, b.n, b.arr FROM t AS a JOIN t AS b ON a.id = b.id + 3 ORDER BY a.id DESC LIMIT 3;
SELECT a.s, b.s, b.n FROM t AS a LEFT JOIN t AS b ON a.id = b.id + 3 ORDER BY a.id LIMIT 4;

-- FINAL: rows that are kept whole, and rows that are computed.
CREATE TABLE r (id UInt32, version UInt32, s String, p String) ENGINE = ReplacingMergeTree(version) ORDER BY id SETTINGS index_granularity = 4;
SYSTEM STOP MERGES r;
INSERT INTO r SELECT number, 1, concat('old ', toString(number)), repeat('x', number) FROM numbers(40);
INSERT INTO r SELECT number, 2, concat('new ', toString(number)), repeat('y', number) FROM numbers(10, 20);
SELECT * FROM r FINAL ORDER BY id DESC LIMIT 3 OFFSET 9;
SELECT s, p FROM r FINAL WHERE s LIKE 'new%' ORDER BY p DESC LIMIT 2;
SELECT s, version FROM r FINAL ORDER BY version DESC, id LIMIT 3;
CREATE TABLE a (id UInt32, total SimpleAggregateFunction(sum, UInt64), s SimpleAggregateFunction(anyLast, String), most SimpleAggregateFunction(max, String)) ENGINE = AggregatingMergeTree ORDER BY id SETTINGS index_granularity = 4;
SYSTEM STOP MERGES a;
INSERT INTO a SELECT number, 1, concat('old ', toString(number)), toString(number) FROM numbers(40);
INSERT INTO a SELECT number, 2, concat('new ', toString(number)), toString(number + 30) FROM numbers(10, 20);
SELECT id, total, most FROM a FINAL ORDER BY id DESC LIMIT 3 OFFSET 12;
CREATE TABLE c (id UInt32, sign Int8, s String) ENGINE = CollapsingMergeTree(sign) ORDER BY id SETTINGS index_granularity = 4;
SYSTEM STOP MERGES c;
INSERT INTO c SELECT number, 1, concat('first ', toString(number)) FROM numbers(40);
INSERT INTO c SELECT number, -1, concat('first ', toString(number)) FROM numbers(0, 40, 3);
INSERT INTO c SELECT number, 1, concat('again ', toString(number)) FROM numbers(0, 40, 6);
SELECT * FROM c FINAL ORDER BY id LIMIT 5;
SELECT s FROM c FINAL ORDER BY id DESC LIMIT 3;

-- A materialised view shows some columns of its target, in another order.
CREATE TABLE source (id UInt32, s String) ENGINE = MergeTree ORDER BY id;
CREATE TABLE target (more String, id UInt32, s String, twice UInt64) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 4;
CREATE MATERIALIZED VIEW mv TO target AS SELECT concat(s, '!') AS s, id * 2 AS twice, id FROM source;
INSERT INTO source SELECT number, concat('text ', toString(number)) FROM numbers(50);
SELECT s, twice FROM mv ORDER BY id DESC LIMIT 2;
SELECT * FROM mv WHERE twice > 20 ORDER BY id LIMIT 2;
