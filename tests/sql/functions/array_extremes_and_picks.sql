-- Least and greatest elements: empty lists, NaN, zeros of both signs, NULL, long lists, strings.
SELECT number, arrayMin(a), arrayMax(a), arrayMin(f), arrayMax(f), arrayMin(s), arrayMax(s), arrayMin(n), arrayMax(n)
FROM (
    SELECT number, arrayMap(i -> toInt32(cityHash64(number, i) % 100) - 50, range(number * 3 % 40)) AS a,
        arrayMap(i -> if(i % 5 = number % 7, nan, (i * 7 % 11) / 4 - 1), range(number * 3 % 40)) AS f,
        arrayMap(i -> toString(cityHash64(i, number) % 1000), range(number % 5)) AS s,
        arrayMap(i -> if((i + number) % 3 = 0, NULL, i), range(number % 6)) AS n
    FROM numbers(20)
) ORDER BY number SETTINGS max_block_size = 7;
SELECT arrayMin([nan]), arrayMax([nan, nan]), arrayMin([0., -0.]), arrayMax([-0., 0.]), arrayMax([inf, nan]), arrayMin([nan, inf]);
SELECT arrayMin(arrayConcat(arrayWithConstant(20, 0.), [-0.])), arrayMax(arrayConcat(arrayWithConstant(20, -0.), [0.], arrayWithConstant(9, nan)));
SELECT arrayMin(arrayWithConstant(20, nan)), arrayMax(arrayConcat(arrayWithConstant(20, nan), [-1.])), arrayMin(arrayWithConstant(17, inf));
SELECT arrayMin(x -> -x, [1, 5, 3]), arrayMax(x -> toString(x), [1, 50, 7]), arrayMax([toInt128(5), toInt128(-7)]), arrayMin([toUInt256(5), toUInt256(7)]);
SELECT arrayMax([toDate('2020-01-01'), toDate('2021-01-01')]), arrayMin([toDecimal64(1.5, 2), toDecimal64(-1.5, 2)]), arrayMin(CAST([], 'Array(Int8)'));
-- Rotations by more than a turn, by negative numbers, by columns.
SELECT number, arrayRotateLeft(range(number % 5), number), arrayRotateRight(range(number % 5), number), arrayRotateLeft(range(number % 5), -toInt64(number)), arrayRotateRight([1, 2, 3], toInt64(number) - 10)
FROM numbers(15) ORDER BY number SETTINGS max_block_size = 1;
SELECT arrayRotateLeft(['a', 'b', 'c'], -1000001), arrayRotateLeft([1, 2, 3], 9223372036854775807), arrayRotateLeft([], 3);
-- Slices with constants, columns, NULL.
SELECT number, arraySlice(a, toInt64(number) - 8), arraySlice(a, toInt64(number) - 8, 2), arraySlice(a, 2, toInt64(number) - 8), arraySlice(a, if(number % 3 = 0, NULL, number), if(number % 4 = 0, NULL, 3)), arraySlice(a, NULL, 2)
FROM (SELECT number, range(number % 7) AS a FROM numbers(1, 17)) ORDER BY number SETTINGS max_block_size = 7;
SELECT arraySlice([1, 2, 3], -9223372036854775808), arraySlice([1, 2, 3], 9223372036854775807), arraySlice([1, 2, 3], -9223372036854775808, 9223372036854775807), arraySlice([1, 2, 3], 2, 9223372036854775807);
SELECT arrayReverse(range(number)), arrayPopBack(range(number)), arrayPopFront(range(number)), arrayReverse(arrayMap(x -> toString(x), range(number))) FROM numbers(5) ORDER BY number;
-- Runs of equal strings.
SELECT arrayCompact(['a', 'a', 'b', 'a', '', '', 'b']), arrayCompact(x -> x % 2, [1, 3, 2, 4, 5]), arrayCompact([nan, nan, 1.]), arrayCompact([NULL, NULL, 1]);
SELECT arrayCompact(arrayMap(i -> toString(intDiv(i, 3)), range(number))) FROM numbers(9) ORDER BY number SETTINGS max_block_size = 7;
-- Sorted by a lambda: numbers, floats with NaN, equal keys, both directions.
SELECT arraySort(x -> -x, [5, 1, 4]), arrayReverseSort(x -> x % 3, [1, 2, 3, 4, 5, 6]), arraySort(x -> x % 3, [1, 2, 3, 4, 5, 6]);
SELECT arraySort((x, y) -> y, ['a', 'b', 'c', 'd'], [nan, 2., -1., nan]), arrayReverseSort((x, y) -> y, ['a', 'b', 'c', 'd'], [nan, 2., -1., nan]);
SELECT arraySort([2., nan, -inf, 1.]), arrayReverseSort([2., nan, -inf, 1.]), arraySort(x -> if(x = 2, NULL, x), [3, 2, 1]);
