-- { configs: default }
CREATE TABLE src (id UInt64, name String) ENGINE = MergeTree PARTITION BY id % 2 ORDER BY id SETTINGS index_granularity = 512;
CREATE TABLE as3 AS src ENGINE = MergeTree ORDER BY (name, id);
SHOW CREATE TABLE as3;
CREATE TABLE as4 ENGINE = MergeTree ORDER BY id AS src;
SHOW CREATE TABLE as4;
CREATE TABLE as5 AS src ENGINE = ReplacingMergeTree;
SHOW CREATE TABLE as5;
CREATE TABLE as6 AS src ENGINE = MergeTree ORDER BY name SETTINGS index_granularity = 10;
SHOW CREATE TABLE as6;
CREATE TABLE as7 AS src ENGINE = MergeTree ORDER BY name PRIMARY KEY name TTL toDate('2100-01-01') + id;
SHOW CREATE TABLE as7;
