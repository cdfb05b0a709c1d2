-- Bitmaps: the states of groupBitmap, and functions of them.
SELECT groupBitmap(number % 5), toTypeName(groupBitmap(toUInt32(number))), groupBitmap(toInt8(number % 3) - 1), groupBitmapIf(number, number > 3) FROM numbers(10);
SELECT bitmapToArray(bitmapBuild([5, 1, 3, 1])), bitmapToArray(bitmapBuild(arrayReverse(range(40)))), bitmapToArray(bitmapBuild([-1, 2])), toTypeName(bitmapBuild([toInt64(1)])), bitmapCardinality(bitmapBuild(emptyArrayUInt32()));
SELECT hex(bitmapBuild([1, 2, 3])), hex(groupBitmapState(number)) FROM numbers(3);
SELECT hex(groupBitmapState(number)), hex(groupBitmapState(toUInt32(number * 3))), hex(groupBitmapState(toUInt8(number))) FROM numbers(40);
WITH bitmapBuild([1, 2, 3, 4]) AS a, bitmapBuild([3, 4, 5]) AS b SELECT bitmapToArray(bitmapAnd(a, b)), bitmapToArray(bitmapOr(a, b)), bitmapToArray(bitmapXor(a, b)), bitmapToArray(bitmapAndnot(a, b)), bitmapAndCardinality(a, b), bitmapOrCardinality(a, b), bitmapXorCardinality(a, b), bitmapAndnotCardinality(a, b), bitmapHasAny(a, b), bitmapHasAll(a, b);
WITH bitmapBuild(range(100)) AS a, bitmapBuild(range(50, 150)) AS b, bitmapBuild([toUInt8(7), 99, 149]) AS c SELECT bitmapCardinality(bitmapAnd(a, b)), bitmapOrCardinality(a, b), bitmapCardinality(bitmapXor(a, b)), bitmapAndnotCardinality(a, b), bitmapToArray(bitmapAnd(b, c)), bitmapCardinality(bitmapOr(c, a)), bitmapToArray(bitmapAndnot(c, a)), bitmapCardinality(bitmapXor(a, c)), bitmapHasAll(a, c), bitmapHasAny(a, c);
SELECT bitmapContains(bitmapBuild([1, 300]), 300), bitmapContains(bitmapBuild([1]), 257), bitmapContains(bitmapBuild([1]), -1), bitmapMin(bitmapBuild([7, 5])), bitmapMax(bitmapBuild([7, 5]));
SELECT bitmapToArray(bitmapSubsetInRange(bitmapBuild([1, 5, 9, 12]), 5, 12)), bitmapToArray(bitmapSubsetLimit(bitmapBuild([1, 5, 9, 12]), 5, 2)), bitmapToArray(subBitmap(bitmapBuild([1, 5, 9, 12]), 1, 2)), bitmapToArray(subBitmap(bitmapBuild([1, 5]), 10, 2)), bitmapToArray(bitmapTransform(bitmapBuild([1, 5, 9]), [1, 5], [2, 20])), bitmapToArray(bitmapTransform(bitmapBuild([1, 2]), [1, 2], [2, 3]));
SELECT bitmapTransform(bitmapBuild([1]), [1, 2], [3]); -- { serverError BAD_ARGUMENTS }
SELECT bitmapAnd(bitmapBuild([1]), bitmapBuild([300])); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT bitmapAnd(bitmapBuild([1]), 1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT bitmapBuild(['a']); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT bitmapBuild(5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT bitmapContains(bitmapBuild([1]), 'a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT groupBitmap('a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT groupBitmapOr(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
CREATE TABLE seen (day UInt8, users AggregateFunction(groupBitmap, UInt32)) ENGINE = Memory;
INSERT INTO seen SELECT intDiv(number, 50) AS day, groupBitmapState(toUInt32(number % 70)) FROM numbers(150) GROUP BY day;
INSERT INTO seen SELECT 3, bitmapBuild([toUInt32(5), 1000]);
SELECT day, bitmapCardinality(users), bitmapMin(users), bitmapMax(users), finalizeAggregation(users) FROM seen ORDER BY day;
SELECT groupBitmapMerge(users), groupBitmapAnd(users), groupBitmapOr(users), groupBitmapXor(users) FROM seen;
SELECT bitmapToArray(groupBitmapAndState(users)), bitmapCardinality(groupBitmapMergeState(users)) FROM seen WHERE day != 1;
SELECT a.day, b.day, bitmapAndCardinality(a.users, b.users) FROM seen AS a CROSS JOIN seen AS b WHERE a.day < b.day ORDER BY a.day, b.day;
