-- Elements equal to a constant, to a column, to NULL; lists shorter and longer than a few elements.
SELECT number, has(a, 3), indexOf(a, 3), countEqual(a, 3), has(a, number % 7), indexOf(a, number % 7), countEqual(a, number % 7)
FROM (SELECT number, arrayMap(i -> cityHash64(number, i) % 7, range(number * 5 % 36)) AS a FROM numbers(20)) ORDER BY number SETTINGS max_block_size = 7;
SELECT number, has(a, NULL), indexOf(a, NULL), countEqual(a, NULL), has(a, x), indexOf(a, x), countEqual(a, x)
FROM (SELECT number, arrayMap(i -> if(i % 3 = 1, NULL, i), range(number)) AS a, if(number % 2 = 0, NULL, 3) AS x FROM numbers(8)) ORDER BY number SETTINGS max_block_size = 1;
SELECT has(['a', 'bc', ''], 'bc'), indexOf(['a', 'bc', ''], ''), countEqual(['x', 'y', 'x'], 'x'), has([nan, 1.], nan), countEqual([0., -0.], 0.);
SELECT has([toFixedString('ab', 2)], toFixedString('ab', 2)), indexOf([[1], [2, 3]], [2, 3]), countEqual([(1, 'a'), (1, 'b')], (1, 'a')), has([], 1), indexOf(CAST([], 'Array(String)'), 'x');
SELECT mapContains(m, 'b'), m['b'], m['z'] FROM (SELECT map('a', number, 'b', number + 1) AS m FROM numbers(3)) ORDER BY m['a'];
-- Distinct strings: of at most seven bytes, longer ones, both, with zero bytes, NULL.
SELECT number, arrayDistinct(s), arrayUniq(s), arrayEnumerateUniq(s), arrayEnumerateDense(s)
FROM (SELECT number, arrayMap(i -> toString(cityHash64(number, i) % 5), range(number)) AS s FROM numbers(8)) ORDER BY number SETTINGS max_block_size = 7;
SELECT arrayDistinct(['a', 'a\0', '', 'a', '\0', '']), arrayUniq(['1234567', '12345678', '1234567', '12345678']), arrayDistinct(['long enough string', 'x', 'long enough string']);
SELECT arrayIntersect(['a', 'b', 'long enough string'], ['long enough string', 'b']), hasAny(['abc'], ['abcdefgh', 'abc']), hasAll(['abc', 'abcdefgh'], ['abcdefgh']), hasAll(['abc'], ['abc\0']);
SELECT arrayDistinct([NULL, 'a', NULL, 'a']), arrayUniq([[1, 2], [1, 2], []]), arrayDistinct([(1, 'a'), (1, 'a'), (2, 'a')]), arrayUniq([toFixedString('a', 3), toFixedString('a', 3)]);
SELECT arrayDistinct(arrayMap(i -> concat('element ', toString(i % 20)), range(50)));
-- Comparison of arrays: lengths, prefixes, signs, constants on both sides, strings, floats.
SELECT number, a = b, a != b, a < b, a <= b, a > b, a >= b, a = [1, 2], [1, 2] < a, a >= []
FROM (SELECT number, arrayMap(i -> toInt16(i % 3) - 1, range(number % 4)) AS a, arrayMap(i -> toInt16((i + number) % 3) - 1, range(number % 3)) AS b FROM numbers(12)) ORDER BY number SETTINGS max_block_size = 7;
SELECT ['a', 'b'] = ['a', 'b'], s = ['a'], s < ['b'], s > ['', 'x'], s != [''] FROM (SELECT arrayMap(i -> char(97 + i), range(number)) AS s FROM numbers(3)) ORDER BY s;
SELECT a = [nan], a < [1.], a >= [nan], [1, NULL] = [1, NULL], [[1], [2]] < [[1], [3]] FROM (SELECT arrayMap(i -> if(number = 1, nan, i), range(1)) AS a FROM numbers(3)) ORDER BY 1, 2, 3;
SELECT [toUInt8(1)] = [toInt64(1)], [1.0] = [1], [18446744073709551615] > [1];
