-- { configs: default }
-- system.dictionaries: what is known before and after loading. (After a restart nothing is loaded.)
CREATE TABLE src (id UInt64, v String, w UInt8) ENGINE = Memory;
INSERT INTO src VALUES (1, 'one', 1), (2, 'two', 2);
CREATE DICTIONARY d (id UInt64, v String, w UInt8) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(HASHED()) LIFETIME(MIN 10 MAX 1000) COMMENT 'about d';
SELECT name, status, type, key.names, key.types, attribute.names, attribute.types, query_count, hit_rate, found_rate, element_count, source, lifetime_min, lifetime_max, error_count, last_exception, comment FROM system.dictionaries WHERE database = currentDatabase() ORDER BY name;
SELECT bytes_allocated, loading_duration, toUnixTimestamp(loading_start_time) FROM system.dictionaries WHERE name = 'd';
SELECT dictGet('d', 'v', number) FROM numbers(4) ORDER BY number;
SELECT name, status, type, key.names, key.types, attribute.names, attribute.types, query_count, hit_rate, found_rate, element_count, lifetime_min, lifetime_max, error_count, last_exception, comment FROM system.dictionaries WHERE database = currentDatabase() ORDER BY name;
SELECT bytes_allocated > 0, loading_start_time > '2020-01-01 00:00:00', last_successful_update_time >= loading_start_time FROM system.dictionaries WHERE name = 'd';
CREATE DICTIONARY f (id UInt64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'nosuch')) LAYOUT(FLAT()) LIFETIME(1);
SELECT dictGet('f', 'v', 1); -- { serverError UNKNOWN_TABLE }
SELECT status, type, last_exception LIKE 'Code: 60. DB::Exception: %', element_count FROM system.dictionaries WHERE name = 'f';
CREATE TABLE nosuch (id UInt64, v String) ENGINE = Memory;
SYSTEM RELOAD DICTIONARY f;
SELECT status, type, last_exception, element_count FROM system.dictionaries WHERE name = 'f';
-- A load that fails keeps what was loaded before.
INSERT INTO nosuch VALUES (1, 'kept');
SYSTEM RELOAD DICTIONARY f;
DROP TABLE nosuch SETTINGS check_table_dependencies = 0;
SYSTEM RELOAD DICTIONARY f; -- { serverError UNKNOWN_TABLE }
SELECT dictGet('f', 'v', 1), status, last_exception != '' FROM system.dictionaries WHERE name = 'f';
DROP DICTIONARY f;
SELECT count() FROM system.dictionaries WHERE name = 'f';
