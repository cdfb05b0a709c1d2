-- { fixedEngine }
-- Skipping indices are checked, kept and shown.
CREATE TABLE idx (a UInt32, s String, c UInt32 MATERIALIZED a + 1, b UInt32 ALIAS a + 2, m Map(String, String), INDEX i (a, s) TYPE minmax, INDEX `j k` a * 2 TYPE set(100) GRANULARITY 4, INDEX l mapKeys(m) TYPE bloom_filter(0.01), INDEX n lower(s) TYPE tokenbf_v1(256, 2, 0)) ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE idx;
SELECT name, type, type_full, expr, creation, granularity FROM system.data_skipping_indices WHERE table = 'idx' AND database = currentDatabase() ORDER BY name;
SHOW INDEX FROM idx WHERE key_name = 'j k';
INSERT INTO idx (a, s, m) SELECT number, toString(number), map('k', 'v') FROM numbers(1000);
SELECT count(), sum(c) FROM idx WHERE s = '77' OR a * 2 = 10 OR has(mapKeys(m), 'z') OR b = 4;
CREATE TABLE like_idx AS idx;
SELECT count() FROM system.data_skipping_indices WHERE table = 'like_idx' AND database = currentDatabase();
CREATE TABLE other_engine AS idx ENGINE = Memory;
INSERT INTO other_engine (a) VALUES (5);
SELECT c FROM other_engine;
CREATE TABLE plain (a UInt32, b UInt32 ALIAS a + 2, INDEX o b TYPE minmax, INDEX i a TYPE minmax(1), INDEX j a TYPE set(0)) ENGINE = MergeTree ORDER BY a;
CREATE TABLE texts (a Array(String), e LowCardinality(String), f FixedString(3), INDEX i a TYPE bloom_filter, INDEX l e TYPE ngrambf_v1(3, 256, 2, 0), INDEX m f TYPE tokenbf_v1(256, 2, 0), INDEX n e TYPE text(tokenizer = splitByNonAlpha)) ENGINE = MergeTree ORDER BY tuple();
CREATE TABLE bad (a UInt32, INDEX i a TYPE nosuch) ENGINE = MergeTree ORDER BY a; -- { serverError INCORRECT_QUERY }
CREATE TABLE bad (a UInt32, INDEX i a) ENGINE = MergeTree ORDER BY a; -- { serverError SYNTAX_ERROR }
CREATE TABLE bad (a UInt32, INDEX i nope TYPE minmax) ENGINE = MergeTree ORDER BY a; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE bad (a UInt32, INDEX i a TYPE minmax, INDEX i a TYPE minmax) ENGINE = MergeTree ORDER BY a; -- { serverError ILLEGAL_INDEX }
CREATE TABLE bad (a UInt32, INDEX i a TYPE set) ENGINE = MergeTree ORDER BY a; -- { serverError INCORRECT_QUERY }
CREATE TABLE bad (a UInt32, INDEX i a TYPE set('x')) ENGINE = MergeTree ORDER BY a; -- { serverError INCORRECT_QUERY }
CREATE TABLE bad (a UInt32, INDEX i a TYPE bloom_filter(2)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a Decimal(10, 2), INDEX i a TYPE bloom_filter) ENGINE = MergeTree ORDER BY a; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE bad (a Tuple(UInt8, String), INDEX i a TYPE bloom_filter) ENGINE = MergeTree ORDER BY tuple(); -- { serverError ILLEGAL_COLUMN }
CREATE TABLE bad (a UInt32, INDEX i a TYPE tokenbf_v1(256, 2, 0)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a String, INDEX i a TYPE tokenbf_v1(256, 2)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a String, INDEX i a TYPE ngrambf_v1(256, 2, 1)) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a UInt32, INDEX i a TYPE minmax GRANULARITY 0) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a UInt32, INDEX i rand() TYPE minmax) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a UInt32, INDEX i count() TYPE minmax) ENGINE = MergeTree ORDER BY a; -- { serverError ILLEGAL_AGGREGATION }
CREATE TABLE bad (a UInt32, INDEX i 1 TYPE minmax) ENGINE = MergeTree ORDER BY a; -- { serverError INCORRECT_QUERY }
CREATE TABLE bad (a UInt32, INDEX i a TYPE hypothesis) ENGINE = MergeTree ORDER BY a; -- { serverError ILLEGAL_INDEX }
CREATE TABLE bad (a String, INDEX i a TYPE text) ENGINE = MergeTree ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (a UInt32, INDEX i a TYPE minmax) ENGINE = Memory; -- { serverError BAD_ARGUMENTS }
