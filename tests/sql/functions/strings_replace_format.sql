-- { echoOn }
CREATE TABLE rf (k UInt8, s String, p String, r String, n Nullable(String)) ENGINE = Memory;
INSERT INTO rf VALUES (1, 'abcabc', 'bc', 'X', 'a'), (2, '', 'a', 'b', NULL), (3, 'aaaa', 'aa', 'a', 'aa'), (4, 'ünïü', 'ü', '', ''), (5, 'abc', '', 'x', 'b'), (6, 'ba', 'ab', '-', 'z');
SELECT k, replaceOne(s, 'a', 'ZZ'), replaceAll(s, 'a', 'ZZ'), replaceAll(s, 'ab', ''), replaceAll(s, '', 'x') FROM rf ORDER BY k;
SELECT k, replaceOne(s, p, r), replaceAll(s, p, r), replaceAll(s, p, 'é'), replaceOne('abcbc', p, r), replaceAll(s, n, r) FROM rf ORDER BY k;
SELECT k, replaceRegexpOne(s, '[ab]+', '<\\0>'), replaceRegexpAll(s, '(.)(.)', '\\2\\1'), replaceRegexpAll(s, '', 'x'), replaceRegexpAll(s, p, r) FROM rf ORDER BY k;
SELECT k, translate(s, 'abc', 'xyz'), translate(s, 'ab', 'x'), translate(s, '', ''), translateUTF8(s, 'üa', 'uA'), translateUTF8(s, 'ïü', '') FROM rf ORDER BY k;
SELECT k, format('{}-{}', s, k), format('{1}{0}{1}', s, r), format('<{}>{{}}', n), format('none', s) FROM rf ORDER BY k;
SELECT format('{} {} {}', 1, 2.5, [1, 2]), format('{}', toDate('2024-01-01')), format('{}', NULL), replace('aXa', 'X', ''), REPLACE('b', 'b', 'c');
SELECT k, concatWithSeparator('-', s, p, k), concat_ws('', s, s) FROM rf ORDER BY k;
SELECT count(), sum(length(replaceAll(toString(number), '1', 'abc'))), sum(length(replaceOne(toString(number), '11', ''))) FROM numbers(100000);
SELECT translate('abc', 'a', 'xy'); -- { serverError BAD_ARGUMENTS }
SELECT translate('abc', 'ä', 'x'); -- { serverError BAD_ARGUMENTS }
SELECT format('{} {}', 'a'); -- { serverError BAD_ARGUMENTS }
SELECT format('{', 'a'); -- { serverError BAD_ARGUMENTS }
SELECT format('}', 'a'); -- { serverError BAD_ARGUMENTS }
SELECT format('{x}', 'a'); -- { serverError BAD_ARGUMENTS }
SELECT format('{} {0}', 'a'); -- { serverError BAD_ARGUMENTS }
SELECT format('{1}', 'a'); -- { serverError BAD_ARGUMENTS }
SELECT format('a'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT replaceAll('a', 1, 'b'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT replaceAll(toFixedString('abc', 3), 'b', 'x'); -- { serverError ILLEGAL_COLUMN }
