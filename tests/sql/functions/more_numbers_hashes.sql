-- { echoOn }
SELECT number, bitmaskToArray(number), bitmaskToList(number), bitPositionsToArray(number) FROM numbers(6) ORDER BY number;
SELECT bitmaskToArray(toInt8(-128)), bitmaskToList(toInt8(-1)), bitPositionsToArray(toInt16(-1)), toTypeName(bitmaskToArray(toInt16(1))), toTypeName(bitPositionsToArray(1));
SELECT clamp(number, 1, 3), clamp(toInt8(number) - 2, -1, 1), clamp(toString(number), '1', '3'), clamp(toNullable(number), 2, number + 2) FROM numbers(5) ORDER BY number;
SELECT clamp(1.5, 2, 3), clamp(NULL, 1, 2), toTypeName(clamp(1, 2, 300)), toTypeName(clamp(-1, 2, 300)), clamp(toDate('2024-01-01'), toDate('2024-02-01'), toDate('2024-03-01'));
SELECT farmHash64(substring('abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz0123456789', 1, number * 9)) FROM numbers(9) ORDER BY number;
SELECT farmHash64('a', 1), farmHash64(1), farmHash64([1, 2]), hex(sipHash128('hello')), hex(sipHash128(''));
SELECT tuplePlus((1, 2), (3, 4)), tupleMinus((1, 2), (3, 4)), tupleMultiply((1, 2), (3, 4)), tupleDivide((1, 2), (4, 4)), tupleNegate((1, -2)), tupleMultiplyByNumber((1, 2), -3.5), tupleDivideByNumber((1, 2), 2);
SELECT (1, 2) + (3, 4), (1, 2) - (3, 4), (1, 2) * (3, 4), (1, 2) * 3, 3 * (1, 2), (1, 2) / 2, -(1, 2), dotProduct((1, 2), (3, 4)), dotProduct([1, 2], [3, 4]), toTypeName(dotProduct((1, 2), (3, 4)));
SELECT tupleIntDiv((15, 10), (5, 3)), tupleModulo((15, 10), (5, 3)), tupleIntDivByNumber((5, 6), 2), tupleModuloByNumber((5, 6), 4), vectorSum((1, 2), (3, 4)), vectorDifference((1, 2), (3, 4));
SELECT finalizeAggregation(initializeAggregation('sumState', number)), finalizeAggregation(initializeAggregation('uniqExactState', toString(number))), initializeAggregation('max', number) FROM numbers(3) ORDER BY number;
SELECT untuple((number, 'x')), untuple(CAST((number, 2) AS Tuple(a UInt8, b UInt8))) FROM numbers(2) ORDER BY number;
SELECT toTypeName(CAST((1, (2, 'a'), [(1, 2)]) AS Tuple(a UInt8, b Tuple(c UInt8, d String), e Array(Tuple(x UInt8, y UInt8)))));
SELECT toTypeName(CAST((1, (2, 3)) AS Tuple(UInt8, Tuple(a UInt8, b UInt8))));
SELECT clamp(5, 10, 1); -- { serverError BAD_ARGUMENTS }
SELECT clamp(5, 'a', 1); -- { serverError NO_COMMON_TYPE }
SELECT bitmaskToArray('a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT finalizeAggregation(5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT tuplePlus((1, 2), 3); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dotProduct((1, 2), (3, 4, 5)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT [1] + 1; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT untuple(5); -- { serverError UNSUPPORTED_METHOD }
SELECT replicate(number, range(number)), replicate('a', [1, 2], ['x', 'y']), replicate([number], [1]), replicate(NULL, [1]) FROM numbers(3) ORDER BY number;
SELECT s, multiMatchAny(s, ['b', '^z', 'x$']), multiMatchAnyIndex(s, ['q', 'b']), arraySort(multiMatchAllIndices(s, ['a', '[bc]', 'z', '.'])) FROM (SELECT arrayJoin(['abc', 'zx', '', 'q']) AS s) ORDER BY s;
SELECT replicate('a', 5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT multiMatchAny('a', 'b'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
