-- { configs: default }
-- The columns that clients look for, in the reference's order and with its types.
SELECT table, groupArray(concat(name, ' ', type)) FROM (SELECT * FROM system.columns WHERE database = 'system' AND table IN ('parts', 'parts_columns', 'tables', 'columns', 'databases', 'clusters', 'macros', 'users', 'roles', 'quotas', 'disks', 'storage_policies', 'mutations', 'detached_parts', 'dictionaries', 'replicas', 'replication_queue', 'data_skipping_indices', 'projections', 'collations', 'keywords', 'licenses', 'time_zones', 'build_options', 'contributors', 'query_cache', 'asynchronous_inserts', 'settings_profiles', 'row_policies', 'functions', 'table_functions', 'table_engines', 'data_type_families', 'formats', 'current_roles', 'enabled_roles', 'constraints', 'view_refreshes', 'moves', 'merges') AND default_kind = '' ORDER BY table, position) WHERE (name NOT IN ('bytes', 'marks_size', 'part_name', 'database', 'table', 'column') OR table NOT IN ('parts', 'parts_columns', 'databases', 'tables', 'columns')) AND NOT (table = 'clusters' AND name = 'name') AND name != 'readonly_duration' GROUP BY table ORDER BY table;
SELECT count() FROM system.clusters;
SELECT count() FROM system.replicas;
SELECT count() FROM system.dictionaries;
SELECT name, type FROM system.disks;
SELECT policy_name, volume_name, disks, volume_type FROM system.storage_policies;
SELECT time_zone FROM system.time_zones WHERE time_zone IN ('UTC', 'Europe/Berlin') ORDER BY 1;
SELECT keyword FROM system.keywords WHERE keyword IN ('SELECT', 'WHERE') ORDER BY 1;
CREATE TABLE p1 (p Int32, a String, CONSTRAINT c CHECK p >= 0) ENGINE = MergeTree PARTITION BY p ORDER BY a;
INSERT INTO p1 VALUES (1, 'x'), (2, 'y'), (2, 'z');
SELECT partition, name, active, rows, level, partition_id, database, table, engine FROM system.parts WHERE table = 'p1' ORDER BY name;
SELECT partition, name, column, type, column_position, rows FROM system.parts_columns WHERE table = 'p1' ORDER BY name, column_position;
SELECT database, table, name, type, expression FROM system.constraints WHERE table = 'p1';
SELECT name, origin, is_aggregate FROM system.functions WHERE name IN ('plus', 'sum') ORDER BY name;
DROP TABLE p1;
