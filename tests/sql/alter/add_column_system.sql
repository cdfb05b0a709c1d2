-- Parts list the columns that they have.
CREATE TABLE t (k UInt8, l UInt8 ALIAS k) ENGINE = MergeTree ORDER BY k;
INSERT INTO t VALUES (1);
ALTER TABLE t ADD COLUMN d UInt8 DEFAULT 7;
SELECT column, rows, column_position, default_kind FROM system.parts_columns WHERE table = 't' AND active AND database = currentDatabase();
INSERT INTO t VALUES (2, 3);
SELECT name, column, default_expression FROM system.parts_columns WHERE table = 't' AND active AND database = currentDatabase() ORDER BY name, column;
OPTIMIZE TABLE t FINAL;
SELECT column, rows FROM system.parts_columns WHERE table = 't' AND active AND database = currentDatabase() ORDER BY name, column;
SELECT name, create_table_query LIKE '%`d` UInt8 DEFAULT 7%' FROM system.tables WHERE name = 't' AND database = currentDatabase();
SELECT column_name, ordinal_position, column_default FROM information_schema.columns WHERE table_name = 't' AND table_schema = currentDatabase() ORDER BY ordinal_position;
