-- { fixedEngine }
-- Key-value tables: EmbeddedRocksDB.
CREATE TABLE kv (k UInt64, v String, n Nullable(Int8)) ENGINE = EmbeddedRocksDB PRIMARY KEY k;
INSERT INTO kv VALUES (1, 'a', 1), (2, 'b', NULL), (1, 'again', 2);
SELECT * FROM kv ORDER BY k;
INSERT INTO kv VALUES (2, 'replaced', 3), (3, 'c', 4);
SELECT * FROM kv ORDER BY k;
SELECT * FROM kv WHERE k = 2;
SELECT * FROM kv WHERE k IN (1, 3, 99) ORDER BY k;
SELECT v FROM kv WHERE k = 99;
SELECT count() FROM kv;
SELECT count() FROM kv WHERE k IN (SELECT number FROM numbers(3));
SELECT v FROM kv WHERE k = 1 AND v = 'again';
SELECT v FROM kv WHERE k = 1 OR k = 2 ORDER BY v;
SELECT v FROM kv WHERE v LIKE 'r%';
SELECT v FROM kv WHERE k > 1 ORDER BY k;
SELECT l.number, kv.v FROM numbers(5) AS l LEFT JOIN kv ON l.number = kv.k ORDER BY l.number;
INSERT INTO kv SELECT number, toString(number), NULL FROM numbers(10, 1000);
SELECT count(), sum(k) FROM kv;
SELECT v FROM kv WHERE k = 500;
SELECT k, v FROM kv WHERE k IN (999, 1000, 1001, 5000) ORDER BY k;
TRUNCATE TABLE kv;
SELECT count() FROM kv;
INSERT INTO kv VALUES (5, 'five', 5);
SELECT * FROM kv;
CREATE TABLE text_key (name String, x Float64, arr Array(String)) ENGINE = EmbeddedRocksDB PRIMARY KEY name;
INSERT INTO text_key VALUES ('', 0, []), ('a', 1.5, ['x']), ('b', 2, ['y', 'z']), ('a', 3, []);
SELECT * FROM text_key ORDER BY name;
SELECT x FROM text_key WHERE name = 'a';
SELECT x FROM text_key WHERE name IN ('a', '', 'nope') ORDER BY x;
SELECT sum(x) FROM text_key;
CREATE TABLE two_keys (a UInt8, b String, c Int8) ENGINE = EmbeddedRocksDB PRIMARY KEY (a, b);
INSERT INTO two_keys VALUES (1, 'x', 1), (1, 'y', 2), (1, 'x', 3);
SELECT * FROM two_keys ORDER BY a, b;
SELECT c FROM two_keys WHERE a = 1 AND b = 'x';
SELECT name, engine_full, primary_key, sorting_key FROM system.tables WHERE database = currentDatabase() ORDER BY name;
SHOW CREATE TABLE kv;
CREATE TABLE bad (k UInt8) ENGINE = EmbeddedRocksDB; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (k UInt8) ENGINE = EmbeddedRocksDB PRIMARY KEY nope; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE bad (k UInt8) ENGINE = EmbeddedRocksDB ORDER BY k; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (k UInt8) ENGINE = EmbeddedRocksDB(1, 2, 3, 4) PRIMARY KEY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE bad (k UInt8) ENGINE = EmbeddedRocksDB PRIMARY KEY k PARTITION BY k;
CREATE TABLE only_key (k UInt8) ENGINE = EmbeddedRocksDB PRIMARY KEY k;
INSERT INTO only_key VALUES (1), (2), (1);
SELECT * FROM only_key ORDER BY k;
CREATE TABLE with_ttl (k UInt8, v String) ENGINE = EmbeddedRocksDB(0) PRIMARY KEY k;
INSERT INTO with_ttl VALUES (1, 'x');
SELECT * FROM with_ttl;
CREATE TABLE with_settings (k UInt8, v String) ENGINE = EmbeddedRocksDB PRIMARY KEY k SETTINGS optimize_for_bulk_insert = 0;
INSERT INTO with_settings VALUES (1, 'x'), (1, 'y');
SELECT * FROM with_settings;
RENAME TABLE with_settings TO renamed;
SELECT v FROM renamed WHERE k = 1;
OPTIMIZE TABLE renamed;
DROP TABLE renamed;
