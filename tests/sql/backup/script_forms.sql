-- { configs: default }
CREATE DATABASE src;
CREATE TABLE src.t (a UInt32, b String) ENGINE = MergeTree ORDER BY a PARTITION BY a % 2;
INSERT INTO src.t SELECT number, toString(number) FROM numbers(10);
CREATE VIEW src.v AS SELECT a FROM src.t;
CREATE TABLE src.m (a UInt8) ENGINE = Memory;
INSERT INTO src.m VALUES (1), (2);
CREATE TABLE src.l (a UInt8) ENGINE = Log;
INSERT INTO src.l VALUES (3);
BACKUP TABLE src.t TO Memory('b1') FORMAT Null;
RESTORE TABLE src.t AS src.t2 FROM Memory('b1') FORMAT Null;
SELECT count(), sum(a) FROM src.t2;
BACKUP TABLE src.t TO Memory('b1') FORMAT Null; -- { serverError BACKUP_ALREADY_EXISTS }
BACKUP DATABASE src TO Memory('b2') FORMAT Null;
RESTORE DATABASE src AS src2 FROM Memory('b2') FORMAT Null;
SHOW TABLES FROM src2;
SELECT count() FROM src2.t;
SELECT count() FROM src2.m;
SELECT count() FROM src2.l;
SHOW CREATE TABLE src2.v;
RESTORE DATABASE src AS src2 FROM Memory('b2') FORMAT Null; -- { serverError CANNOT_RESTORE_TABLE }
RESTORE DATABASE src AS src2 FROM Memory('b2') SETTINGS allow_non_empty_tables = 1 FORMAT Null;
SELECT count() FROM src2.t;
RESTORE TABLE src.t AS src.t3 FROM Memory('b2') SETTINGS structure_only = 1 FORMAT Null;
SELECT count() FROM src.t3;
RESTORE TABLE src.t PARTITIONS '1' AS src.t4 FROM Memory('b2') FORMAT Null; -- { serverError SYNTAX_ERROR }
SELECT count() FROM src.t4; -- { serverError UNKNOWN_TABLE }
BACKUP TABLE src.t PARTITION '0' TO Memory('b3') FORMAT Null;
RESTORE TABLE src.t AS src.t5 FROM Memory('b3') FORMAT Null;
SELECT count() FROM src.t5;
BACKUP TABLE src.nope TO Memory('b4') FORMAT Null; -- { serverError UNKNOWN_TABLE }
BACKUP DATABASE nope TO Memory('b5') FORMAT Null; -- { serverError UNKNOWN_DATABASE }
RESTORE TABLE src.nope FROM Memory('b2') FORMAT Null; -- { serverError BACKUP_ENTRY_NOT_FOUND }
RESTORE TABLE src.t FROM Memory('nobackup') FORMAT Null; -- { serverError BACKUP_NOT_FOUND }
BACKUP TABLE src.t, TABLE src.m TO Memory('b6') FORMAT Null;
BACKUP DATABASE src EXCEPT TABLES t, v TO Memory('b7') FORMAT Null;
RESTORE DATABASE src AS src3 FROM Memory('b7') FORMAT Null;
SHOW TABLES FROM src3;
BACKUP ALL EXCEPT DATABASES system TO Memory('b8') FORMAT Null;
BACKUP TEMPORARY TABLE tt TO Memory('b9') FORMAT Null; -- { serverError UNKNOWN_TABLE }
CREATE TEMPORARY TABLE tt AS SELECT 5 AS x;
BACKUP TEMPORARY TABLE tt TO Memory('b9') FORMAT Null;
RESTORE TEMPORARY TABLE tt AS tt2 FROM Memory('b9') FORMAT Null;
SELECT * FROM tt2;
BACKUP TABLE src.t TO Null FORMAT Null;
BACKUP TABLE src.t TO Zzz('x') FORMAT Null; -- { serverError BACKUP_ENGINE_NOT_FOUND }
BACKUP TABLE src.t TO Disk('nodisk', 'x') FORMAT Null; -- { serverError INVALID_CONFIG_PARAMETER }
BACKUP TABLE src.t TO Memory('b10') SETTINGS base_backup = Memory('b1') FORMAT Null;
RESTORE TABLE src.t AS src.t6 FROM Memory('b10') SETTINGS base_backup = Memory('b1') FORMAT Null;
SELECT count() FROM src.t6;
BACKUP TABLE src.t AS src.renamed TO Memory('b11') FORMAT Null;
RESTORE TABLE src.renamed FROM Memory('b11') FORMAT Null;
SELECT count() FROM src.renamed;
BACKUP TABLE src.t TO Memory('b12') SETTINGS zz = 1 FORMAT Null; -- { serverError UNKNOWN_SETTING }
BACKUP TABLE src.t TO Memory('b13') ASYNC FORMAT Null;
BACKUP VIEW src.v TO Memory('b14') FORMAT Null;
BACKUP DICTIONARY src.v TO Memory('b15') FORMAT Null;
RESTORE TABLE src.t FROM Memory('b1') SETTINGS create_table = 'must-create' FORMAT Null; -- { serverError CANNOT_PARSE_BACKUP_SETTINGS }
RESTORE TABLE src.newt FROM Memory('b1') SETTINGS create_table = 0 FORMAT Null; -- { serverError BACKUP_ENTRY_NOT_FOUND }
SELECT name, status FROM system.backups WHERE name LIKE '%b11%' ORDER BY name, status;
