-- { configs: default }
CREATE TABLE d1 (a UInt32, b UInt32 DEFAULT a + 1, c String MATERIALIZED toString(b), d ALIAS concat(c, '!'), e UInt8 EPHEMERAL 7, f UInt16 DEFAULT e * 2) ENGINE = MergeTree ORDER BY a;
INSERT INTO d1 (a) VALUES (1), (2);
INSERT INTO d1 (a, e) VALUES (3, 5);
INSERT INTO d1 (a, b) VALUES (4, 100);
SELECT * FROM d1 ORDER BY a;
SELECT a, b, c, d, f FROM d1 ORDER BY a;
SELECT e FROM d1; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
INSERT INTO d1 (a, c) VALUES (1, 'x'); -- { serverError ILLEGAL_COLUMN }
INSERT INTO d1 (a, d) VALUES (1, 'x'); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
SHOW CREATE TABLE d1;
DESCRIBE TABLE d1;
SELECT name, type, default_kind, default_expression, is_in_primary_key, is_in_sorting_key FROM system.columns WHERE table = 'd1' AND database = currentDatabase() ORDER BY position;
CREATE TABLE d2 (a DEFAULT 1, b DEFAULT 'x', c DEFAULT now(), d DEFAULT [1, 2], e DEFAULT NULL) ENGINE = Memory; -- { serverError DATA_TYPE_CANNOT_BE_USED_IN_TABLES }
SHOW CREATE TABLE d2; -- { serverError CANNOT_GET_CREATE_TABLE_QUERY }
CREATE TABLE d3 (a EPHEMERAL, b UInt8) ENGINE = Memory; -- { serverError SYNTAX_ERROR }
CREATE TABLE d4 (a UInt8 EPHEMERAL, b UInt8 DEFAULT a) ENGINE = Memory;
INSERT INTO d4 (a) VALUES (9);
SELECT * FROM d4;
SHOW CREATE TABLE d4;
CREATE TABLE d5 (a UInt8 DEFAULT b, b UInt8 DEFAULT a) ENGINE = Memory; -- { serverError CYCLIC_ALIASES }
CREATE TABLE d6 (a UInt8 DEFAULT zzz) ENGINE = Memory; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE d7 (a UInt8 DEFAULT 'abc') ENGINE = Memory; -- { serverError CANNOT_PARSE_TEXT }
CREATE TABLE d9 (a UInt8 DEFAULT sum(1)) ENGINE = Memory; -- { serverError ILLEGAL_AGGREGATION }
CREATE TABLE d11 (a UInt8, a UInt16) ENGINE = Memory; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE d12 (a UInt8 ALIAS 1) ENGINE = Memory; -- { serverError EMPTY_LIST_OF_COLUMNS_PASSED }
CREATE TABLE d13 (a UInt8 MATERIALIZED 1) ENGINE = Memory; -- { serverError EMPTY_LIST_OF_COLUMNS_PASSED }
CREATE TABLE d14 (id UInt64, ts DateTime DEFAULT toDateTime('2024-01-01 00:00:00'), day Date DEFAULT toDate(ts), tags Array(String) DEFAULT ['a'], m Map(String, UInt8) DEFAULT map('k', 1), n Nullable(UInt8) DEFAULT NULL, lc LowCardinality(String) DEFAULT 'lc', e Enum8('a' = 1, 'b' = 2) DEFAULT 'b', dec Decimal(10, 2) DEFAULT 1.5) ENGINE = MergeTree ORDER BY id;
INSERT INTO d14 (id) VALUES (1);
SELECT * FROM d14;
INSERT INTO d14 VALUES (2, DEFAULT, DEFAULT, ['z'], DEFAULT, 3, DEFAULT, 'a', DEFAULT);
SELECT * FROM d14 ORDER BY id;
DESCRIBE d14;
CREATE TABLE d15 (a UInt8 DEFAULT 1 COMMENT 'first' CODEC(NONE) TTL toDate('2100-01-01')) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
SHOW CREATE TABLE d15; -- { serverError CANNOT_GET_CREATE_TABLE_QUERY }
CREATE TABLE d16 (a Int32 DEFAULT 1 + 1 * 2, b String DEFAULT upper('abc'), c Tuple(x UInt8, y String) DEFAULT (1, 'a')) ENGINE = Memory;
SHOW CREATE TABLE d16;
INSERT INTO d16 (a) VALUES (1);
SELECT * FROM d16;
INSERT INTO d16 (a) SELECT 7;
SELECT * FROM d16 ORDER BY a;
CREATE TABLE d17 (a UInt8, b UInt8 DEFAULT a + c, c UInt8 DEFAULT a * 2) ENGINE = Memory;
INSERT INTO d17 (a) VALUES (3);
SELECT * FROM d17;
INSERT INTO d17 (a, c) VALUES (3, 1);
SELECT * FROM d17 ORDER BY b;
