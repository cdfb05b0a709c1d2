-- SETTINGS of a view's SELECT hold within the view, as those of a subquery hold within it.
CREATE TABLE t (a Int32, b String) ENGINE = Memory;
INSERT INTO t VALUES (1, 'x'), (2, 'y');
CREATE VIEW nulls AS SELECT l.k, r.w FROM (SELECT 1 AS k) AS l LEFT JOIN (SELECT 2 AS k, 3 AS w) AS r ON l.k = r.k SETTINGS join_use_nulls = 1;
DESCRIBE nulls;
SELECT * FROM nulls;
SELECT * FROM nulls SETTINGS join_use_nulls = 0;
SELECT nulls.*, r.w FROM nulls LEFT JOIN (SELECT 5 AS k, 6 AS w) AS r ON nulls.k = r.k;
CREATE VIEW zeros AS SELECT l.k, r.w FROM (SELECT 1 AS k) AS l LEFT JOIN (SELECT 2 AS k, 3 AS w) AS r ON l.k = r.k;
SELECT * FROM zeros;
SELECT * FROM zeros SETTINGS join_use_nulls = 1; -- { serverError INCORRECT_QUERY }
CREATE VIEW always_zeros AS SELECT l.k, r.w FROM (SELECT 1 AS k) AS l LEFT JOIN (SELECT 2 AS k, 3 AS w) AS r ON l.k = r.k SETTINGS join_use_nulls = 0;
SELECT * FROM always_zeros SETTINGS join_use_nulls = 1;
CREATE VIEW sums AS SELECT sum(a) AS s FROM t WHERE a > 5 SETTINGS aggregate_functions_null_for_empty = 1;
SELECT s, toTypeName(s), (SELECT sum(a) FROM t WHERE a > 5) FROM sums;
CREATE VIEW sums_of AS SELECT s FROM sums SETTINGS aggregate_functions_null_for_empty = 0;
SELECT * FROM sums_of;
CREATE VIEW unknown AS SELECT a FROM t SETTINGS no_such_setting = 1; -- { serverError UNKNOWN_SETTING }
CREATE VIEW threads AS SELECT a FROM t ORDER BY a SETTINGS max_threads = 1, max_block_size = 1;
SELECT sum(a) FROM threads;
-- Subqueries.
SELECT * FROM (SELECT sum(a) FROM t WHERE a > 5 SETTINGS aggregate_functions_null_for_empty = 1);
SELECT (SELECT sum(a) FROM t WHERE a > 5 SETTINGS aggregate_functions_null_for_empty = 1), (SELECT sum(a) FROM t WHERE a > 5);
SELECT * FROM (SELECT * FROM (SELECT sum(a) FROM t WHERE a > 5) SETTINGS aggregate_functions_null_for_empty = 1);
SELECT * FROM (SELECT * FROM (SELECT sum(a) FROM t WHERE a > 5 SETTINGS aggregate_functions_null_for_empty = 0) SETTINGS aggregate_functions_null_for_empty = 1);
SELECT * FROM (SELECT sum(a) FROM t WHERE a > 5 SETTINGS aggregate_functions_null_for_empty = 1) SETTINGS aggregate_functions_null_for_empty = 0;
WITH c AS (SELECT sum(a) AS s FROM t WHERE a > 5 SETTINGS aggregate_functions_null_for_empty = 1) SELECT *, (SELECT sum(a) FROM t WHERE a > 5) FROM c;
SELECT *, getSetting('join_use_nulls') FROM (SELECT getSetting('join_use_nulls') AS inside SETTINGS join_use_nulls = 1);
SELECT * FROM (SELECT 1 SETTINGS no_such_setting = 3);
SELECT * FROM (SELECT 2 AS a, 1 AS b GROUP BY 1 SETTINGS enable_positional_arguments = 0);
