-- { configs: default }
-- Engines that name other tables or make up rows: Alias, Distributed, GenerateRandom; loop and null.
SELECT name, type FROM (SELECT * FROM system.columns WHERE 0);
CREATE TABLE random (a UInt8, s String, n Nullable(Int32), arr Array(UInt8)) ENGINE = GenerateRandom(1, 5, 3);
SELECT count() FROM (SELECT * FROM random LIMIT 100);
SELECT max(length(s)) <= 5, max(length(arr)) <= 3 FROM (SELECT * FROM random LIMIT 1000);
SELECT toTypeName(a), toTypeName(s), toTypeName(n), toTypeName(arr) FROM random LIMIT 1;
INSERT INTO random VALUES (1, '', 1, []); -- { serverError NOT_IMPLEMENTED }
CREATE TABLE bad (a UInt8) ENGINE = GenerateRandom(1, 2, 3, 4); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE bad (a UInt8) ENGINE = GenerateRandom('x'); -- { serverError BAD_ARGUMENTS }
SELECT count() FROM (SELECT * FROM generateRandom('a UInt8, b String', 1, 10, 2) LIMIT 50);
SELECT count(), countIf(isNull(b)) > 0 FROM (SELECT * FROM generateRandom('b Nullable(UInt8)', 1, 10, 2) LIMIT 1000);
SELECT toTypeName(d), toTypeName(e), toTypeName(u), toTypeName(f), toTypeName(t), toTypeName(m) FROM generateRandom('d Decimal(18, 3), e Enum8(\'a\' = 1, \'b\' = 2), u UUID, f FixedString(4), t Tuple(UInt8, String), m Map(String, UInt8)', 1, 10, 2) LIMIT 1;
SELECT count() FROM (SELECT * FROM generateRandom('d Decimal(18, 3), e Enum8(\'a\' = 1, \'b\' = 2), u UUID, f FixedString(4), t Tuple(UInt8, String), m Map(String, UInt8), dt DateTime64(3), d32 Date32, l LowCardinality(String), w Int256, b Bool, x Float32, aa Array(Array(Nullable(String)))', 1, 10, 2) LIMIT 500) WHERE NOT ignore(*);
SELECT countIf(e NOT IN ('a', 'b')), countIf(length(f) != 4) FROM (SELECT * FROM generateRandom('e Enum8(\'a\' = 1, \'b\' = 2), f FixedString(4)', 1, 10, 2) LIMIT 500);
SELECT (SELECT groupArray(a) FROM (SELECT a FROM generateRandom('a UInt32', 7) LIMIT 5)) = (SELECT groupArray(a) FROM (SELECT a FROM generateRandom('a UInt32', 7) LIMIT 5));
SELECT max(length(s)) <= 10 FROM (SELECT s FROM generateRandom('s String') LIMIT 100);
SELECT * FROM generateRandom('a Nothing2', 1, 10, 2) LIMIT 1; -- { serverError UNKNOWN_TYPE }
SELECT * FROM generateRandom('a UInt8', 'x') LIMIT 1; -- { serverError BAD_ARGUMENTS }
SELECT * FROM generateRandom('a UInt8', 1, 2, 3, 4) LIMIT 1; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE three (n UInt8) ENGINE = Memory;
INSERT INTO three VALUES (1), (2), (3);
SELECT count(), sum(n) FROM (SELECT n FROM loop(three) LIMIT 9);
SELECT count() FROM (SELECT n FROM loop(currentDatabase(), three) LIMIT 10);
SELECT count(), max(number) FROM (SELECT number FROM loop(numbers(3)) LIMIT 10);
SELECT * FROM loop(no_such_table) LIMIT 1; -- { serverError UNKNOWN_TABLE }
SELECT count() FROM null('a UInt8, b String');
INSERT INTO FUNCTION null('a UInt8') SELECT number FROM numbers(10);
SELECT * FROM null('a UInt8');
CREATE TABLE bad (n UInt8) ENGINE = Distributed; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE bad (n UInt8) ENGINE = Distributed(test_shard_localhost); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE bad (n UInt8) ENGINE = Distributed(no_such_cluster, currentDatabase(), three); -- { serverError CLUSTER_DOESNT_EXIST }
CREATE TABLE bad (n UInt8) ENGINE = NoSuchEngine; -- { serverError UNKNOWN_STORAGE }
CREATE TABLE target (n UInt8 DEFAULT 7, m String) ENGINE = Memory;
CREATE TABLE al ENGINE = Alias(target);
INSERT INTO al VALUES (1, 'x');
INSERT INTO al (m) VALUES ('y');
SELECT * FROM al ORDER BY m;
SELECT * FROM target ORDER BY m;
SELECT al.n, a2.m FROM al INNER JOIN al AS a2 USING n ORDER BY a2.m;
ALTER TABLE target ADD COLUMN z Int8;
SELECT * FROM al ORDER BY m;
SELECT z FROM al WHERE m = 'x';
SELECT 'x' IN (SELECT m FROM al), 'q' IN (SELECT m FROM al);
TRUNCATE TABLE al;
SELECT count() FROM target;
INSERT INTO target VALUES (9, 'nine', 1);
DROP TABLE al;
SELECT * FROM target;
CREATE TABLE bad (n UInt8) ENGINE = Alias('target'); -- { serverError BAD_ARGUMENTS }
CREATE TABLE keep (a UInt8) ENGINE = Memory SETTINGS min_rows_to_keep = 2, max_rows_to_keep = 5;
INSERT INTO keep SELECT number FROM numbers(4);
INSERT INTO keep SELECT number FROM numbers(4);
SELECT count() FROM keep;
INSERT INTO keep VALUES (10);
INSERT INTO keep VALUES (11);
SELECT count(), arraySort(groupArray(a)) FROM keep;
INSERT INTO keep SELECT number FROM numbers(10);
SELECT count() FROM keep;
CREATE TABLE bad (a UInt8) ENGINE = Memory SETTINGS min_rows_to_keep = 20, max_rows_to_keep = 5; -- { serverError SETTING_CONSTRAINT_VIOLATION }
CREATE TABLE bad (a UInt8) ENGINE = Memory SETTINGS min_rows_to_keep = 20; -- { serverError SETTING_CONSTRAINT_VIOLATION }
CREATE TABLE bad (a UInt8) ENGINE = Memory SETTINGS min_bytes_to_keep = 20; -- { serverError SETTING_CONSTRAINT_VIOLATION }
CREATE TABLE squeezed (a UInt8) ENGINE = Memory SETTINGS compress = 1;
INSERT INTO squeezed VALUES (1);
SELECT * FROM squeezed;
CREATE TABLE by_bytes (a UInt64) ENGINE = Memory SETTINGS max_bytes_to_keep = 1000;
INSERT INTO by_bytes SELECT number FROM numbers(100);
INSERT INTO by_bytes SELECT number FROM numbers(100);
SELECT count() FROM by_bytes;
SHOW CREATE TABLE keep;
SELECT name, supports_settings, supports_sort_order, supports_parallel_insert FROM system.table_engines WHERE name IN ('Alias', 'Buffer', 'Distributed', 'EmbeddedRocksDB', 'GenerateRandom', 'Join', 'Log', 'Memory', 'Merge', 'Null', 'Set', 'TinyLog') ORDER BY name;
