-- { configs: default }
-- Tables of the engine Buffer.
CREATE TABLE dest (n UInt64, s String) ENGINE = MergeTree ORDER BY n;
CREATE TABLE buf (n UInt64, s String) ENGINE = Buffer(currentDatabase(), 'dest', 1, 1000, 1000, 100, 100, 100000000, 100000000);
INSERT INTO buf VALUES (1, 'a'), (2, 'b');
SELECT * FROM buf ORDER BY n;
SELECT count() FROM dest;
INSERT INTO dest VALUES (10, 'direct');
SELECT * FROM buf ORDER BY n;
SELECT count(), sum(n) FROM buf;
SELECT n FROM buf WHERE s = 'b';
OPTIMIZE TABLE buf;
SELECT * FROM dest ORDER BY n;
SELECT * FROM buf ORDER BY n;
INSERT INTO buf SELECT number, 'many' FROM numbers(1000);
SELECT count() FROM dest;
SELECT count() FROM buf;
INSERT INTO buf VALUES (7777, 'last');
SELECT max(n) FROM buf;
SELECT max(n) FROM dest;
DROP TABLE buf;
SELECT max(n) FROM dest;
CREATE TABLE like_dest AS dest ENGINE = Buffer(currentDatabase(), dest, 16, 10, 100, 10000, 1000000, 10000000, 100000000);
SELECT count() FROM like_dest;
SHOW CREATE TABLE like_dest;
CREATE TABLE other_columns (n UInt64, t String, s String) ENGINE = Buffer(currentDatabase(), 'dest', 1, 1000, 1000, 1, 1, 100000000, 100000000);
SELECT * FROM other_columns WHERE n = 7777;
INSERT INTO other_columns VALUES (8888, 't', 's');
SELECT * FROM other_columns WHERE n = 8888;
OPTIMIZE TABLE other_columns;
SELECT * FROM dest WHERE n = 8888;
CREATE TABLE other_type (n UInt16, s String) ENGINE = Buffer(currentDatabase(), 'dest', 1, 1000, 1000, 100, 100, 100000000, 100000000);
SELECT * FROM other_type WHERE n = 7777;
CREATE TABLE no_dest (n UInt8) ENGINE = Buffer(currentDatabase(), 'absent', 1, 1000, 1000, 100, 100, 100000000, 100000000);
INSERT INTO no_dest VALUES (1);
SELECT * FROM no_dest;
CREATE TABLE discards (n UInt8) ENGINE = Buffer('', '', 1, 1000, 1000, 100, 100, 100000000, 100000000);
INSERT INTO discards VALUES (1);
SELECT * FROM discards;
OPTIMIZE TABLE discards;
SELECT * FROM discards;
CREATE TABLE bad (n UInt8) ENGINE = Buffer; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE bad (n UInt8) ENGINE = Buffer(currentDatabase(), 'dest'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE bad (n UInt8) ENGINE = Buffer(currentDatabase(), 'dest', 'x', 1000, 1000, 100, 100, 100000000, 100000000); -- { serverError CANNOT_CONVERT_TYPE }
CREATE TABLE with_flush (n UInt64, s String) ENGINE = Buffer(currentDatabase(), 'dest', 1, 1000, 1000, 10, 100, 1000, 10000, 1000, 500, 50000);
INSERT INTO with_flush SELECT number + 100000, 'f' FROM numbers(60);
SELECT count() FROM dest WHERE s = 'f';
SELECT count() FROM with_flush WHERE s = 'f';
DROP TABLE with_flush;
SELECT count() FROM dest WHERE s = 'f';
TRUNCATE TABLE other_type; -- { serverError NOT_IMPLEMENTED }
SELECT name, engine FROM system.tables WHERE database = currentDatabase() ORDER BY name;
DROP TABLE no_dest;
