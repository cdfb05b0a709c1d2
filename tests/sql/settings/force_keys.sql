-- { configs: default }
-- force_primary_key, force_index_by_date: queries that have no condition on a key are refused.
CREATE TABLE t (x UInt32, y String, d DateTime('UTC')) ENGINE=MergeTree ORDER BY x PARTITION BY toYYYYMM(d);
INSERT INTO t VALUES (1,'a','2024-01-01 00:00:00'),(2,'b','2024-02-01 00:00:01'),(3,'c','2024-02-01 12:00:01');
CREATE TABLE u (x UInt32, y String) ENGINE=MergeTree ORDER BY tuple();
INSERT INTO u VALUES (1,'a');
CREATE TABLE f (x UInt32, y DateTime('UTC')) ENGINE=MergeTree ORDER BY toDate(y);
INSERT INTO f VALUES (1,1000000);
CREATE TABLE e (x UInt32) ENGINE=MergeTree ORDER BY x;
SELECT count() FROM t SETTINGS force_primary_key = 1;
SELECT count() FROM t WHERE x > 1 SETTINGS force_primary_key = 1;
SELECT count() FROM t WHERE x + 1 > 2 SETTINGS force_primary_key = 1;
SELECT count() FROM t WHERE x > 1 OR y = 'a' SETTINGS force_primary_key = 1; -- { serverError INDEX_NOT_USED }
SELECT count() FROM t WHERE x > 1 AND y = 'c' SETTINGS force_primary_key = 1;
SELECT count() FROM t WHERE x IN (1, 2) SETTINGS force_primary_key = 1;
SELECT count() FROM t WHERE x IN (SELECT 1) SETTINGS force_primary_key = 1;
SELECT y FROM t ORDER BY x LIMIT 1 SETTINGS force_primary_key = 1; -- { serverError INDEX_NOT_USED }
SELECT x FROM u SETTINGS force_primary_key = 1; -- { serverError INDEX_NOT_USED }
SELECT x FROM u WHERE x = 1 SETTINGS force_primary_key = 1; -- { serverError INDEX_NOT_USED }
SELECT x FROM f WHERE y > 100 SETTINGS force_primary_key = 1;
SELECT x FROM f WHERE toDate(y) > '1970-01-02' SETTINGS force_primary_key = 1;
SELECT x FROM f WHERE x = 1 SETTINGS force_primary_key = 1; -- { serverError INDEX_NOT_USED }
SELECT x FROM e SETTINGS force_primary_key = 1;
SELECT x FROM e SETTINGS force_index_by_date = 1;
SELECT x FROM u SETTINGS force_index_by_date = 1;
SELECT x FROM t SETTINGS force_index_by_date = 1; -- { serverError INDEX_NOT_USED }
SELECT x FROM t WHERE toYYYYMM(d) = 202401 SETTINGS force_index_by_date = 1;
SELECT x FROM t WHERE d < '2024-01-15 00:00:00' SETTINGS force_index_by_date = 1;
SELECT x FROM t WHERE y = 'a' SETTINGS force_index_by_date = 1; -- { serverError INDEX_NOT_USED }
SELECT number FROM numbers(1) SETTINGS force_primary_key = 1;
DROP TABLE t;
DROP TABLE u;
DROP TABLE f;
DROP TABLE e;
