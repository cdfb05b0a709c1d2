-- { echoOn }
CREATE TABLE dt (k UInt8, a String, b String, n Nullable(String)) ENGINE = Memory;
INSERT INTO dt VALUES (1, 'kitten', 'sitting', 'kitten'), (2, '', 'abc', NULL), (3, '', '', ''), (4, 'жук', 'лук', 'жуки'), (5, 'martha', 'marhta', 'ca'), (6, 'hello big-world, x1', 'big', 'world');
SELECT k, editDistance(a, b), editDistance(a, n), editDistanceUTF8(a, b), damerauLevenshteinDistance(a, b), byteHammingDistance(a, b) FROM dt ORDER BY k;
SELECT k, round(jaroSimilarity(a, b), 6), round(jaroWinklerSimilarity(a, b), 6), round(jaroSimilarity(a, n), 6) FROM dt ORDER BY k;
SELECT editDistance(repeat('ab', 50), repeat('ba', 50)), editDistance(repeat('ab', 50), 'ab'), damerauLevenshteinDistance('ca', 'abc'), levenshteinDistance('a', 'b'), mismatches('abc', 'ab');
SELECT k, tokens(a), ngrams(a, 3), ngrams(b, 1), tokens(b) FROM dt ORDER BY k;
SELECT k, hasToken(a, 'big'), hasToken(a, 'wor'), hasTokenCaseInsensitive(a, 'BIG'), hasTokenOrNull(a, 'big-world'), hasToken(n, 'world') FROM dt ORDER BY k;
SELECT k, round(ngramDistance(a, b), 6), round(ngramDistance(a, 'kitten'), 6), round(ngramDistanceUTF8(a, b), 6), round(ngramSearch(a, 'world'), 6), round(ngramSearchUTF8(a, 'жу'), 6) FROM dt ORDER BY k;
SELECT round(ngramDistanceCaseInsensitive('ABCDEF', 'abcdeg'), 6), round(ngramSearchCaseInsensitive('ABCDEF', 'bcde'), 6), round(ngramDistanceCaseInsensitiveUTF8('АБВГД', 'абвгд'), 6), toTypeName(ngramDistance('a', 'b'));
SELECT hasToken('a b', ''), hasToken('', 'a'), hasToken('a_b', 'a'), hasToken('äb c', 'äb'), hasToken('abab ab', 'ab');
SELECT hasToken('a b', 'a b'); -- { serverError BAD_ARGUMENTS }
SELECT hasToken('a', materialize('a')); -- { serverError ILLEGAL_COLUMN }
SELECT ngrams('abc', 0); -- { serverError BAD_ARGUMENTS }
SELECT editDistance(repeat('a', 70000), 'a'); -- { serverError TOO_LARGE_STRING_SIZE }
SELECT editDistance(1, 'a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
