-- { configs: default }
-- One table, through every state of its target.
CREATE TABLE src (a Int32, s String) ENGINE = MergeTree ORDER BY a;
INSERT INTO src VALUES (1, 'one'), (2, 'two');
INSERT INTO src VALUES (3, 'three');
BACKUP TABLE src TO Memory('tables1') SETTINGS id = 'tables1';
BACKUP TABLE src TO Memory('tables1'); -- { serverError BACKUP_ALREADY_EXISTS }
RESTORE TABLE src FROM Memory('tables1'); -- { serverError CANNOT_RESTORE_TABLE }
RESTORE TABLE src AS copy FROM Memory('tables1') SETTINGS id = 'tables2';
SYSTEM STOP MERGES copy;
SELECT * FROM copy ORDER BY a;
SELECT name FROM system.parts WHERE database = currentDatabase() AND table = 'copy' AND active ORDER BY name;
RESTORE TABLE src AS copy FROM Memory('tables1'); -- { serverError CANNOT_RESTORE_TABLE }
RESTORE TABLE src AS copy FROM Memory('tables1') SETTINGS allow_non_empty_tables = 1, id = 'tables3';
SELECT count(), sum(a) FROM copy;
SELECT name FROM system.parts WHERE database = currentDatabase() AND table = 'copy' AND active ORDER BY name;
TRUNCATE TABLE copy;
RESTORE TABLE src AS copy FROM Memory('tables1') SETTINGS structure_only = 1, id = 'tables4';
SELECT count() FROM copy;
RESTORE TABLE src AS copy FROM Memory('tables1') SETTINGS id = 'tables5';
SELECT count() FROM copy;
DROP TABLE copy SYNC;
RESTORE TABLE src AS copy FROM Memory('tables1') SETTINGS structure_only = true, id = 'tables6';
SELECT count() FROM copy;
DROP TABLE copy SYNC;
CREATE TABLE copy (a Int64, s String) ENGINE = MergeTree ORDER BY a;
RESTORE TABLE src AS copy FROM Memory('tables1'); -- { serverError CANNOT_RESTORE_TABLE }
-- Names that are not there.
BACKUP TABLE nowhere TO Memory('tables2'); -- { serverError UNKNOWN_TABLE }
BACKUP TABLE nodatabase.t TO Memory('tables3'); -- { serverError UNKNOWN_DATABASE }
RESTORE TABLE nowhere FROM Memory('tables1'); -- { serverError BACKUP_ENTRY_NOT_FOUND }
RESTORE TABLE src FROM Memory('nobackup'); -- { serverError BACKUP_NOT_FOUND }
RESTORE TABLE src AS nodatabase.t FROM Memory('tables1'); -- { serverError UNKNOWN_DATABASE }
-- What stands where.
BACKUP TABLE src TO Elsewhere('x'); -- { serverError BACKUP_ENGINE_NOT_FOUND }
BACKUP TABLE src TO Memory(); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
BACKUP TABLE src TO Memory('a', 'b'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
BACKUP TABLE src TO File(); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
BACKUP TABLE src TO Null SETTINGS id = 'tables7';
BACKUP TABLE src TO Memory('tables4') SETTINGS foo = 1; -- { serverError UNKNOWN_SETTING }
BACKUP TABLE src TO Memory('tables5') SETTINGS id = 'tables1'; -- { serverError BAD_ARGUMENTS }
BACKUP TABLE src ON CLUSTER nowhere TO Memory('tables6'); -- { serverError CLUSTER_DOESNT_EXIST }
RESTORE TABLE src AS copy FROM Memory('tables1') SETTINGS create_table = 'perhaps'; -- { serverError CANNOT_PARSE_BACKUP_SETTINGS }
SELECT id, name, base_backup_name, status FROM system.backups WHERE startsWith(id, 'tables') ORDER BY id;
