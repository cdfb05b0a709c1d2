-- { configs: default }
-- Unknown names are errors wherever settings may stand; aliases act as what they stand for.
SET nonsense = 1; -- { serverError UNKNOWN_SETTING }
SET MAX_THREADS = 1; -- { serverError UNKNOWN_SETTING }
SET max_threads = 7, nonsense = 2; -- { serverError UNKNOWN_SETTING }
SELECT 1 SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
SELECT 1 SETTINGS max_threads; -- { serverError TYPE_MISMATCH }
SELECT 1 UNION ALL SELECT 2 SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
SELECT getSetting('nonsense'); -- { serverError UNKNOWN_SETTING }
CREATE TABLE t (a Int32) ENGINE = MergeTree ORDER BY a;
DESCRIBE TABLE t SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
DESCRIBE TABLE t SETTINGS max_threads = 1;
SHOW TABLES SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
SHOW SETTINGS LIKE 'max_threads_for%' SETTINGS max_threads_for_indexes = 3;
EXPLAIN SELECT 1 SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
EXPLAIN AST SELECT 1 SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
EXPLAIN SYNTAX SELECT 1 SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
EXPLAIN PIPELINE SELECT 1 SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
EXISTS TABLE t SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
ALTER TABLE t ADD CONSTRAINT c CHECK a > 0 SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
OPTIMIZE TABLE t SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
OPTIMIZE TABLE t FINAL SETTINGS optimize_throw_if_noop = 0;
TRUNCATE TABLE t SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
RENAME TABLE t TO u SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
DROP TABLE t SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
INSERT INTO t SETTINGS nonsense = 1 VALUES (1); -- { serverError UNKNOWN_SETTING }
INSERT INTO t SELECT 1 SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
CREATE DATABASE other SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
CREATE TABLE u ENGINE = MergeTree ORDER BY a AS SELECT 1 AS a SETTINGS nonsense = 1; -- { serverError UNKNOWN_SETTING }
USE default SETTINGS max_threads = 1; -- { serverError SYNTAX_ERROR }
SET max_threads = 1 SETTINGS max_threads = 2; -- { serverError SYNTAX_ERROR }
SELECT count() FROM t;

EXPLAIN nonsense = 1 SELECT 1; -- { serverError UNKNOWN_SETTING }
EXPLAIN PIPELINE nonsense = 1 SELECT 1; -- { serverError UNKNOWN_SETTING }
EXPLAIN AST nonsense = 1 SELECT 1; -- { serverError UNKNOWN_SETTING }
EXPLAIN SYNTAX nonsense = 1 SELECT 1; -- { serverError UNKNOWN_SETTING }
EXPLAIN header = 2 SELECT 1; -- { serverError INVALID_SETTING_VALUE }
EXPLAIN header = 'x' SELECT 1; -- { serverError INVALID_SETTING_VALUE }

CREATE DATABASE d ON CLUSTER c; -- { serverError CLUSTER_DOESNT_EXIST }
CREATE TABLE u ON CLUSTER c (a Int32) ENGINE = MergeTree ORDER BY a; -- { serverError CLUSTER_DOESNT_EXIST }
DROP TABLE t ON CLUSTER c; -- { serverError QUERY_IS_PROHIBITED }
OPTIMIZE TABLE t ON CLUSTER c; -- { serverError QUERY_IS_PROHIBITED }
TRUNCATE TABLE t ON CLUSTER c; -- { serverError QUERY_IS_PROHIBITED }
RENAME TABLE t TO u ON CLUSTER c; -- { serverError QUERY_IS_PROHIBITED }
ALTER TABLE t ON CLUSTER c ADD CONSTRAINT c CHECK a > 0; -- { serverError QUERY_IS_PROHIBITED }
KILL QUERY ON CLUSTER c WHERE 1 = 0; -- { serverError QUERY_IS_PROHIBITED }

SET os_thread_priority = 5;
SELECT name, value, changed, alias_for FROM system.settings WHERE name IN ('os_thread_priority', 'os_threads_nice_value_query') ORDER BY name;
SELECT getSetting('os_thread_priority'), getSetting('os_threads_nice_value_query');
SET os_threads_nice_value_query = DEFAULT;
SELECT name, value, changed FROM system.settings WHERE name IN ('os_thread_priority', 'os_threads_nice_value_query') ORDER BY name;
SET allow_experimental_map_type = 0;
SELECT name, value, changed, is_obsolete, tier FROM system.settings WHERE name = 'allow_experimental_map_type';

SELECT count() FROM system.settings WHERE name NOT IN ('force_portable_kernels', 'wait_end_of_query') AND name NOT LIKE 'plant%' AND name NOT LIKE 'chdb%' AND name NOT LIKE 'pandas%';
SELECT type, count() FROM system.settings WHERE type NOT IN ('Bool', 'String', 'Float') GROUP BY type ORDER BY type;
SELECT tier, count() FROM system.settings WHERE is_obsolete GROUP BY tier;
SELECT count(), sum(is_obsolete) FROM system.merge_tree_settings;
SELECT name, type, default, alias_for FROM system.settings WHERE alias_for != '' ORDER BY name;
SELECT name, type, default FROM system.merge_tree_settings WHERE name LIKE 'index_granularity%' ORDER BY name;
SELECT count() FROM system.settings_changes WHERE version = 'no version';
