-- { fixedEngine, configs: default }
-- Options of EXPLAIN about passes. There are no passes, so what asks for others than all is refused (see the unit tests).
EXPLAIN QUERY TREE dump_tree = 0 SELECT 1; -- { serverError BAD_ARGUMENTS }
EXPLAIN QUERY TREE dump_tree = 2 SELECT 1; -- { serverError INVALID_SETTING_VALUE }
EXPLAIN SYNTAX run_query_tree_passes = 0 SELECT 1 + 1;
EXPLAIN SYNTAX query_tree_passes = 1 SELECT 1 + 1;
EXPLAIN SYNTAX run_query_tree_passes = 1, query_tree_passes = 0 SELECT x FROM (SELECT 1 AS x);
CREATE TABLE e (x UInt32, y String) ENGINE = MergeTree ORDER BY x;
EXPLAIN ESTIMATE SELECT * FROM e;
INSERT INTO e VALUES (1, 'a'), (2, 'b'), (3, 'c');
EXPLAIN ESTIMATE SELECT * FROM e;
EXPLAIN ESTIMATE SELECT * FROM e WHERE x = 5;
EXPLAIN ESTIMATE graph = 1 SELECT * FROM e; -- { serverError UNKNOWN_SETTING }
DROP TABLE e;
