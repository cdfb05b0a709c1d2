-- Slices of bits, space-filling curves, Modified Julian days, differences of times, netloc.
SELECT bin(bitSlice('Hello', 1, 2)), bitSlice('Hello', 1, 8), bin(bitSlice('Hello', 9)), bin(bitSlice('Hello', -4, 2)), bin(bitSlice('Hello', -3)), bin(bitSlice('Hello', 1, -3)), bin(bitSlice('Hello', 5, 100)), bin(bitSlice('Hello', -100, 50)), bitSlice('', 1, 1), bitSlice('Hello', 0, 2), bin(bitSlice('Hello', 3, 0)), bitSlice('Hello', 100), bin(bitSlice('He', 3, 7));
SELECT number, bin(bitSlice('clickhouse', number * 3 + 1, number)), bin(bitSlice(toString(number), -number - 1, 3)) FROM numbers(8) ORDER BY number;
SELECT mortonEncode(5), mortonEncode(1, 2), mortonEncode(1, 2, 3), mortonEncode(1, 2, 3, 4, 5, 6, 7, 8), mortonEncode(4294967295, 4294967295), mortonDecode(1, 5), mortonDecode(2, 53), mortonDecode(3, 53), toTypeName(mortonDecode(2, 53)), mortonDecode(8, 2155374165);
SELECT mortonEncode(-1, 2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT mortonDecode(9, 1); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT hilbertEncode(5), hilbertEncode(3, 4), hilbertEncode(1, 0), hilbertEncode(0, 1), hilbertEncode(100, 200), hilbertEncode(4294967295, 1), hilbertEncode(65536, 65536), hilbertDecode(2, 31), hilbertDecode(2, 100), hilbertDecode(2, 123456789), hilbertDecode(1, 5);
SELECT x, y, hilbertEncode(x, y) AS h, hilbertDecode(2, h), mortonEncode(x, y) AS m, mortonDecode(2, m) FROM (SELECT number % 4 AS x, intDiv(number, 4) AS y FROM numbers(16)) ORDER BY h;
SELECT hilbertEncode(1, 2, 3); -- { serverError TOO_MANY_ARGUMENTS_FOR_FUNCTION }
SELECT toModifiedJulianDay('2020-11-01'), toModifiedJulianDay('0000-01-01'), toModifiedJulianDay('9999-12-31'), toModifiedJulianDayOrNull('2020-13-01'), toModifiedJulianDayOrNull('2020-02-30'), toModifiedJulianDay(toNullable('1858-11-17')), toTypeName(toModifiedJulianDay('2020-11-01'));
SELECT fromModifiedJulianDay(58849), fromModifiedJulianDay(-678941), fromModifiedJulianDay(0), fromModifiedJulianDayOrNull(10000000), toTypeName(fromModifiedJulianDay(1)), toTypeName(fromModifiedJulianDayOrNull(1));
SELECT toModifiedJulianDay('2020-13-01'); -- { serverError CANNOT_PARSE_DATE }
SELECT toModifiedJulianDay('x'); -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SELECT toModifiedJulianDay(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT timeDiff(toDate('2020-01-01'), toDate('2020-01-02')), timeDiff(toDateTime64('2020-01-01 00:00:00.5', 3), toDateTime('2020-01-01 00:00:05')), timeDiff(toDateTime('2020-01-01 00:00:05'), toDate('2020-01-01')), toTypeName(timeDiff(now(), now()));
SELECT timeDiff(1, 5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toTypeName(UTCTimestamp()), UTC_timestamp() > toDateTime('2020-01-01 00:00:00');
SELECT netloc('http://paul@www.example.com:80/a'), netloc('www.example.com'), netloc('http://a/b?c'), netloc('//x@y:1?z'), netloc('mailto:x@y.z'), netloc('https://a.b#c'), netloc('');
SELECT fromModifiedJulianDay(10000000); -- { serverError CANNOT_FORMAT_DATETIME }
