-- { echoOn }
SELECT sumIf(number, number > 5), countIf(number % 2 = 0), avgIf(number, number < 4), minIf(number, number > 3), maxIf(number, number < 3), uniqIf(number % 3, number > 0), anyIf(number, number = 4) FROM numbers(10);
SELECT sumIf(number, 0), countIf(0), avgIf(number, 0), minIf(number, 0), anyIf(toString(number), 0) FROM numbers(10);
SELECT sumIf(number, number > 5, 1) FROM numbers(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT sumIf(number, 'a') FROM numbers(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT sumIf(x, c) FROM (SELECT arrayJoin([(1, 1), (2, NULL), (3, 0)]) AS t, t.1 AS x, t.2 AS c);
SELECT sumArray(a), countArray(a), minArray(a), maxArray(a), uniqArray(a), avgArray(a), arraySort(groupArrayArray(a)) FROM (SELECT arrayJoin([[1, 2], [], [2, 5]]) AS a);
SELECT sumForEach(a), maxForEach(a), countForEach(a), avgForEach(a) FROM (SELECT arrayJoin([[1, 2], [10, 20, 30]]) AS a);
SELECT sumOrNull(number), sumOrDefault(number), minOrNull(number), avgOrNull(number), countOrNull(), maxOrDefault(number) FROM numbers(0);
SELECT sumOrNull(number), avgOrDefault(number), toTypeName(sumOrNull(number)), toTypeName(avgOrDefault(number)) FROM numbers(3);
SELECT sumOrNullIf(number, number > 100), sumIfOrNull(number, number > 100), sumOrDefaultIf(number, 0) FROM numbers(3);
SELECT sumDistinct(number % 3), countDistinct(number % 3), avgDistinct(number % 4), arraySort(groupArrayDistinct(number % 3)) FROM numbers(10);
SELECT sum(DISTINCT number % 3), avg(DISTINCT number % 4), arraySort(groupArray(DISTINCT number % 3)) FROM numbers(10);
SELECT toTypeName(sumState(number)), toTypeName(uniqState(toString(number))), toTypeName(quantileState(0.5)(number)), toTypeName(countState()) FROM numbers(1);
SELECT sumMerge(s), uniqMerge(u), avgMerge(a), countMerge(c) FROM (SELECT number % 3 AS g, sumState(number) AS s, uniqState(number) AS u, avgState(number) AS a, countState() AS c FROM numbers(10) GROUP BY g);
SELECT g % 2 AS h, sumMerge(s), quantileMerge(0.5)(q), arraySort(groupArrayMerge(r)) FROM (SELECT number % 4 AS g, sumState(number) AS s, quantileState(0.5)(number) AS q, groupArrayState(number) AS r FROM numbers(12) GROUP BY g) GROUP BY h ORDER BY h;
SELECT finalizeAggregation(sumState(number)), finalizeAggregation(maxState(toString(number))), finalizeAggregation(avgState(number)) FROM numbers(5);
SELECT hex(sumState(number)), hex(countState()), hex(avgState(number)), hex(maxState(number)) FROM numbers(5);
SELECT hex(sumState(toInt8(number) - 3)), hex(minState(toString(number))), hex(sumState(number / 2)) FROM numbers(3);
SELECT sumMerge(number) FROM numbers(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
CREATE TABLE st (g UInt8, s AggregateFunction(sum, UInt64), u AggregateFunction(uniqExact, String)) ENGINE = Memory;
INSERT INTO st SELECT number % 2 AS g, sumState(number), uniqExactState(toString(number % 5)) FROM numbers(10) GROUP BY g;
INSERT INTO st SELECT number % 2 AS g, sumState(number), uniqExactState(toString(number % 7)) FROM numbers(100, 10) GROUP BY g;
SELECT g, sumMerge(s), uniqExactMerge(u) FROM st GROUP BY g ORDER BY g;
SELECT sumMerge(s), uniqExactMerge(u) FROM st;
SELECT sum(x) FROM (SELECT finalizeAggregation(s) AS x FROM st);
SELECT toTypeName(s), toTypeName(u) FROM st LIMIT 1;
