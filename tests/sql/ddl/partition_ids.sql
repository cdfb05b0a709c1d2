-- { fixedEngine }
-- What the partitions of keys that are no whole numbers are called.
CREATE TABLE of_uuid (u UUID, v UInt8) ENGINE = MergeTree PARTITION BY u ORDER BY v;
INSERT INTO of_uuid VALUES ('61f0c404-5cb3-11e7-907b-a6006ad3dba0', 1);
SELECT partition, partition_id FROM system.parts WHERE database = currentDatabase() AND table = 'of_uuid' AND active;
CREATE TABLE of_decimal (a Decimal(38, 2), b Decimal(9, 2), v UInt8) ENGINE = MergeTree PARTITION BY (a, b) ORDER BY v;
INSERT INTO of_decimal VALUES (1.5, -2.5, 1);
SELECT partition, partition_id FROM system.parts WHERE database = currentDatabase() AND table = 'of_decimal' AND active;
CREATE TABLE of_time (d DateTime64(3, 'UTC'), v UInt8) ENGINE = MergeTree PARTITION BY d ORDER BY v;
INSERT INTO of_time VALUES ('1960-01-01 00:00:00.5', 1);
SELECT partition, partition_id FROM system.parts WHERE database = currentDatabase() AND table = 'of_time' AND active;
DROP TABLE of_uuid;
DROP TABLE of_decimal;
DROP TABLE of_time;
