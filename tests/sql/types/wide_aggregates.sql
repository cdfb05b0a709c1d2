-- Aggregates and other functions of integers of 128 and 256 bits.
SELECT toTypeName(sum(toInt128(1))), toTypeName(sum(toUInt128(1))), toTypeName(sum(toInt256(1))), toTypeName(sum(toUInt256(1))), toTypeName(avg(toInt128(1))), toTypeName(min(toUInt256(1))), toTypeName(any(toInt128(1))), toTypeName(quantile(toInt128(1))), toTypeName(median(toUInt256(1))), toTypeName(quantileExact(toInt256(1))), toTypeName(groupArray(toUInt128(1))), toTypeName(sumWithOverflow(toInt128(1))), toTypeName(argMin(1, toInt256(1)));
CREATE TABLE w (k UInt8, a Int128, b UInt128, c Int256, d UInt256, n Nullable(Int256)) ENGINE = Memory;
INSERT INTO w VALUES (1, 5, 5, 5, 5, 5), (2, -7, 7, -7, 7, NULL), (3, 170141183460469231731687303715884105727, 340282366920938463463374607431768211455, 57896044618658097711785492504343953926634992332820282019728792003956564819967, 115792089237316195423570985008687907853269984665640564039457584007913129639935, -5), (4, -170141183460469231731687303715884105728, 1, -57896044618658097711785492504343953926634992332820282019728792003956564819968, 1, 18446744073709551616), (5, 18446744073709551616, 18446744073709551616, 18446744073709551616, 18446744073709551616, NULL), (6, 0, 0, 0, 0, 0);
SELECT sum(a), sum(b), sum(c), sum(d), sum(n) FROM w;
SELECT sum(toInt128(3)), sum(toUInt256(5)), sum(toInt256(-1)) FROM numbers(10);
SELECT k % 2 AS g, sum(a), sum(d), min(a), max(a), min(b), max(b), min(c), max(c), min(d), max(d), min(n), max(n) FROM w GROUP BY g ORDER BY g;
SELECT argMin(k, a), argMax(k, a), argMin(k, d), argMax(k, c), argMax(a, k), argMin(d, k) FROM w;
SELECT count(a), count(n), uniq(a), uniqExact(b), uniqExact(c), uniqCombined(d), uniqHLL12(a) FROM w WHERE k IN (1, 2, 6);
SELECT arraySort(groupArray(a)), arraySort(groupUniqArray(d)), groupArraySorted(2)(c) FROM w WHERE k != 3;
SELECT avg(a), avg(toInt256(k)), avg(toUInt128(k)), avgWeighted(toInt128(k), toUInt256(2)) FROM w WHERE k < 3;
SELECT hex(avgWeightedState(toInt128(5), 1)), hex(deltaSumState(toInt128(5))), hex(groupBitAndState(toInt128(5)));
SELECT median(toInt128(k)), quantile(0.9)(toUInt256(k)), quantileExact(0.5)(c), quantilesExact(0.1, 0.9)(a), quantileDeterministic(toInt128(k), k), quantileExactWeighted(toInt256(k), k) FROM w;
SELECT quantileExactLow(0.5)(d) FROM w; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT quantileTDigest(a) FROM w; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT quantileTiming(d) FROM w; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT stddevPop(toInt128(k)), varSamp(toUInt256(k)) FROM w WHERE k < 5;
SELECT groupBitAnd(a), groupBitOr(b), groupBitXor(c), groupBitXor(d) FROM w;
SELECT deltaSum(x), sumKahan(x), sumCount(x), sumWithOverflow(x) FROM (SELECT toInt128(number) AS x FROM numbers(4));
SELECT toTypeName(sumCount(toInt128(1))), entropy(toInt256(number)) FROM numbers(4);
SELECT sumMap([1, 2], [toInt128(3), 4]), maxMap([1], [toUInt256(3)]), sumMap([toInt128(7)], [1]);
SELECT topK(1)(toInt128(number % 2 + 1)) FROM numbers(3);
SELECT sumMerge(s), minMerge(m), maxMerge(x), avgMerge(v), uniqExactMerge(u) FROM (SELECT sumState(a) AS s, minState(d) AS m, maxState(c) AS x, avgState(toInt128(k)) AS v, uniqExactState(d) AS u FROM w GROUP BY k % 2);
SELECT hex(sumState(toInt128(5))), hex(maxState(toUInt256(1))), hex(avgState(toInt256(-1)));
SELECT sumIf(a, k < 3), maxIf(d, k != 3), minOrNull(c), anyLast(toInt128(9)) FROM w;
SELECT arraySum([toInt128(1), toInt128(2)]), toTypeName(arraySum([toInt128(1)])), toTypeName(arraySum([toUInt256(1)])), arrayAvg([toInt128(1), toInt128(2)]), arrayMax([toInt256(1), 2]), arrayMin([toUInt128(7), 2]), arraySort([toInt128(3), 1, -5]), arrayReverseSort([toUInt256(3), 1, 5]), arrayUniq([toInt128(3), 1, 3]), indexOf([toInt128(3), 1], 1), has([toUInt256(3)], 3), arrayCumSum([toInt128(1), 2]), arrayDifference([toInt128(1), 3]), arrayProduct([toInt128(2), 3]), toTypeName(arrayDifference([toInt128(1), 3])), toTypeName(arrayCumSum([toUInt128(1), 2]));
SELECT arrayDistinct([toInt256(1), 1, 2]), arrayConcat([toInt128(1)], [2]), arrayMap(x -> x + 1, [toUInt256(1)]), arrayFilter(x -> x > 1, [toInt128(1), 2]), arrayReverse([toInt128(1), 2]), arrayPushBack([toInt128(1)], 2), arraySlice([toUInt128(1), 2, 3], 2), arrayEnumerate([toInt128(5)]), countEqual([toInt128(1), 1], 1), arrayIntersect([toInt128(1), 2], [toInt128(2)]);
SELECT arrayDotProduct([toInt128(1), 2], [toInt128(3), 4]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT cityHash64(toInt128(1)), cityHash64(toUInt128(1)), cityHash64(toInt256(1)), cityHash64(toUInt256(-1)), sipHash64(toInt128(1)), sipHash64(toUInt256(1)), xxHash64(toInt128(1)), murmurHash3_64(toInt128(1)), farmHash64(toInt256(1)), halfMD5(toInt128(1)), xxh3(toInt128(1)), murmurHash2_64(toInt128(1)), murmurHash2_32(toInt256(5)), murmurHash3_32(toInt256(5)), xxHash32(toInt128(3));
SELECT cityHash64(toInt128(1), toUInt256(2), 'a'), cityHash64([toInt128(1), 2]), cityHash64((toInt128(1), 2)), sipHash64(toNullable(toInt256(7))), javaHash(toInt256(1)), javaHash(toUInt128(1));
SELECT intHash64(toInt128(1)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT hex(toInt128(255)), hex(toInt256(-1)), bin(toUInt128(5)), hex(toUInt256(0)), hex(toUInt128(256));
SELECT toString(a), toString(n), concat('x', toString(d)), length(toString(c)) FROM w ORDER BY k;
SELECT mapAdd(map('a', toUInt128(1)), map('a', toUInt128(-1))), mapSubtract(map('a', toInt128(1)), map('a', toInt128('18446744073709551616'), 'b', toInt128(2)));
SELECT uniq(x), uniqCombined(x), hex(uniqState(x)) FROM (SELECT arrayJoin([toInt128(-5), toInt128('18446744073709551616'), toInt128(1)]) AS x);
SELECT hex(uniqState(toUInt256(-1))), hex(uniqCombined64State(toUInt256(-2))), hex(uniqState(toNullable(toInt128(5)))), uniq(toInt128(5), 1);
