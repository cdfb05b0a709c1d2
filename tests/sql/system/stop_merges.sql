-- { configs: default }
-- Merges of one table, or of all that there are, are stopped: OPTIMIZE fails, and parts stay as they are.
CREATE TABLE stop_one (a UInt8) ENGINE = MergeTree ORDER BY a;
CREATE TABLE stop_two (a UInt8) ENGINE = MergeTree ORDER BY a;
SYSTEM STOP MERGES stop_one;
INSERT INTO stop_one VALUES (1);
OPTIMIZE TABLE stop_one; -- { serverError ABORTED }
INSERT INTO stop_one VALUES (2);
INSERT INTO stop_two VALUES (1);
INSERT INTO stop_two VALUES (2);
OPTIMIZE TABLE stop_one FINAL; -- { serverError ABORTED }
OPTIMIZE TABLE stop_two FINAL;
SELECT table, count() FROM system.parts WHERE active AND table LIKE 'stop%' AND database = currentDatabase() GROUP BY table ORDER BY table;
-- A table takes it with it when it is renamed; one of its old name is another.
RENAME TABLE stop_one TO stop_three;
OPTIMIZE TABLE stop_three FINAL; -- { serverError ABORTED }
SYSTEM START MERGES stop_three;
OPTIMIZE TABLE stop_three FINAL;
-- All that there are, not those that come.
SYSTEM STOP MERGES;
CREATE TABLE stop_one (a UInt8) ENGINE = MergeTree ORDER BY a;
INSERT INTO stop_one VALUES (1);
INSERT INTO stop_one VALUES (2);
INSERT INTO stop_two VALUES (3);
OPTIMIZE TABLE stop_one FINAL;
OPTIMIZE TABLE stop_two FINAL; -- { serverError ABORTED }
SYSTEM START MERGES stop_two;
OPTIMIZE TABLE stop_two FINAL;
SYSTEM STOP MERGES stop_one;
SYSTEM START MERGES;
INSERT INTO stop_one VALUES (3);
OPTIMIZE TABLE stop_one FINAL;
SELECT table, count() FROM system.parts WHERE active AND table LIKE 'stop%' AND database = currentDatabase() GROUP BY table ORDER BY table;
-- What is not there has no merges; a database must be there.
SYSTEM STOP MERGES stop_nothing;
SYSTEM STOP MERGES no_database.stop_one; -- { serverError UNKNOWN_DATABASE }
SYSTEM START MERGES no_database.stop_one; -- { serverError UNKNOWN_DATABASE }
DROP TABLE stop_one;
DROP TABLE stop_two;
DROP TABLE stop_three;
