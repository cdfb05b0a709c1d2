-- { configs: default }
CREATE DATABASE own;
USE own;
CREATE TABLE t (k UInt32, v Int32, s String, n Nullable(Int32), arr Array(UInt8), m String MATERIALIZED concat(s, '-', toString(v)), df Int32 DEFAULT v * 2) ENGINE = MergeTree ORDER BY k;
INSERT INTO t (k, v, s, n, arr) SELECT number, number * 10, concat('s', toString(number)), if(number % 2, number, NULL), range(number) FROM numbers(6);
SET mutations_sync = 2;
ALTER TABLE t UPDATE v = v + 1 WHERE k = 1;
SELECT k, v, m, df FROM t WHERE k < 3 ORDER BY k;
ALTER TABLE t UPDATE v = v + 1, s = upper(s), n = NULL WHERE k IN (1, 2);
SELECT * FROM t ORDER BY k;
ALTER TABLE t UPDATE k = 5 WHERE 1; -- { serverError CANNOT_UPDATE_COLUMN }
ALTER TABLE t UPDATE zz = 5 WHERE 1; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
ALTER TABLE t UPDATE v = 5 WHERE zz = 1; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE t UPDATE v = 'abc' WHERE k = 1; -- { serverError CANNOT_PARSE_TEXT }
ALTER TABLE t UPDATE v = 1, v = 2 WHERE k = 1; -- { serverError MULTIPLE_ASSIGNMENTS_TO_COLUMN }
ALTER TABLE t UPDATE m = 'x' WHERE k = 1; -- { serverError CANNOT_UPDATE_COLUMN }
ALTER TABLE t UPDATE v = NULL WHERE k = 1; -- { serverError CANNOT_CONVERT_TYPE }
ALTER TABLE t UPDATE n = v WHERE k = 3;
ALTER TABLE t UPDATE arr = arrayPushBack(arr, 9) WHERE length(arr) > 2;
SELECT k, n, arr FROM t ORDER BY k;
ALTER TABLE t UPDATE v = 7; -- { serverError SYNTAX_ERROR }
ALTER TABLE t DELETE; -- { serverError SYNTAX_ERROR }
ALTER TABLE t UPDATE v = 7 WHERE 'abc'; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
ALTER TABLE t DELETE WHERE s; -- { serverError BAD_ARGUMENTS }
ALTER TABLE t DELETE WHERE k;
SELECT count() FROM t;
CREATE TABLE ids (id UInt32, val Int32) ENGINE = MergeTree ORDER BY id;
INSERT INTO ids VALUES (0, 100), (7, 700), (8, 800);
INSERT INTO t (k, v, s) VALUES (7, 7, 'seven'), (8, 8, 'eight'), (9, 9, 'nine');
ALTER TABLE t DELETE WHERE k IN (SELECT id FROM ids WHERE id = 7);
SELECT k, v FROM t ORDER BY k;
ALTER TABLE t UPDATE v = (SELECT max(val) FROM ids) WHERE k = 9;
SELECT k, v FROM t ORDER BY k;
ALTER TABLE t UPDATE v = v + 1 WHERE (k, s) IN (SELECT id, 'eight' FROM ids);
SELECT k, v FROM t ORDER BY k;
ALTER TABLE t DELETE WHERE k IN ids; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
CREATE TABLE jt (id UInt32, val Int32) ENGINE = Join(ANY, LEFT, id);
INSERT INTO jt VALUES (8, 80), (9, 90);
ALTER TABLE t UPDATE v = joinGet('own.jt', 'val', k) WHERE k IN (8, 9);
SELECT k, v FROM t ORDER BY k;
CREATE DICTIONARY dd (id UInt64, val Int32 DEFAULT -1) PRIMARY KEY id SOURCE(CLICKHOUSE(DB 'own' TABLE 'ids')) LAYOUT(HASHED()) LIFETIME(0);
ALTER TABLE t UPDATE v = dictGet('own.dd', 'val', toUInt64(k)) WHERE dictHas('own.dd', toUInt64(k));
SELECT k, v FROM t ORDER BY k;
ALTER TABLE t UPDATE v = rand() % 1 WHERE k = 8;
ALTER TABLE t UPDATE v = toInt32(toYear(now()) > 2000) WHERE k = 8;
SELECT k, v FROM t ORDER BY k;
ALTER TABLE t DELETE WHERE rand() % 2 = 5;
SET allow_nondeterministic_mutations = 1;
ALTER TABLE t UPDATE v = rand() % 1 WHERE k = 8;
ALTER TABLE t UPDATE v = nonexistentFunction(v) WHERE k = 8; -- { serverError UNKNOWN_FUNCTION }
SET validate_mutation_query = 0;
ALTER TABLE t UPDATE v = v + 5 WHERE k = 8;
SELECT k, v FROM t ORDER BY k;
SET validate_mutation_query = 1;
ALTER TABLE t UPDATE v = sum(v) WHERE k = 8; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE t DELETE WHERE k = 8 AND EXISTS (SELECT 1 FROM ids WHERE id = 8);
SELECT k, v, m FROM t ORDER BY k;
ALTER TABLE t UPDATE v = 1 IN PARTITION tuple() WHERE 1;
SELECT k, v, m FROM t ORDER BY k;
ALTER TABLE t UPDATE v = 2 IN PARTITION ID 'all' WHERE 1;
ALTER TABLE t UPDATE v = 3 IN PARTITION ID 'zz' WHERE 1;
SELECT k, v, m FROM t ORDER BY k;
ALTER TABLE t UPDATE v = CAST(v AS Int32) + toInt32(length(s)) WHERE s LIKE 'n%' OR n IS NULL;
SELECT k, v FROM t ORDER BY k;
KILL MUTATION WHERE table = 'nothing' AND database = currentDatabase();
ALTER TABLE t UPDATE df = -1 WHERE 1, UPDATE v = df WHERE 1;
SELECT k, v, df FROM t ORDER BY k;
CREATE TABLE tup (id UInt8, t Tuple(a UInt8, b String), n Nested(x UInt8, y UInt8), mp Map(String, UInt8)) ENGINE = MergeTree ORDER BY id;
INSERT INTO tup VALUES (1, (1, 'x'), [1, 2], [3, 4], {'k': 1});
ALTER TABLE tup UPDATE t = (2, 'y'), mp = mapUpdate(mp, map('z', 9)) WHERE id = 1;
ALTER TABLE tup UPDATE t.a = 5 WHERE id = 1; -- { serverError SYNTAX_ERROR }
ALTER TABLE tup UPDATE `n.x` = [5, 6] WHERE id = 1;
ALTER TABLE tup UPDATE n.x = [5, 6, 7] WHERE id = 1; -- { serverError SYNTAX_ERROR }
ALTER TABLE tup UPDATE n.x = [5, 6, 7], n.y = [1, 2, 3] WHERE id = 1; -- { serverError SYNTAX_ERROR }
SELECT * FROM tup;
ALTER TABLE tup APPLY DELETED MASK;
ALTER TABLE tup MATERIALIZE TTL; -- { serverError INCORRECT_QUERY }
