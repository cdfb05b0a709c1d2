-- The arguments of a text index.
DROP TABLE IF EXISTS t;
CREATE TABLE t (s String, INDEX i s TYPE text) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text()) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'unheard')) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'ngrams(3)')) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 5)) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = ngrams(0))) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text('array')) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array', tokenizer = 'array')) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array', unheard = 1)) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array', dictionary_block_size = 0)) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array', dictionary_block_size = 'x')) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array', dictionary_block_frontcoding_compression = 2)) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array', posting_list_block_size = 0)) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array', posting_list_codec = 'x')) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, n UInt8, INDEX i (s, n) TYPE text(tokenizer = 'array')) ENGINE = MergeTree ORDER BY (); -- { serverError INCORRECT_NUMBER_OF_COLUMNS }
CREATE TABLE t (n UInt8, INDEX i n TYPE text(tokenizer = 'array')) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (m Map(String, String), INDEX i m TYPE text(tokenizer = 'array')) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, n UInt8, INDEX i s TYPE text(tokenizer = 'array', preprocessor = lower(n))) ENGINE = MergeTree ORDER BY (); -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array', preprocessor = length(s))) ENGINE = MergeTree ORDER BY (); -- { serverError INCORRECT_QUERY }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array', preprocessor = 'lower')) ENGINE = MergeTree ORDER BY (); -- { serverError INCORRECT_QUERY }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array', preprocessor = s)) ENGINE = MergeTree ORDER BY (); -- { serverError INCORRECT_QUERY }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array', preprocessor = toString(rand()))) ENGINE = MergeTree ORDER BY (); -- { serverError INCORRECT_QUERY }
CREATE TABLE t (s String, INDEX i lower(s) TYPE text(tokenizer = 'array', preprocessor = upper(s))) ENGINE = MergeTree ORDER BY (); -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE t (s String, INDEX i s TYPE text(tokenizer = 'array'), INDEX j s TYPE text(tokenizer = ngrams)) ENGINE = MergeTree ORDER BY (); -- { serverError BAD_ARGUMENTS }
CREATE TABLE t (s String, a Array(Nullable(String)), l LowCardinality(Nullable(String)), m Map(String, String),
    INDEX i s TYPE text(tokenizer = ngrams(3), posting_list_block_size = 1024, dictionary_block_size = 32, posting_list_codec = 'bitpacking'),
    INDEX j a TYPE text(tokenizer = splitByNonAlpha()), INDEX k l TYPE text(tokenizer = sparseGrams(3, 10)), INDEX v upper(s) TYPE text(tokenizer = 'array', preprocessor = reverse(upper(s))),
    INDEX n mapKeys(m) TYPE text(tokenizer = asciiCJK) GRANULARITY 4) ENGINE = MergeTree ORDER BY ();
SELECT name, type, type_full, expr, granularity FROM system.data_skipping_indices WHERE table = 't' ORDER BY name;
INSERT INTO t VALUES ('Hello', ['a b', NULL, 'c'], NULL, map('x', 'y')), ('World', [], 'abcdef', map());
SELECT s FROM t WHERE hasAllTokens(a, 'b c');
SELECT s FROM t WHERE hasAllTokens(l, 'bcde');
SELECT s FROM t WHERE upper(s) = 'WORLD';
SELECT s FROM t WHERE mapContainsKey(m, 'x');
SELECT s FROM t WHERE hasAllTokens(s, 'ello');
DROP TABLE t;
