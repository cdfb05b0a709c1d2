-- { echoOn }
CREATE TABLE enc (k UInt8, s String, f FixedString(3), n Nullable(String)) ENGINE = Memory;
INSERT INTO enc VALUES (1, 'hello', 'abc', 'x'), (2, '', '', NULL), (3, 'ünï\0z', 'ü', 'YQ'), (4, 'aGk=', 'xy', 'YWI=');
SELECT k, hex(s), hex(f), hex(n), hex(k) FROM enc ORDER BY k;
SELECT k, bin(s), bin(f), bin(n), bin(k) FROM enc WHERE k != 3 ORDER BY k;
SELECT k, unhex(hex(s)) = s, unbin(bin(s)) = s, base64Decode(base64Encode(s)) = s, base64URLDecode(base64URLEncode(s)) = s FROM enc ORDER BY k;
SELECT k, base64Encode(s), base64URLEncode(f), tryBase64Decode(s), tryBase64Decode(n), tryBase64URLDecode(n) FROM enc ORDER BY k;
SELECT hex(0), hex(255), hex(256), hex(toUInt32(1)), hex(toInt16(-2)), hex(toInt64(-1)), hex(1.5), hex(toFloat32(-1)), hex(true), hex(toDate('2024-01-01')), hex(toDateTime('2024-01-01 00:00:00', 'UTC'));
SELECT bin(0), bin(5), bin(256), bin(toInt8(-1)), bin(''), bin('a');
SELECT hex(unhex('616')), hex(unhex('0g')), hex(unhex('zz')), hex(unhex('')), hex(unbin('1')), hex(unbin('000000011')), hex(unbin('00110002'));
SELECT hex(NULL), unhex(NULL), toTypeName(hex(toNullable(1))), toTypeName(unhex(toNullable('61')));
SELECT hex(number), bin(number) FROM numbers(254, 4) ORDER BY number;
SELECT base64Encode(''), base64Encode('a'), base64Encode('ab'), base64Encode('abc'), base64Encode('a??>>~~'), base64URLEncode('a??>>~~');
SELECT base64Decode('YWJj\nYWJj'), base64Decode('YW Jj'), tryBase64Decode('YWJj='), tryBase64Decode('YWJjYQ='), tryBase64Decode('=='), tryBase64Decode('YQ');
SELECT base64Decode('***'); -- { serverError INCORRECT_DATA }
SELECT base64Decode('YQ'); -- { serverError INCORRECT_DATA }
SELECT hex([1]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT unhex(5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT base64Encode(5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
