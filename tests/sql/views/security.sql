-- Who defined a view is shown, and can be changed.
CREATE VIEW one DEFINER = default SQL SECURITY DEFINER AS SELECT 1 AS x;
CREATE VIEW two DEFINER = CURRENT_USER AS SELECT 2 AS x;
SELECT x, create_table_query LIKE '%DEFINER = default SQL SECURITY DEFINER%' FROM two, system.tables WHERE name = 'two' AND database = currentDatabase();
CREATE VIEW three SQL SECURITY INVOKER COMMENT 'c' AS SELECT 3 AS x;
ALTER TABLE three MODIFY SQL SECURITY DEFINER DEFINER = default;
SELECT x, create_table_query LIKE '%DEFINER = default SQL SECURITY DEFINER COMMENT%' FROM three, system.tables WHERE name = 'three' AND database = currentDatabase();
ALTER TABLE three MODIFY SQL SECURITY INVOKER;
SELECT x, create_table_query LIKE '%SQL SECURITY INVOKER COMMENT%' FROM three, system.tables WHERE name = 'three' AND database = currentDatabase();
