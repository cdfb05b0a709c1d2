-- { configs: default }
CREATE TABLE i1 (a Int32, b Nullable(String) COMMENT 'cc', c Date DEFAULT '2020-01-01', d FixedString(3) MATERIALIZED 'x', e Int32 ALIAS a + 1) ENGINE = MergeTree ORDER BY a COMMENT 'hello';
INSERT INTO i1 (a) VALUES (1), (2);
SELECT table_schema, table_name, table_type, table_rows, table_collation, table_comment, engine FROM information_schema.tables WHERE table_name = 'i1';
SELECT TABLE_CATALOG, TABLE_NAME, TABLE_ROWS, ENGINE FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'default';
SELECT * FROM information_schema.columns WHERE table_name = 'i1' ORDER BY ordinal_position;
SELECT COLUMN_NAME, DATA_TYPE, COLUMN_KEY, EXTRA FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'i1' ORDER BY ORDINAL_POSITION;
SELECT * FROM information_schema.schemata ORDER BY schema_name;
SELECT * FROM information_schema.key_column_usage WHERE table_name = 'i1';
SELECT * FROM information_schema.referential_constraints;
SELECT * FROM information_schema.statistics;
SELECT * FROM information_schema.character_sets;
SELECT * FROM information_schema.collations WHERE character_set_name IS NOT NULL ORDER BY id;
SELECT count() FROM information_schema.views WHERE table_schema = 'default';
SELECT support FROM information_schema.engines WHERE engine IN ('MergeTree', 'Memory') ORDER BY engine;
SELECT table_name FROM information_schema.tables WHERE table_schema = 'information_schema' ORDER BY table_name;
SELECT table, name, type FROM system.columns WHERE database = 'information_schema' ORDER BY table, position;
SHOW TABLES FROM information_schema;
DROP TABLE i1;
