SELECT quantileExactWeighted(number, toUInt64(18446744073709551615)), quantilesExactWeighted(0.1, 0.5, 0.9)(number, toUInt64(9223372036854775808)) FROM numbers(5);
SELECT quantileExactWeighted(x, toUInt64(9223372036854775808)) FROM (SELECT arrayJoin([0, 0, 1, 2, 3]) AS x);
SELECT quantileTiming(-1), quantileTiming(40000), quantileTiming(1e18), quantileTiming(nan), quantileTiming(inf), quantileTiming(toUInt64(18446744073709551615)), quantilesTiming(0, 0.5, 1)(arrayJoin([-5, 1, 30000, 100000]));
SELECT quantile(toFloat32(x)), quantileExact(toFloat32(x)), quantiles(0.1, 0.9)(toFloat32(x)), quantileExactInclusive(toFloat32(x)) FROM (SELECT arrayJoin([0.1, 0.2, 0.4, 0.7]) AS x);
SELECT varPop(toDecimal32(number, 2)), stddevSamp(toDecimal64(number, 4)), varSamp(toDecimal128(number, 10)), varPopStable(toDecimal32(number, 2)), kurtPop(toDecimal32(number, 2)), varPop(toDecimal32(if(number = 1, NULL, number), 2)) FROM numbers(10);
SELECT sumCount(toDecimal32(number, 2)), toTypeName(sumCount(toDecimal64(number, 3))), sumCount(toDecimal128(number, 2)) FROM numbers(10);
SELECT sumCountMerge(s), varPopMerge(v) FROM (SELECT sumCountState(toDecimal32(number, 2)) AS s, varPopState(toDecimal32(number, 2)) AS v FROM numbers(10) GROUP BY number % 3);
SELECT covarPop(toDecimal32(number, 2), toDecimal32(number, 2)) FROM numbers(10); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT sumMap([1, 2, 3], [NULL, 1, NULL]), sumMap(map(1, NULL::Nullable(UInt8), 2, 3)), sumMap([NULL, 1], [1, 2]), minMap([1, 2], [NULL, NULL]::Array(Nullable(UInt8)));
SELECT max(map(toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), number)), min(map(toDecimal32(number, 2), 1)), argMax(map(1, toDecimal64(number, 3)), number) FROM numbers(3);
