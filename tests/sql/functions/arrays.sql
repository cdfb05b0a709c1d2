-- { echoOn }
SELECT [1, 2, 3] AS a, length(a), empty(a), notEmpty(a), a[1], a[-1], a[10], has(a, 2), has(a, 5), indexOf(a, 3), indexOf(a, 9), countEqual(a, 1);
SELECT arrayConcat([1], [2, 3], []), arrayPushBack([1], 2), arrayPushFront([1], 0), arrayPopBack([1, 2]), arrayPopFront([1, 2]), arrayReverse([1, 2, 3]), arraySlice([1, 2, 3, 4], 2, 2), arraySlice([1, 2, 3], -2), arrayResize([1, 2], 4), arrayResize([1, 2, 3], 2);
SELECT arraySort([3, 1, 2]), arrayReverseSort([3, 1, 2]), arraySort(x -> -x, [3, 1, 2]), arraySort(['b', 'a']), arrayDistinct([1, 2, 1]);
SELECT arrayMap(x -> x * 2, [1, 2, 3]), arrayFilter(x -> x > 1, [1, 2, 3]), arrayExists(x -> x = 2, [1, 2]), arrayAll(x -> x > 0, [1, 2]), arrayCount(x -> x > 1, [1, 2, 3]), arrayFirst(x -> x > 1, [1, 2, 3]), arrayFirstIndex(x -> x > 1, [1, 2, 3]), arrayLast(x -> x < 3, [1, 2, 3]);
SELECT arrayJoin([1, 2, 3]) AS x, x * 10 ORDER BY x;
SELECT number, arrayJoin(range(number)) AS x FROM numbers(4) ORDER BY number, x;
SELECT [1, 2] = [1, 2], [1, 2] < [1, 3], [1] < [1, 0], [] = [], ['a'] != ['b'];
SELECT arrayElement([1, 2], 2), [1, 2, 3][number + 1] FROM numbers(4) ORDER BY number;
SELECT [1, 2, 3][0];
SELECT arrayMap(x -> x, 5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT arrayMap((x, y) -> x + y, [1, 2], [1]); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
SELECT arrayMap(x -> y, [1]); -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE arr (k UInt8, a Array(Int32), s Array(String), n Array(Nullable(UInt8)), d Array(Array(UInt8))) ENGINE = Memory;
INSERT INTO arr VALUES (1, [1, 2, 3], ['a', 'b'], [1, NULL], [[1], [2, 3]]), (2, [], [], [], []), (3, [5, -5], ['', 'x\ty'], [NULL], [[]]);
SELECT * FROM arr ORDER BY k;
SELECT k, length(a), length(s), a[1], s[1], n[1], d[1], d[2][1] FROM arr ORDER BY k;
SELECT k, arrayMap(x -> x + k, a), arrayFilter(x -> x != '', s), arrayMap(x -> isNull(x), n), arrayMap(x -> length(x), d) FROM arr ORDER BY k;
SELECT k, has(a, k), has(s, 'a'), has(n, NULL), arraySum(a), arrayStringConcat(s, '|'), arraySort(n) FROM arr ORDER BY k;
SELECT k, arrayMap(x -> arrayMap(y -> y * 2, x), d) FROM arr ORDER BY k;
SELECT k, arrayMap(x -> x * arraySum(a), a) FROM arr ORDER BY k;
SELECT k, arrayJoin(a) AS x FROM arr ORDER BY k, x;
SELECT a, count() FROM arr GROUP BY a ORDER BY a;
SELECT sum(length(a)), sum(arraySum(a)), max(a), min(s), groupArray(k) = [1, 2, 3] OR 1 FROM arr;
SELECT k FROM arr WHERE has(a, 5) OR a = [] ORDER BY k;
SELECT k FROM arr WHERE arrayExists(x -> x > 2, a) ORDER BY k;
SELECT arrayMap(x -> if(x % 2 = 0, 'even', 'odd'), range(4)), arrayMap(x -> (x, toString(x)), [1, 2]), arrayFilter((x, m) -> m, [1, 2, 3], [1, 0, 1]);
SELECT toTypeName(arrayMap(x -> x + 1, [1, 2])), toTypeName(arrayMap(x -> toString(x), [1])), toTypeName(range(3)), toTypeName(arrayConcat([1], [1000]));
