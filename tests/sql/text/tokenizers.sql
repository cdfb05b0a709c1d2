-- Tokenizers: what each of them makes of a text.
SELECT tokens('The quick, brown-fox. x1_y2'), tokens('');
SELECT tokens('Größe: 12µm', 'splitByNonAlpha'), tokens('a\0b—c d');
SELECT tokens('a b  c '), tokens('a b  c ', 'splitByString'), tokens(' ', 'splitByString');
SELECT tokens('a, b;c', 'splitByString', [', ', ';']), tokens('xabcy', 'splitByString', ['ab', 'abc']), tokens('xabcy', 'splitByString', ['abc', 'ab']);
SELECT tokens('one1two22three', 'splitByRegexp', '[0-9]+'), tokens('aXbxc', 'splitByRegexp', '(?i)x'), tokens('abc', 'splitByRegexp', 'x*');
SELECT tokens('k=1 k=22 j=3', 'splitByRegexp', 'k=(\\d+)', true), tokens('a1b22', 'splitByRegexp', '\\d+', true), tokens('ab', 'splitByRegexp', '(x)?b', true);
SELECT tokens('abcde', 'ngrams'), tokens('abcde', 'ngrams', 2), tokens('ab', 'ngrams', 3), tokens('жуки', 'ngrams', 3);
SELECT tokens('', 'array'), tokens('a b', 'array'), tokens('a b', 'keyword');
SELECT tokens('foo.bar it''s 3.14 3,14 a:b 1:2 a.1 1.a a1.2b', 'asciiCJK');
SELECT tokens('_ __ _a a__b x. .y z''', 'asciiCJK'), tokens('日本語 text한국, é', 'asciiCJK'), tokens('ab日cd', 'unicodeWord');
SELECT tokens('hello world and friends', 'sparseGrams');
SELECT tokens('hello world and friends', 'sparseGrams', 3, 5), tokens('hello world and friends', 'sparseGrams', 4, 10), tokens('hello world and friends', 'sparseGrams', 3, 12, 6);
SELECT tokens('a longer text, in which there are 多く characters of все kinds', 'sparseGrams', 8, 40);
-- The parameters may stand in the tokenizer's text.
SELECT tokens('abcd', 'ngrams(3)'), tokens('a, b', 'splitByString([\', \'])'), tokens('alice', 'sparse_grams(3, 4)');
-- Types of arguments.
SELECT tokens(toFixedString('ab c', 6)), tokens(toFixedString('ab', 4), 'array'), tokens(toNullable('ab c')), tokens(toLowCardinality('ab c'));
SELECT tokens(NULL), tokens(CAST(NULL, 'Nullable(String)')), toTypeName(tokens(toNullable('a'))), toTypeName(tokens(toLowCardinality('a')));
SELECT s, tokens(s), tokens(s, 'ngrams', 4) FROM (SELECT arrayJoin(['', 'one two', 'three']) AS s) ORDER BY s;
SELECT tokens(5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT tokens(['a']); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT tokens('a', 5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT tokens('a', 'unheard'); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', materialize('array')); -- { serverError ILLEGAL_COLUMN }
SELECT tokens('a', 'array', 3); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT tokens('a', 'ngrams', 0); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', 'ngrams', -1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT tokens('a', 'ngrams', 'x'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT tokens('a', 'ngrams', 300); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT tokens('a', 'ngrams', materialize(3)); -- { serverError ILLEGAL_COLUMN }
SELECT tokens('a', 'ngrams', 3, 4); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT tokens('a', 'splitByString', []); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', 'splitByString', ['']); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', 'splitByString', 'x'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT tokens('a', 'splitByRegexp'); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', 'splitByRegexp', ''); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', 'splitByRegexp', '('); -- { serverError CANNOT_COMPILE_REGEXP }
SELECT tokens('a', 'splitByRegexp', 'x*', true); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', 'sparseGrams', 2, 4); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', 'sparseGrams', 5, 4); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', 'sparseGrams', 3, 101); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', 'sparseGrams', 4, 10, 3); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', 'sparseGrams', 4, 10, 11); -- { serverError BAD_ARGUMENTS }
SELECT tokens('a', 'keyValuePairs'); -- { serverError NOT_IMPLEMENTED }
-- Patterns of LIKE.
SELECT tokensForLikePattern('%one,two,three%'), tokensForLikePattern('one,two,three'), tokensForLikePattern('a b_ c%d e'), tokensForLikePattern('a\\% b\\_c d'), tokensForLikePattern('%');
SELECT tokensForLikePattern('%abcd_ef gh%', 'ngrams', 3), tokensForLikePattern('%ab\\%c%', 'ngrams', 3), tokensForLikePattern('a\\bc\\', 'ngrams', 3);
SELECT tokensForLikePattern('%abcdefgh%', 'sparseGrams'), tokensForLikePattern('abcd%efgh', 'sparseGrams');
SELECT tokensForLikePattern('%abc 中文 d%', 'asciiCJK'), tokensForLikePattern('abc 中文 d', 'asciiCJK'), tokensForLikePattern('a.b a\\_c a\\%d', 'asciiCJK');
SELECT tokensForLikePattern('abc', 'array'); -- { serverError BAD_ARGUMENTS }
SELECT tokensForLikePattern('abc', 'splitByString'); -- { serverError BAD_ARGUMENTS }
-- Functions of grams.
SELECT ngrams('abcde', 2), ngrams(toFixedString('ab', 4), 2), ngrams('ab', toUInt64(9));
SELECT ngrams('ab', 0); -- { serverError BAD_ARGUMENTS }
SELECT ngrams('ab', -1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT ngrams('ab', 'x'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT ngrams('ab', materialize(2)); -- { serverError ILLEGAL_COLUMN }
SELECT sparseGrams('alice in wonderland'), sparseGrams('alice', 3, 4), sparseGrams('ab'), sparseGramsUTF8('жуки и бабочки'), sparseGramsUTF8('日本語の文章を検索する', 4);
SELECT sparseGramsHashes('alice'), sparseGramsHashes('wonderland', 3, 20, 9), sparseGramsHashesUTF8('жуки и'), toTypeName(sparseGramsHashes('a'));
SELECT sparseGrams('alice', 2); -- { serverError BAD_ARGUMENTS }
SELECT sparseGrams('alice', 4, 3); -- { serverError BAD_ARGUMENTS }
SELECT sparseGrams('alice', 3, 5, 6); -- { serverError BAD_ARGUMENTS }
SELECT sparseGrams('alice', 'x'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT sparseGrams('alice', materialize(3)); -- { serverError ILLEGAL_COLUMN }
SELECT name FROM system.tokenizers WHERE name IN ('splitByNonAlpha', 'ngrams', 'splitByString', 'array', 'asciiCJK', 'sparseGrams', 'splitByRegexp', 'none') ORDER BY name;
