-- { configs: default }
CREATE TABLE base1 (a UInt32, b String DEFAULT 'd') ENGINE = MergeTree ORDER BY a;
CREATE TABLE base2 (a UInt32, b String, c UInt8) ENGINE = MergeTree ORDER BY a;
INSERT INTO base1 VALUES (1, 'x');
INSERT INTO base2 VALUES (2, 'y', 9);
CREATE TABLE d4 AS base1 ENGINE = Distributed('nocluster', currentDatabase(), base1); -- { serverError CLUSTER_DOESNT_EXIST }
SELECT * FROM d5; -- { serverError UNKNOWN_TABLE }
CREATE TABLE d6 AS base1 ENGINE = Distributed('default'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE d7 AS base1 ENGINE = Distributed('default', currentDatabase(), base1, zz); -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE d8 AS base1 ENGINE = Distributed('default', currentDatabase(), base1, b); -- { serverError TYPE_MISMATCH }
CREATE TABLE d9 AS base1 ENGINE = Distributed('default', currentDatabase(), base1, a, 'policy'); -- { serverError UNKNOWN_POLICY }
CREATE TABLE m1 (a UInt32, b String) ENGINE = Merge(currentDatabase(), '^base');
SHOW CREATE TABLE m1;
CREATE TABLE m2 ENGINE = Merge(currentDatabase(), '^base');
DESCRIBE m2;
CREATE TABLE m3 AS base1 ENGINE = Merge(REGEXP('^def'), '^base[12]$');
INSERT INTO m1 VALUES (1, 'x'); -- { serverError NOT_IMPLEMENTED }
CREATE TABLE m4 (a UInt32) ENGINE = Merge(currentDatabase()); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE m5 ENGINE = Merge(currentDatabase(), '^nothing'); -- { serverError CANNOT_EXTRACT_TABLE_STRUCTURE }
CREATE TABLE m5b (a UInt8) ENGINE = Merge(currentDatabase(), '^nothing');
SELECT * FROM m5b;
CREATE TABLE m6 (a UInt8) ENGINE = Merge(currentDatabase(), '['); -- { serverError CANNOT_COMPILE_REGEXP }
CREATE TABLE m7 (a UInt8) ENGINE = Merge('nodb', 'x');
CREATE TABLE m8 (a UInt32) ENGINE = Merge(currentDatabase(), '^base', 'base1'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
INSERT INTO m8 VALUES (44); -- { serverError UNKNOWN_TABLE }
CREATE TABLE b1 (a UInt32, b String) ENGINE = Buffer(currentDatabase(), base1, 16, 10, 100, 10000, 1000000, 10000000, 100000000);
INSERT INTO b1 VALUES (100, 'buf');
OPTIMIZE TABLE b1;
SHOW CREATE TABLE b1;
CREATE TABLE b2 (a UInt32) ENGINE = Buffer(currentDatabase(), base1, 1, 1, 1, 1, 1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE b3 (a UInt32) ENGINE = Buffer('', '', 1, 1, 1, 1, 1, 1, 1);
INSERT INTO b3 VALUES (1);
CREATE TABLE b4 AS base1 ENGINE = Buffer(currentDatabase(), nonexistent_tbl, 1, 10, 100, 10, 100, 10, 100);
INSERT INTO b4 VALUES (1, 'x');
CREATE TABLE b5 ENGINE = Buffer(currentDatabase(), base1, 1, 10, 100, 10, 100, 10, 100);
TRUNCATE TABLE b1; -- { serverError NOT_IMPLEMENTED }
CREATE TABLE al1 ENGINE = Alias('base2');
SELECT * FROM al1;
INSERT INTO al1 VALUES (3, 'z', 1);
SELECT count() FROM base2;
SHOW CREATE TABLE al1;
CREATE TABLE al2 ENGINE = Alias(currentDatabase(), 'base2');
CREATE TABLE al4 (a UInt8) ENGINE = Alias('base2'); -- { serverError BAD_ARGUMENTS }
CREATE TABLE al5 ENGINE = Alias; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
ALTER TABLE al1 ADD COLUMN d UInt8 DEFAULT 4;
SELECT * FROM base2 ORDER BY a;
DELETE FROM al1 WHERE a = 3;
ALTER TABLE al1 UPDATE c = 7 WHERE 1 SETTINGS mutations_sync = 2;
SELECT * FROM al1;
TRUNCATE TABLE al1;
RENAME TABLE al1 TO al9;
DROP TABLE base2;
SELECT * FROM al9; -- { serverError UNKNOWN_TABLE }
DROP TABLE al9;
CREATE TABLE nu (a UInt8, b UInt8 MATERIALIZED a + 1) ENGINE = Null;
INSERT INTO nu VALUES (1);
SELECT count() FROM nu;
CREATE TABLE nu2 (a UInt8) ENGINE = Null(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE gr1 (a UInt8, b String) ENGINE = GenerateRandom(1, 5, 3);
SELECT count() FROM (SELECT * FROM gr1 LIMIT 10);
CREATE TABLE gr2 (a UInt8) ENGINE = GenerateRandom('x'); -- { serverError BAD_ARGUMENTS }
CREATE TABLE gr3 (a UInt8) ENGINE = GenerateRandom(1, 2, 3, 4); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
INSERT INTO gr1 VALUES (1, 'x'); -- { serverError NOT_IMPLEMENTED }
