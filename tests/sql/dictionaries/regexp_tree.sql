-- Regular expressions in trees, with values that name groups.
CREATE TABLE nodes (id UInt64, parent_id UInt64, regexp String, keys Array(String), values Array(String)) ENGINE = Memory;
INSERT INTO nodes VALUES (1, 0, 'Firefox/(\\d+)\\.(\\d+)', ['name', 'version', 'rank'], ['Firefox', '\\1.\\2', '2']), (2, 1, 'Android', ['os'], ['android']), (3, 1, 'Windows NT (\\d+)', ['os', 'version'], ['windows \\1', 'w\\1']), (4, 0, 'Mozilla', ['name', 'os'], ['something', '?']), (5, 4, 'rv:([a-z])(\\d)?', ['version'], ['<\\1|\\2|\\7>']), (9, 0, 'x+', [], []);
CREATE DICTIONARY agents (regexp String, name String, os String DEFAULT 'none', version String DEFAULT '-', rank UInt8 DEFAULT 9) PRIMARY KEY (regexp) SOURCE(CLICKHOUSE(TABLE 'nodes' DB currentDatabase())) LAYOUT(REGEXP_TREE) LIFETIME(0);
CREATE TABLE keys (k String) ENGINE = Memory;
INSERT INTO keys VALUES ('Mozilla Firefox/12.3 Android'), ('Firefox/1.0 Windows NT 10'), ('Mozilla rv:b7'), ('rv:b7'), ('Mozilla rv:b'), ('xxx'), (''), ('Android');
SELECT k, dictGet('agents', ('name', 'os', 'version', 'rank'), k) FROM keys ORDER BY k;
SELECT k, dictGetAll('agents', 'name', k), dictGetAll('agents', ('os', 'version', 'rank'), k) FROM keys ORDER BY k;
SELECT k, dictGetAll('agents', 'os', k, 1), dictGetAll('agents', 'os', k, 0) FROM keys ORDER BY k;
SELECT k, dictGetOrDefault('agents', 'version', k, 'own'), dictGetOrDefault('agents', ('os', 'rank'), k, ('z', 77)) FROM keys ORDER BY k;
SELECT k, dictGetOrDefault('agents', 'version', k, concat('own ', k)) FROM keys ORDER BY k;
SELECT dictGet('agents', 'os', 'Mozilla'), dictGetString('agents', 'os', 'Mozilla'), dictGetUInt8('agents', 'rank', 'Firefox/1.2');
SELECT dictGet('agents', 'os', tuple('Mozilla')), dictGet('agents', 'version', 5);
SELECT toTypeName(dictGetAll('agents', 'rank', 'x')), toTypeName(dictGetAll('agents', ('rank', 'os'), 'x'));
SELECT id, parent_id, regexp, arraySort(keys), arraySort(values) FROM dictionary('agents') ORDER BY id;
SELECT dictHas('agents', 'x'); -- { serverError UNSUPPORTED_METHOD }
SELECT dictGetOrNull('agents', 'os', 'x'); -- { serverError UNSUPPORTED_METHOD }
SELECT dictGetAll('agents', 'os', NULL); -- { serverError UNSUPPORTED_METHOD }
SELECT dictGetAll('agents', 'os'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictGetAll('agents', 'os', 'x', 'y'); -- { serverError NOT_IMPLEMENTED }
CREATE DICTIONARY folded (regexp String, name String) PRIMARY KEY (regexp) SOURCE(CLICKHOUSE(TABLE 'nodes' DB currentDatabase())) LAYOUT(REGEXP_TREE) LIFETIME(0) SETTINGS(regexp_dict_flag_case_insensitive = 1);
SELECT dictGet('folded', 'name', 'MOZILLA'), dictGet('agents', 'name', 'MOZILLA');
CREATE DICTIONARY numbers_too (regexp String, rank Nullable(UInt16)) PRIMARY KEY (regexp) SOURCE(CLICKHOUSE(TABLE 'nodes' DB currentDatabase())) LAYOUT(REGEXP_TREE) LIFETIME(0);
SELECT dictGet('numbers_too', 'rank', 'Firefox/1.2'), dictGet('numbers_too', 'rank', 'no');
-- What cannot be loaded.
CREATE DICTIONARY wrong_key (id UInt64, name String) PRIMARY KEY (id) SOURCE(CLICKHOUSE(TABLE 'nodes' DB currentDatabase())) LAYOUT(REGEXP_TREE) LIFETIME(0);
SELECT dictGet('wrong_key', 'name', 'x'); -- { serverError INCORRECT_DICTIONARY_DEFINITION }
CREATE DICTIONARY wrong_type (regexp String, name UInt8) PRIMARY KEY (regexp) SOURCE(CLICKHOUSE(TABLE 'nodes' DB currentDatabase())) LAYOUT(REGEXP_TREE) LIFETIME(0);
SELECT dictGet('wrong_type', 'name', 'x'); -- { serverError INCORRECT_DICTIONARY_DEFINITION }
INSERT INTO nodes VALUES (20, 19, 'a', [], []);
CREATE DICTIONARY no_parent (regexp String, name String) PRIMARY KEY (regexp) SOURCE(CLICKHOUSE(TABLE 'nodes' DB currentDatabase())) LAYOUT(REGEXP_TREE) LIFETIME(0);
SELECT dictGet('no_parent', 'name', 'x'); -- { serverError INCORRECT_DICTIONARY_DEFINITION }
CREATE DICTIONARY plain (id UInt64, name String) PRIMARY KEY id SOURCE(NULL()) LAYOUT(HASHED()) LIFETIME(0);
SELECT dictGetAll('plain', 'name', 1); -- { serverError NOT_IMPLEMENTED }
