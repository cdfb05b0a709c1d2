-- { configs: default }
-- What EXPLAIN indexes = 1 says of each index.
CREATE TABLE t (d Date, k UInt32, s String, n Nullable(Int32), INDEX by_word s TYPE bloom_filter GRANULARITY 1, INDEX by_day d TYPE minmax GRANULARITY 2) ENGINE = MergeTree PARTITION BY toYYYYMM(d) PRIMARY KEY k ORDER BY (k, s) SETTINGS index_granularity = 100;
INSERT INTO t SELECT '2024-01-10', number, toString(number), number FROM numbers(1000);
INSERT INTO t SELECT '2024-02-10', number + 500, toString(number), number FROM numbers(1000);
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM t) WHERE match(explain, 'Granules|Parts|Min-Max|Partition|Primary|Skip|Condition|Name|Description|Search|Ranges');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM t WHERE d = '2024-01-05') WHERE match(explain, 'Granules|Parts|Min-Max|Partition|Primary|Skip|Condition|Name|Description|Search|Ranges');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM t WHERE k = 55) WHERE match(explain, 'Granules|Parts|Min-Max|Partition|Primary|Skip|Condition|Name|Description|Search|Ranges');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM t WHERE k IN (5, 6, 520) AND d > '2024-02-05' AND s != '7') WHERE match(explain, 'Granules|Parts|Min-Max|Partition|Primary|Skip|Condition|Name|Description|Search|Ranges');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM t WHERE k BETWEEN 150 AND 249) WHERE explain LIKE '%Condition%' OR explain LIKE '%Granules%' OR explain LIKE '%Search%';
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM t WHERE d < '2020-01-01') WHERE explain LIKE '%Condition%' OR explain LIKE '%Parts%';

-- The conditions of keys.
CREATE TABLE c (k UInt32, s String, f Float64, n Nullable(Int32), i Int8, t DateTime) ENGINE = MergeTree ORDER BY (k, s, f, n, i, t) SETTINGS index_granularity = 10, allow_nullable_key = 1;
INSERT INTO c (k) SELECT number FROM numbers(50);
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE k < 5) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE k > 5) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE k != 5) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE k = 5 OR k > 7) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE k NOT IN (1, 2)) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE k IN (1)) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE s LIKE 'ab%') WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE s > 'x') WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE f < 2) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE f = 1.5) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE n IS NULL) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE n IS NOT NULL) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE i > -3) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE k % 2 = 0) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE k = 5 OR k % 2 = 0) WHERE match(explain, 'Condition|Search|Keys');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE k = 1 AND s = 'a') WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE k > 5.5) WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE s = '') WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE t = '2020-01-01 00:00:00') WHERE match(explain, 'Condition|Search');
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM c WHERE k < 5 OR k > 10 AND s = 'x') WHERE match(explain, 'Condition|Search');
