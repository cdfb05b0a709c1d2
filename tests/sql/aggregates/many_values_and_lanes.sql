-- Aggregates that treat many values otherwise than few: long lists, sorted weights, sums in lanes, votes of a batch.

-- A value that most rows of a group have.
SELECT anyHeavy(if(number % 3 = 0, toString(number), 'most')) FROM numbers(30000);
SELECT number % 4 AS k, anyHeavy(if(number % 3 = 0, toString(number), concat('most of ', toString(k)))) FROM numbers(30000) GROUP BY k ORDER BY k;
SELECT number % 3 AS k, anyHeavy(if(number % 4 = 0, number, 7)), anyHeavy(if(number % 4 = 0, toFloat64(number), 0.5)), anyHeavy(if(number % 4 = 0, [number], [1, 2])) FROM numbers(30000) GROUP BY k ORDER BY k;
SELECT anyHeavyMerge(s) FROM (SELECT number % 5 AS k, anyHeavyState(if(number % 7 = 0, toString(number), 'x')) AS s FROM numbers(20000) GROUP BY k);
SELECT anyHeavy(toString(number)) FROM numbers(0);
SELECT anyHeavy(if(number % 5 = 0, NULL, 'kept')) FROM numbers(1000);

-- Weights of more than 4,096 values.
SELECT quantilesExactWeighted(0, 0.1, 0.5, 0.9, 1)(intHash32(number) % 20000, number % 10) FROM numbers(200000);
SELECT quantilesExactWeighted(0, 0.1, 0.5, 0.9, 1)(toInt32(intHash32(number) % 20000) - 10000, 1) FROM numbers(200000);
SELECT quantilesExactWeighted(0, 0.1, 0.5, 0.9, 1)((toInt64(intHash32(number) % 30000) - 15000) / 8, number % 3) FROM numbers(200000);
SELECT quantileExactWeighted(0.25)(toDecimal128(number % 9000, 2), number % 2 + 1) FROM numbers(100000);
SELECT number % 3 AS k, quantileExactWeighted(0.7)(intHash32(number) % 9000, number % 11) FROM numbers(300000) GROUP BY k ORDER BY k;
SELECT quantileExactWeightedMerge(0.7)(s) FROM (SELECT number % 3 AS k, quantileExactWeightedState(0.7)(intHash32(number) % 9000, number % 11) AS s FROM numbers(100000) GROUP BY k);

-- Quantiles of long lists.
SELECT quantilesExact(0, 0.001, 0.5, 0.999, 1)(intHash32(number)) FROM numbers(400000);
SELECT quantilesExact(0, 0.001, 0.5, 0.999, 1)(number % 7) FROM numbers(400000);
SELECT quantilesExact(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)(number % 1000) FROM numbers(400000);
SELECT quantileExact(1), quantileExactInclusive(0.3)(2), quantileExactExclusive(0.3)(3) FROM numbers(300000);
SELECT quantilesExactInclusive(0, 0.25, 0.9, 1)(intHash32(number)), quantilesExactExclusive(0.25, 0.9)(intHash32(number)) FROM numbers(400001);
SELECT quantileExactLow(0.5)(number), quantileExactHigh(0.5)(number) FROM numbers(400000);
SELECT quantileExact(0.3)(toDecimal128(number % 10000, 3)), quantileExact(0.3)(toDecimal64(number % 10000, 3)) FROM numbers(400000);
SELECT quantileExact(if(number % 2 = 0, nan, -number / 4)) FROM numbers(400000);
SELECT quantileExactMerge(s) FROM (SELECT number % 3 AS k, quantileExactState(intHash32(number)) AS s FROM numbers(600000) GROUP BY k);
SELECT number % 2 AS k, quantileExact(0.25)(number), quantileExactInclusive(0.25)(number) FROM numbers(400000) GROUP BY k ORDER BY k;

-- One level of a sample, and several.
SELECT number % 5 AS k, quantile(0.3)(intHash32(number)), quantiles(0.3, 0.7)(intHash32(number)) FROM numbers(8000) GROUP BY k ORDER BY k;
SELECT quantile(0)(number), quantile(1)(number), quantile(0.5)(number), quantile(0.5)(number - number) FROM numbers(1001);
SELECT quantileMerge(0.4)(s) FROM (SELECT number % 10 AS k, quantileState(0.4)(number) AS s FROM numbers(8000) GROUP BY k);

-- Durations.
SELECT quantilesTiming(0, 0.1, 0.5, 0.9, 1)(intHash32(number) % 40000) FROM numbers(20000);
SELECT quantilesTiming(0, 0.1, 0.5, 0.9, 1)(toInt32(number) - 1000), quantileTiming(0.5)(number / 3), quantileTiming(0.5)(toUInt8(number)) FROM numbers(20000);
SELECT number % 3 AS k, quantileTiming(0.4)(intHash32(number) % 2000) FROM numbers(20000) GROUP BY k ORDER BY k;
SELECT quantileTimingMerge(0.4)(s) FROM (SELECT number % 3 AS k, quantileTimingState(0.4)(intHash32(number) % 2000) AS s FROM numbers(20000) GROUP BY k);

-- Sums in lanes.
SELECT sumWithOverflow(toUInt8(number)), sumWithOverflow(number), sumWithOverflow(toInt16(number)), sumWithOverflow(toFloat32(number % 4)) FROM numbers(100003);
SELECT avgWeighted(number % 1000, number % 777), avgWeighted(toInt32(number % 1000), 3), avgWeighted(number % 10, 0) FROM numbers(100003);
SELECT varSamp(number % 1000), varPop(toInt16(number % 1000) - 300), skewPop(number % 100), kurtSamp(number % 100), covarPop(number % 1000, number % 777), corr(number % 10, number % 7) FROM numbers(100003);

-- Sets of numbers.
SELECT length(groupUniqArray(number)), arraySum(groupUniqArray(number)), length(groupUniqArray(toInt32(number % 70000) - 35000)) FROM numbers(200000);
SELECT number % 3 AS k, length(groupUniqArray(number)), arraySort(groupUniqArray(number % 12)), uniqExact(number % 20000) FROM numbers(100000) GROUP BY k ORDER BY k;
SELECT sum(u), max(u) FROM (SELECT intHash32(number) % 10000 AS k, uniqExact(number) AS u FROM numbers(200000) GROUP BY k);
SELECT uniqExactMerge(s), uniqExactMerge(t) FROM (SELECT number % 7 AS k, uniqExactState(number) AS s, uniqExactState(toString(number % 5000)) AS t FROM numbers(100000) GROUP BY k);
SELECT uniq(intHash64(number)), uniqHLL12(intHash64(number)), uniqHLL12(toUInt8(number)) FROM numbers(300000);
SELECT uniqCombined(intHash64(number)), uniqCombined64(intHash64(number)), uniqHLL12(toString(number)) FROM numbers(20000);

-- Combinators.
SELECT sumResample(0, 100, 10)(number, number % 100), sumResample(-20, 30, 7)(number, toInt8(number % 60) - 30), countResample(10, 20, 5)(number) FROM numbers(10000);
SELECT sumResample(10, 30, 5)(1, toUInt64(number - 20)), sumResample(9223372036854775800, 9223372036854775807, 2)(1, toInt64(9223372036854775790 + number)) FROM numbers(40);
SELECT number % 3 AS k, sumDistinct(number % 100), sumDistinct(toInt8(number % 100) - 50), sumDistinct(toFloat32(number % 8)) FROM numbers(10000) GROUP BY k ORDER BY k;
SELECT number % 3 AS k, round(entropy(number % 10), 10), round(entropy(toString(number % 10)), 10) FROM numbers(10000) GROUP BY k ORDER BY k;
SELECT windowFunnel(100)(toDateTime(number, 'UTC'), number % 3 = 0, number % 3 = 1, number % 3 = 2), windowFunnel(10)(number, number > 3, number > 4, number > 7) FROM numbers(1000);
SELECT maxMap(map(number % 10, number, number % 7, 1)), minMap([number % 10, number % 7], [number, 1]) FROM numbers(1000);
