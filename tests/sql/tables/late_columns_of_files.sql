-- { largeBlocks }
-- Columns that ORDER BY ... LIMIT only hands on, in Parquet files.
INSERT INTO FUNCTION file('late_1.parquet') SELECT number AS id, number * 7919 % 40009 AS k, concat('text ', toString(number)) AS s, range(number % 4) AS a, if(number % 3 = 0, NULL, number) AS n FROM numbers(40000) SETTINGS engine_file_truncate_on_insert = 1;
INSERT INTO FUNCTION file('late_2.parquet') SELECT number AS id, number * 7919 % 40009 AS k, concat('more ', toString(number)) AS s, range(number % 5) AS a, if(number % 4 = 0, NULL, number) AS n FROM numbers(40000, 30000) SETTINGS engine_file_truncate_on_insert = 1;
SELECT id, k, s, a, n FROM file('late_1.parquet') ORDER BY k LIMIT 2;
SELECT * FROM file('late_1.parquet') WHERE s LIKE '%77%' ORDER BY k DESC LIMIT 1;
SELECT upper(s), length(a), n, _file FROM file('late_{1,2}.parquet') ORDER BY k DESC, id LIMIT 3 OFFSET 2;
SELECT s, a.size0, n.null, _row_number FROM file('late_{1,2}.parquet') ORDER BY k, id LIMIT 2;
SELECT s, a, n FROM file('late_2.parquet') ORDER BY k LIMIT 2 SETTINGS query_plan_optimize_lazy_materialization_for_file = 0;
