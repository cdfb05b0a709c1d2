-- { configs: default }
-- The rules of the documentation's example exist without any configuration: click_cost any 0:5 86400:60; else max 0:60 3600:300
-- 86400:3600.
CREATE TABLE g (Path String, Time DateTime, Value Float64, Timestamp DateTime, extra UInt32) ENGINE = GraphiteMergeTree('graphite_rollup') ORDER BY (Path, Time);
SHOW CREATE TABLE g;
SYSTEM STOP MERGES g;
INSERT INTO g VALUES ('a', '2020-01-01 00:00:01', 1, 1, 1), ('a', '2020-01-01 00:10:01', 2, 1, 2), ('a', '2020-01-01 01:10:01', 3, 1, 3), ('a', '2020-01-01 01:10:01', 4, 2, 4), ('a', '2020-01-01 01:10:01', 5, 1, 5);
SELECT Path, Time, Value, toUInt32(Timestamp), extra FROM g ORDER BY ALL;
INSERT INTO g SELECT 'click_cost', toDateTime('2020-01-01 00:00:00') + number * 25, number, number, number FROM numbers(12);
INSERT INTO g VALUES ('a', '2020-01-01 00:00:59', 100, 1, 7);
SELECT Path, Time, Value, toUInt32(Timestamp), extra FROM g ORDER BY ALL;
SELECT Path, Time, Value, toUInt32(Timestamp), extra FROM g FINAL ORDER BY ALL;
SELECT count(), sum(Value), toUInt32(max(Timestamp)) FROM g FINAL WHERE Path = 'a' AND Time = '2020-01-01 00:00:00';
SYSTEM START MERGES g;
OPTIMIZE TABLE g FINAL;
SELECT Path, Time, Value, toUInt32(Timestamp), extra FROM g ORDER BY ALL;
SELECT * FROM system.graphite_retentions WHERE has(Tables.database, currentDatabase()) ORDER BY priority, age DESC;
DROP TABLE g;
-- Without rolling up at once; another order of versions; several parts and many granules.
SET optimize_on_insert = 0;
CREATE TABLE g (Path LowCardinality(String), Time UInt32, Value Float64, Timestamp UInt64) ENGINE = GraphiteMergeTree('graphite_rollup') ORDER BY (Path, Time) PARTITION BY Path = 'p1' SETTINGS index_granularity = 64;
SYSTEM STOP MERGES g;
INSERT INTO g SELECT concat('p', toString(number % 3)), 1577836800 + number * 10, number, 1 FROM numbers(3000);
INSERT INTO g SELECT concat('p', toString(number % 3)), 1577836800 + number * 10, number + 5000, 2 FROM numbers(1000);
INSERT INTO g SELECT concat('p', toString(number % 3)), 1577836800 + number * 10, number + 9000, 0 FROM numbers(2000);
SELECT count(), sum(Value) FROM g;
SELECT Path, Time, Value, Timestamp FROM g FINAL ORDER BY ALL;
SELECT Path, count(), sum(Value), max(Timestamp), max(Time) FROM g FINAL GROUP BY Path ORDER BY Path;
SYSTEM START MERGES g;
OPTIMIZE TABLE g FINAL;
SELECT count(), sum(Value), sum(cityHash64(Path, Time, Timestamp)) FROM g;
SELECT Path, Time, Value, Timestamp FROM g WHERE Time < 1577850000 ORDER BY ALL;
DROP TABLE g;
-- Recent values keep their precision.
CREATE TABLE g (Path String, Time DateTime, Value Float64, Timestamp DateTime) ENGINE = GraphiteMergeTree('graphite_rollup') ORDER BY (Path, Time);
INSERT INTO g SELECT 'a', toStartOfMinute(now()) + 600 + number, number, 1 FROM numbers(120);
SELECT count() FROM g;
OPTIMIZE TABLE g FINAL;
SELECT count(), sum(Value) FROM g;
DROP TABLE g;
CREATE TABLE g (Path String, Time DateTime, Value Float64, Timestamp DateTime) ENGINE = ReplicatedGraphiteMergeTree('/a/b', 'r', 'graphite_rollup') ORDER BY (Path, Time);
INSERT INTO g VALUES ('a', 1, 2, 3), ('a', 2, 3, 4);
SELECT Path, toUInt32(Time), Value, toUInt32(Timestamp) FROM g FINAL;
DROP TABLE g;
CREATE TABLE e (Path String, Time DateTime, Value Float64, Timestamp DateTime) ENGINE = GraphiteMergeTree ORDER BY (Path, Time); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE e (Path String, Time DateTime, Value Float64, Timestamp DateTime) ENGINE = GraphiteMergeTree(a) ORDER BY (Path, Time); -- { serverError BAD_ARGUMENTS }
CREATE TABLE e (Path String, Time DateTime, Value Float64, Timestamp DateTime) ENGINE = GraphiteMergeTree('nowhere') ORDER BY (Path, Time); -- { serverError NO_ELEMENTS_IN_CONFIG }
CREATE TABLE e (Path String, Time DateTime, Value Float64, Timestamp DateTime) ENGINE = GraphiteMergeTree('graphite_rollup') ORDER BY (Time, Path); -- { serverError BAD_ARGUMENTS }
