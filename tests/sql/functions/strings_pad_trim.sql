-- { echoOn }
CREATE TABLE pt (k UInt8, s String, f FixedString(4), n Nullable(String), l Int8) ENGINE = Memory;
INSERT INTO pt VALUES (1, 'abc', 'ab', 'x', 5), (2, '', '', NULL, 2), (3, '  äö ', ' y ', '  z', 3), (4, 'xxyxx', 'xx', '', 0);
SELECT k, '[' || trimLeft(s) || ']', '[' || trimRight(s) || ']', '[' || trimBoth(s) || ']', '[' || trim(n) || ']' FROM pt ORDER BY k;
SELECT k, trimBoth(s, 'x'), trimLeft(s, 'xy'), trimRight(s, 'cxy'), trim(BOTH 'x' FROM s), trim(s, '') FROM pt ORDER BY k;
SELECT k, leftPad(s, l), leftPad(s, l, '*-'), rightPad(s, l, '*-'), leftPadUTF8(s, l, 'é'), rightPadUTF8(s, l, 'é!') FROM pt ORDER BY k;
SELECT k, leftPad(s, 7), rightPad(f, 6, '.'), lpad(n, 3, '0'), rpad(n, 2, '') FROM pt ORDER BY k;
SELECT k, repeat(s, 2), repeat(s, l), repeat(n, 2), repeat(s, -1), length(space(l)) FROM pt ORDER BY k;
SELECT k, ascii(s), ascii(f), ascii(n), char(k + 64, k + 96), appendTrailingCharIfAbsent(s, 'c') FROM pt ORDER BY k;
SELECT char(65.9), char(321), hex(char(-1)), hex(char(0, 255)), char(NULL), toTypeName(char(toNullable(65)));
SELECT repeat('ab', toUInt64(3)), repeat('', 1000), repeat('x', toInt8(-5)), length(repeat('ab', 1000000)), space(0) = '', REPEAT('a', 2);
SELECT toStringCutToZero('a\0b'), toStringCutToZero(toFixedString('ab', 5)), toStringCutToZero('');
SELECT isValidUTF8(s), isASCII(s), toValidUTF8(s) FROM (SELECT arrayJoin(['a', 'ü', '', '\xff', 'a\xe2\x82b', '\xff\xfe\xfd']) AS s) ORDER BY s;
SELECT hex(normalizeUTF8NFC('e\xcc\x81')), hex(normalizeUTF8NFD('é')), normalizeUTF8NFKC('ﬁ'), normalizeUTF8NFKD('Ⅳ'), normalizeUTF8NFC(NULL);
SELECT leftPad('a', -1); -- { serverError INDEX_OF_POSITIONAL_ARGUMENT_IS_OUT_OF_RANGE }
SELECT leftPad('a', 10000000); -- { serverError TOO_LARGE_STRING_SIZE }
SELECT repeat('a', 1.5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT repeat(toFixedString('a', 2), 2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT repeat('ab', 10000000); -- { serverError TOO_LARGE_STRING_SIZE }
SELECT trimLeft('a', materialize('b')); -- { serverError ILLEGAL_COLUMN }
SELECT char(); -- { serverError TOO_FEW_ARGUMENTS_FOR_FUNCTION }
SELECT char('a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT appendTrailingCharIfAbsent('a', 'bc'); -- { serverError BAD_ARGUMENTS }
SELECT normalizeUTF8NFC(unhex('ff')); -- { serverError CANNOT_NORMALIZE_STRING }
