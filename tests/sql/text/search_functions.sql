-- Functions that look for tokens and phrases in a text.
SELECT hasAnyTokens('big world', 'small world'), hasAllTokens('big world', 'small world'), hasAllTokens('big world', 'world big'), hasAnyTokens('big world', 'orld');
SELECT hasAnyTokens('a b', ''), hasAllTokens('a b', ''), hasAnyTokens('a b', []), hasAllTokens('a b', []), hasAllTokens('a b', ','), hasAnyTokens('', 'a');
SELECT hasAnyTokens('a b', ['a b', 'c']), hasAnyTokens('a b', ['a b', 'b']), hasAllTokens('a b', ['a', 'b', 'a']), hasAllTokens('a b', ['a', '']), hasAnyTokens('a', ['']);
SELECT hasAnyTokens(['a b', 'c'], 'b'), hasAllTokens(['a b', 'c'], 'b c'), hasAllTokens(['a b', NULL], 'b'), hasAnyTokens(['a b', 'c'], ['a b']), hasAnyTokens(['a b', 'c'], ['a b'], 'array');
SELECT hasAnyTokens('abcdef', 'xabc', 'ngrams(3)'), hasAllTokens('abcdef', 'xabc', 'ngrams'), hasAllTokens('abcdef', 'bcde', 'ngrams(3)'), hasAllTokens('abcdef', 'ab', 'ngrams(3)');
SELECT hasAllTokens('abcdef', 'bcdef', 'sparseGrams'), hasAllTokens('abcdef', 'bcdef', 'sparseGrams(3,5)'), hasAllTokens('a, b', 'a', 'splitByString([\', \'])'), hasAllTokens('a, b', 'a', 'splitByRegexp(\'[, ]+\')');
SELECT hasAnyToken('a b', 'b'), hasAllToken('a b', 'b c'), matchPhrase('a b c', 'b c');
SELECT toTypeName(hasAnyTokens('a', 'a')), toTypeName(hasAnyTokens(toNullable('a'), 'a')), toTypeName(hasAllTokens(toLowCardinality('a'), 'a')), toTypeName(hasPhrase(toLowCardinality(toNullable('a')), 'a'));
SELECT hasAnyTokens(CAST(NULL, 'Nullable(String)'), 'a'), hasAnyTokens(NULL, 'a'), hasAnyTokens('a b', NULL), hasAnyTokens('a b', toNullable('a'));
SELECT hasAnyTokens(toFixedString('a b', 5), 'b'), hasAnyTokens([toFixedString('a b', 5)], 'b'), hasAnyTokens(mapKeys(map('a', 'b')), 'a');
SELECT hasPhrase('the quick, brown fox', 'quick brown'), hasPhrase('the quick brown fox', 'quick fox'), hasPhrase('the quick brown fox', 'the'), hasPhrase('a b', ''), hasPhrase('', 'a');
SELECT hasPhrase('a b a b c', 'a b c'), hasPhrase('a a b', 'a b'), hasPhrase('a b a b a c', 'a b a c'), hasPhrase('x aa aa aa bb', 'aa aa bb');
SELECT hasPhrase('abcdef', 'bcde', 'ngrams(3)'), hasPhrase('abcdef', 'bcdf', 'ngrams(3)'), hasPhrase('abc def', 'abc def', 'splitByString'), hasPhrase('東京都', '京都', 'asciiCJK');
SELECT n, hasAnyTokens(s, 'red blue'), hasAllTokens(s, 'red blue'), hasPhrase(s, 'red blue'), hasAnyTokens(s, 'red') FROM (SELECT number AS n, ['', 'red', 'blue red', 'a red, blue b', 'redblue', 'BLUE red blue'][n + 1] AS s FROM numbers(6)) ORDER BY n;
SELECT n, hasAnyTokens(a, 'red blue'), hasAllTokens(a, 'red blue'), hasAllTokens(a, ['red', 'blue']) FROM (SELECT number AS n, [[], ['red'], ['blue', 'x red'], ['red blue'], ['re', 'd']][n + 1] AS a FROM numbers(5)) ORDER BY n;
SELECT n, hasAnyTokens(s, 'red'), hasPhrase(s, 'red x') FROM (SELECT number AS n, [NULL, 'red', 'red x', ''][n + 1] AS s FROM numbers(4)) ORDER BY n;
SELECT hasToken('a b', 'a'), hasToken('foo_bar', 'bar'), hasToken('ab', 'b'), hasToken('a b', ''), hasTokenOrNull('a', 'b c'), hasTokenCaseInsensitive('Big World', 'wORLD');
SELECT hasToken('a b', 'a b'); -- { serverError BAD_ARGUMENTS }
SELECT hasAllTokens(5, 'a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT hasAllTokens(map('a', 'b'), 'a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT hasAllTokens('a', 5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT hasAllTokens('a', [5]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT hasAllTokens('a', ['a', NULL]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT hasAnyTokens('a b', materialize('a')); -- { serverError ILLEGAL_COLUMN }
SELECT hasAllTokens('a', 'a', 5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT hasAllTokens('a', 'a', materialize('array')); -- { serverError ILLEGAL_COLUMN }
SELECT hasAllTokens('a', 'a', 'unheard'); -- { serverError BAD_ARGUMENTS }
SELECT hasAllTokens('a', 'a', 'NGRAMS(1)'); -- { serverError BAD_ARGUMENTS }
SELECT hasAllTokens('a', 'a', 'array(3)'); -- { serverError BAD_ARGUMENTS }
SELECT hasAllTokens('a', 'a', 'ngrams(\'a\')'); -- { serverError BAD_ARGUMENTS }
SELECT hasAllTokens('a', 'a', 'ngrams(3,4)'); -- { serverError BAD_ARGUMENTS }
SELECT hasAllTokens('a', 'a', 'ngrams(-1)'); -- { serverError BAD_ARGUMENTS }
SELECT hasAllTokens('a', 'a', 'ngrams('); -- { serverError BAD_ARGUMENTS }
SELECT hasAllTokens('a', 'a', ''); -- { serverError BAD_ARGUMENTS }
SELECT hasAllTokens('a', 'a', 'splitByString(\',\')'); -- { serverError BAD_ARGUMENTS }
SELECT hasAllTokens('a', 'a', 'array', 'x'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT hasPhrase('a b', ['a', 'b']); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT hasPhrase(['a b'], 'a b'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT hasPhrase('a', materialize('a')); -- { serverError ILLEGAL_COLUMN }
SELECT hasPhrase('a', 'a', 'array'); -- { serverError BAD_ARGUMENTS }
SELECT hasPhrase('a', 'a', 'sparseGrams'); -- { serverError BAD_ARGUMENTS }
-- Tags around what was found.
SELECT highlight('The quick brown fox', ['quick', 'FOX']), highlight('Hello', ['hell'], '<b>', '</b>'), highlight('aaa', ['aa']), highlight('abcabc', ['ab', 'bc']), highlight('a b', ['']);
SELECT highlight('ab cd', ['ab', ' ']), highlight('Жук жук', ['жук']), highlight(toNullable('a'), ['a']), highlight(toFixedString('a b', 5), ['b']), highlight('a', NULL), highlight('', ['a']);
SELECT n, highlight(s, ['red', 'blue']) FROM (SELECT number AS n, ['', 'red', 'a Red, blue b', 'redblue'][n + 1] AS s FROM numbers(4)) ORDER BY n;
SELECT highlight('a', 'a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT highlight('a', []); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT highlight('a', [5]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT highlight(5, ['a']); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT highlight('a', ['a'], 'x'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT highlight('a', ['a'], 'x', 5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT highlight('a', materialize(['a'])); -- { serverError ILLEGAL_COLUMN }
SELECT highlight('a', ['a'], 'x', materialize('y')); -- { serverError ILLEGAL_COLUMN }
