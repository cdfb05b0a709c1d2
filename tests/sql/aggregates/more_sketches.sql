-- { echoOn }
CREATE TABLE agg (g UInt8, x Int32, s String, n Nullable(UInt16), t DateTime('UTC')) ENGINE = Memory;
INSERT INTO agg SELECT number % 3, toInt32(number % 50) - 20, toString(number % 17), if(number % 4 = 0, NULL, number % 9), toDateTime('2024-01-01 00:00:00', 'UTC') + number FROM numbers(600);
SELECT g, uniqHLL12(x), uniqCombined(s), uniqCombined64(n), uniqUpTo(5)(n), uniqUpTo(20)(s) FROM agg GROUP BY g ORDER BY g;
SELECT uniqCombined(12)(number), uniqCombined(14)(number), uniqCombined(20)(number), uniqCombined64(number), uniqHLL12(number, number % 3) FROM numbers(30000);
SELECT uniqCombined(number / 3), uniqCombined(toFloat32(number)), uniqCombined([number]), uniqCombined(number, toString(number)), uniqHLL12(toDate(number)) FROM numbers(20000);
SELECT uniqCombined(concat('k', toString(number))), uniqHLL12(concat('k', toString(number))), uniqCombined64(concat('k', toString(number))) FROM numbers(60000);
SELECT uniqCombined(number), uniqHLL12(number), uniqUpTo(3)(number) FROM numbers(0);
SELECT uniqCombinedMerge(s), uniqHLL12Merge(h), uniqUpToMerge(50)(u) FROM (SELECT number % 7 AS g, uniqCombinedState(number) AS s, uniqHLL12State(number % 100) AS h, uniqUpToState(50)(number % 40) AS u FROM numbers(10000) GROUP BY g);
SELECT hex(uniqCombinedState(number)), hex(uniqHLL12State(number)), hex(uniqUpToState(3)(number)), hex(uniqCombinedState(toString(number) || 'x')) FROM numbers(1);
SELECT hex(uniqHLL12State(toInt32(-1))), hex(uniqHLL12State(1.5)), hex(uniqHLL12State(toDate(1))), hex(uniqHLL12State(1, 2)), hex(uniqUpToState(3)(toInt32(-1))), hex(uniqCombinedState(toInt32(-1)));
SELECT uniqHLL12(number / 3), uniqHLL12(toFloat32(number)), uniqHLL12(toInt32(number) - 10000), uniqHLL12(toInt16(number)), uniqHLL12([number]), toTypeName(entropy(toNullable(1))), toTypeName(uniqCombined(toNullable(1))), toTypeName(uniqUpTo(3)(toNullable(1))) FROM numbers(20000);
SELECT topK(2)(y), topKWeighted(1)(y, w) FROM (SELECT arrayJoin([('a', 1), ('a', 1), ('a', 1), ('b', 9), ('b', 1), ('c', 2)]) AS p, p.1 AS y, p.2 AS w);
SELECT topK(3)(number % 5 = 0), topK(1)(NULL), topK(2, 3, 'counts')(intDiv(number, 4)), toTypeName(topK(1)('a')) FROM numbers(7);
SELECT g, round(entropy(s), 6), round(entropy(x, s), 6), round(entropy(n), 6) FROM agg GROUP BY g ORDER BY g;
SELECT deltaSum(x), deltaSum(n), boundingRatio(x, t), simpleLinearRegression(x, x * 3 - 1) FROM (SELECT * FROM agg ORDER BY t) SETTINGS max_threads = 1;
SELECT deltaSum(y), toTypeName(deltaSum(y)) FROM (SELECT arrayJoin([3, 1, 2, 5, 0, 1]) AS y);
SELECT quantileDeterministic(0.5)(x, toUInt32(t)), quantilesDeterministic(0.1, 0.9)(x, toUInt32(t)), medianDeterministic(n, n) FROM agg;
SELECT quantileDeterministic(0.5)(number, number), quantilesDeterministic(0.1, 0.9)(number, number) FROM numbers(100000);
SELECT sumMap([g, 7], [x, 1]), minMap([g], [x]), maxMap([s], [x]), sumMap([g], [n]) FROM agg WHERE s IN ('3', '5');
SELECT sumMap([1, 2], [1, -1], [0.5, 1]), sumMap(([1, 1], [1, 2])), sumMapWithOverflow([1], [toUInt8(200)]), toTypeName(sumMap([toUInt8(1)], [toUInt8(1)])), toTypeName(minMap(['a'], [1.5])) FROM numbers(2);
SELECT sumMapMerge(m) FROM (SELECT sumMapState([number % 3], [number]) AS m FROM numbers(10) GROUP BY number % 2);
SELECT windowFunnel(5)(t, x = 1, x = 3, x = 5), windowFunnel(1)(t, x = 1, x = 3), windowFunnel(10, 'strict_order')(t, x = 1, x = 2), retention(x = 1, x = 2, x = 99), sequenceMatch('(?1)(?t<=2)(?2)')(t, x = 1, x = 3), sequenceCount('(?1).*(?2)')(t, x = 1, x = 3), sequenceCount('(?1)(?2)')(t, x = 1, x = 2) FROM agg;
SELECT g, windowFunnel(100)(t, x = 1, x = 3, x = 5), sequenceMatch('(?1).(?2)')(t, x = 1, x = 3), retention(x = 1, x = 99) FROM agg GROUP BY g ORDER BY g;
SELECT groupConcat(',')(s), groupConcat(s), groupConcat('-', 2)(y) FROM (SELECT arrayJoin(['a', NULL, 'b']) AS s, 5 AS y) SETTINGS max_threads = 1;
SELECT groupArrayInsertAt(0, 4)(y, y), groupArrayInsertAt(y, y + 1), groupArraySorted(2)(-y), groupArraySorted(2)(toString(y)), groupArrayMovingSum(y), groupArrayMovingAvg(2)(y) FROM (SELECT toUInt8(number) AS y FROM numbers(3)) SETTINGS max_threads = 1;
SELECT histogram(3)(number * number), histogram(2)(1) FROM numbers(10) SETTINGS max_threads = 1;
SELECT sumIfOrNull(number, number > 5), sumIfOrDefault(number, 0), avgIfOrNull(number, number = 2), countIfOrNull(number > 5) FROM numbers(3);
SELECT uniqCombined(11)(number) FROM numbers(1); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT uniqUpTo(101)(number) FROM numbers(1); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT topK(0)(number) FROM numbers(1); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT sumMap([1, 2], [1]); -- { serverError BAD_ARGUMENTS }
SELECT sequenceMatch('(?3)')(number, number = 1, number = 2) FROM numbers(1); -- { serverError BAD_ARGUMENTS }
SELECT sequenceMatch('x')(number, number = 1, number = 2) FROM numbers(1); -- { serverError SYNTAX_ERROR }
SELECT windowFunnel(1, 'foo')(number, 1) FROM numbers(1); -- { serverError BAD_ARGUMENTS }
SELECT retention(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT histogram(0)(number) FROM numbers(1); -- { serverError BAD_ARGUMENTS }
SELECT groupArraySorted(number) FROM numbers(1); -- { serverError BAD_ARGUMENTS }
SELECT groupArrayInsertAt(number, -1) FROM numbers(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
