-- Integers of 128 and 256 bits are numbers for most functions, and none for some.
SELECT bar(toInt128(5), 0, 10, 10), bar(toUInt256(3), toInt128(0), toInt256(10), toUInt128(20));
SELECT formatReadableSize(toInt256('-1180591620717411303424')), formatReadableSize(toUInt256(1024));
SELECT formatReadableQuantity(toUInt128(123456)), formatReadableDecimalSize(toInt256(123456));
SELECT formatReadableTimeDelta(toInt128(100));
SELECT toTypeName(arrayIntersect([toInt128(1), 2], [toInt256(1), 3])), arrayIntersect([toUInt128(2)], [toUInt8(3), 2]) AS x, toTypeName(x);
SELECT roundDuration(toUInt256(100000)), roundAge(toUInt256(70)), roundAge(toInt128(5));
SELECT (1, 2) * toInt128(3) AS x, toTypeName(x), toInt256(3) * (1, 2), (toInt128(1), 2) / toUInt256(2), intDiv((4, 6), toInt128(2));
SELECT [1, 2] * toInt128(3) AS x, toTypeName(x), toUInt256(3) * [1, 2], [4, 6] % toUInt256(4);
SELECT (1, 2) + toInt128(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toInt128(2) - [1, 2]; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT length(randomString(toInt128(5))), length(randomPrintableASCII(toUInt256(5))), length(randomFixedString(toUInt64(3)));
SELECT randomFixedString(toUInt128(5)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT randomFixedString(toInt8(5)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT makeDate(toInt128(2020), 1, 1), makeDate(2020, toUInt256(1), 1), makeDate(toUInt256(2020), toInt128(60)), makeDateTime(toInt128(2020), 1, 1, 0, 0, 0, 'UTC');
SELECT simpleLinearRegression(toInt128(number), number), simpleLinearRegression(number, toUInt256(number * 2)), boundingRatio(toInt128(number), number) FROM numbers(8);
SELECT histogram(2)(toInt128(number)), histogram(2)(toUInt256(number)) FROM numbers(4);
SELECT toTypeName(nonNegativeDerivative(toInt128(number), toDateTime(number, 'UTC')) OVER (ORDER BY number)) FROM numbers(1);
SELECT repeat('a', toInt128(2)), repeat('b', materialize(toInt256(3))), leftPad('a', toInt128(3)), leftPad('abc', toUInt256(5), '*');
SELECT arraySlice([1, 2, 3], toInt128(2)), arraySlice([1, 2, 3], toUInt256(2), toInt128(1)), arrayResize([1, 2, 3], toInt128(2)), arrayResize([1, 2, 3], toUInt256(5));
SELECT bitmaskToArray(toInt128(5)) AS x, toTypeName(x), bitmaskToArray(toInt128('18446744073709551617')), bitmaskToArray(toUInt256(0));
SELECT bitPositionsToArray(toUInt256(5)), bitPositionsToArray(toInt128('18446744073709551617')), bitmaskToList(toInt128(5));
SELECT bitmaskToArray(toInt8(-1)), bitmaskToList(toInt16(-32768)), bitPositionsToArray(toInt64(-9223372036854775807));
SELECT regexpExtract('abc', 'a(b)c', toInt128(1)), topKWeighted(2)(number % 3, toUInt256(number)) FROM numbers(9);
SELECT throwIf(toInt128(0)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT isNaN(toInt128(5)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toInt128(1) AND 1; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT count() FROM numbers(5) WHERE toInt128(number); -- { serverError ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER }
SELECT toDate('2020-01-01') + toInt128(3); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT addDays(toDate('2020-01-01'), toInt128(3)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT substring('hello', toInt128(2)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT [1, 2, 3][toUInt256(2)]; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT tupleElement((1, 2), toInt128(1)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT covarPop(toInt128(number), number) FROM numbers(8); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT position('abc', 'c', toUInt256(1)), positionUTF8('abc', 'c', materialize(toUInt128(2))), countSubstrings('abc', 'c', toUInt128(1)), position('abc', 'c', true), position('abc', 'c', NULL);
SELECT position('abc', 'c', toInt64(1)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT position('abc', 'c', toInt128(1)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT countSubstrings('abc', 'c', toInt8(1)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
