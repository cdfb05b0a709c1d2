-- { echoOn }
CREATE TABLE st (a UInt8, b String) ENGINE = Memory;
INSERT INTO st VALUES (1, 'x'), (2, 'y');
SELECT name, engine IN ('Memory', 'MergeTree') FROM system.tables WHERE database = 'default' ORDER BY name;
SELECT name, type, position FROM system.columns WHERE database = 'default' AND table = 'st' ORDER BY position;
SELECT count() > 0 FROM system.functions WHERE name = 'length';
SELECT name FROM system.databases WHERE name = 'default';
SELECT count() FROM system.one;
SELECT name, is_aggregate FROM system.functions WHERE name IN ('sum', 'length') ORDER BY name;
SELECT name FROM system.settings WHERE name = 'max_threads';
