-- { echoOn }
SELECT countIf(number, number > 2), argMaxIf(number, number, number < 5), groupArrayIf(number, number > 7), quantileIf(0.5)(number, number < 5) FROM numbers(10) SETTINGS max_threads = 1;
SELECT sumArrayIf(a, a[1] = 1), uniqArrayIf(a, 1), sumIfArray([1, 2, 3], [1, 0, 1]) FROM (SELECT arrayJoin([[1, 2], [3]]) AS a);
SELECT sumStateIf(number, number > 2) AS s, finalizeAggregation(s), toTypeName(s) = toTypeName(sumState(number)) FROM numbers(5) FORMAT Null;
SELECT sumMergeState(s) AS x, finalizeAggregation(x) FROM (SELECT sumState(number) AS s FROM numbers(5)) FORMAT Null;
SELECT finalizeAggregation(sumMergeState(s)) FROM (SELECT sumState(number) AS s FROM numbers(5));
SELECT sumSimpleState(number), toTypeName(sumSimpleState(number)) FROM numbers(3);
SELECT sumResample(0, 10, 5)(number, number) FROM numbers(10);
