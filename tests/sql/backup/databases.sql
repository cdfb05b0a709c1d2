-- { configs: default }
-- Views follow the tables that are restored with them.
DROP DATABASE IF EXISTS bk_a;
DROP DATABASE IF EXISTS bk_b;
CREATE DATABASE bk_a;
CREATE TABLE bk_a.t (k Int32, v String) ENGINE = MergeTree PARTITION BY k % 2 ORDER BY k;
CREATE MATERIALIZED VIEW bk_a.mv ENGINE = MergeTree ORDER BY k AS SELECT k, length(v) AS n FROM bk_a.t;
CREATE VIEW bk_a.v AS SELECT k FROM bk_a.t WHERE k IN (SELECT k FROM bk_a.t WHERE v != 'b');
CREATE TABLE bk_a.m (x UInt8) ENGINE = Memory;
CREATE TABLE bk_a.l (x UInt8) ENGINE = Log;
INSERT INTO bk_a.t VALUES (1, 'a'), (2, 'b'), (3, 'ccc');
INSERT INTO bk_a.m VALUES (5);
INSERT INTO bk_a.l VALUES (6), (7);
BACKUP DATABASE bk_a TO Memory('databases1') SETTINGS id = 'databases1';
RESTORE DATABASE bk_a AS bk_b FROM Memory('databases1') SETTINGS id = 'databases2';
SHOW CREATE TABLE bk_b.v;
SHOW CREATE TABLE bk_b.mv;
SELECT * FROM bk_b.t ORDER BY k;
SELECT * FROM bk_b.v ORDER BY k;
SELECT * FROM bk_b.mv ORDER BY k;
SELECT * FROM bk_b.m;
SELECT * FROM bk_b.l ORDER BY x;
INSERT INTO bk_b.t VALUES (10, 'dddd');
SELECT count(), sum(n) FROM bk_b.mv;
SELECT count(), sum(n) FROM bk_a.mv;
DROP DATABASE bk_b SYNC;
RESTORE TABLE bk_a.t FROM Memory('databases1'); -- { serverError CANNOT_RESTORE_TABLE }
RESTORE TABLE bk_a.t AS bk_a.t2, TABLE bk_a.v AS bk_a.v2 FROM Memory('databases1') SETTINGS id = 'databases3';
SHOW CREATE TABLE bk_a.v2;
-- Some partitions, and some tables.
BACKUP TABLE bk_a.t PARTITION 1 TO Memory('databases2') SETTINGS id = 'databases4';
RESTORE TABLE bk_a.t AS bk_a.odd FROM Memory('databases2') SETTINGS id = 'databases5';
SELECT * FROM bk_a.odd ORDER BY k;
RESTORE TABLE bk_a.t AS bk_a.even PARTITION 0 FROM Memory('databases1') SETTINGS id = 'databases6';
SELECT * FROM bk_a.even ORDER BY k;
BACKUP TABLE bk_a.t PARTITIONS 0, 1 TO Memory('databases3') SETTINGS id = 'databases7';
BACKUP TABLE bk_a.t PARTITION tuple(1, 2) TO Memory('databases4'); -- { serverError INVALID_PARTITION_VALUE }
BACKUP DATABASE bk_a AS bk_c EXCEPT TABLES mv, v, v2, t2, odd, even TO Memory('databases5') SETTINGS id = 'databases8';
DROP DATABASE bk_a SYNC;
RESTORE TABLE bk_a.t FROM Memory('databases1'); -- { serverError UNKNOWN_DATABASE }
RESTORE DATABASE bk_a FROM Memory('databases5'); -- { serverError BACKUP_ENTRY_NOT_FOUND }
RESTORE DATABASE bk_c FROM Memory('databases5') SETTINGS id = 'databases9';
SELECT name FROM system.tables WHERE database = 'bk_c' ORDER BY name;
DROP DATABASE bk_c SYNC;
-- Temporary tables.
CREATE TEMPORARY TABLE tt (a Int32);
INSERT INTO tt VALUES (5);
BACKUP TEMPORARY TABLE tt TO Memory('databases6') SETTINGS id = 'databases10';
DROP TABLE tt;
RESTORE TEMPORARY TABLE tt FROM Memory('databases6') SETTINGS id = 'databases11';
SELECT * FROM tt;
