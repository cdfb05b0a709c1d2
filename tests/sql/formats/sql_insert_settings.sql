-- The settings of SQLInsert.
SELECT number AS a, 'x' AS `b c` FROM numbers(5) ORDER BY number FORMAT SQLInsert SETTINGS output_format_sql_insert_max_batch_size = 2, output_format_sql_insert_table_name = 'db.t';
SELECT number AS a, 'x' AS `b c` FROM numbers(2) ORDER BY number FORMAT SQLInsert SETTINGS output_format_sql_insert_quote_names = 0;
SELECT number AS a FROM numbers(3) ORDER BY number FORMAT SQLInsert SETTINGS output_format_sql_insert_max_batch_size = 0;
SELECT 1 AS a FORMAT SQLInsert SETTINGS output_format_sql_insert_table_name = 'my t', output_format_sql_insert_use_replace = 1;
SELECT 1 AS a, 2 AS b FORMAT SQLInsert SETTINGS output_format_sql_insert_include_column_names = 0;
SELECT 1 AS a WHERE 0 FORMAT SQLInsert;
