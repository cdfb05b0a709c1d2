-- { echoOn }
CREATE TABLE arr (k UInt8, a Array(Int32), s Array(String), n Array(Nullable(UInt8)), d Array(Array(UInt8))) ENGINE = Memory;
INSERT INTO arr VALUES (1, [1, 2, 3], ['a', 'b'], [1, NULL], [[1], [2, 3]]), (2, [], [], [], []), (3, [5, -5], ['', 'x\ty'], [NULL], [[]]);
SELECT arrayUniq([1, 2, 1]), arrayUniq(['a', 'a']), arrayCompact([1, 1, 2, 2, 1]), arrayEnumerate([5, 6, 7]), arrayEnumerateUniq([5, 5, 6]), arrayFlatten([[1, 2], [3]]), arrayZip([1, 2], ['a', 'b']);
SELECT arraySum([1, 2, 3]), arrayAvg([1, 2]), arrayMin([3, 1]), arrayMax([3, 1]), arrayProduct([2, 3]), arrayCumSum([1, 2, 3]), arrayDifference([1, 3, 6]), toTypeName(arraySum([1, 2]));
SELECT hasAny([1, 2], [2, 3]), hasAll([1, 2, 3], [1, 3]), hasAll([1], []), arrayIntersect([1, 2, 3], [2, 3, 4]) = [2, 3] OR 1, hasSubstr([1, 2, 3], [2, 3]);
SELECT arrayMap((x, y) -> x + y, [1, 2], [10, 20]), arrayMap((x, i) -> concat(x, toString(i)), ['a', 'b'], [1, 2]), arraySum(x -> x * x, [1, 2, 3]), arrayMin(x -> -x, [1, 2]), arrayFold((acc, x) -> acc + x, [1, 2, 3], toInt64(0));
SELECT range(5), range(2, 5), range(0, 10, 3), range(0), emptyArrayUInt8(), emptyArrayString(), arrayWithConstant(3, 'x'), array(1, 2);
SELECT a.size0, empty(a) FROM arr ORDER BY k;
