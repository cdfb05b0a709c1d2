-- { largeBlocks }
-- Branches over numbers of every width, with constants and columns on either side.
SELECT sum(if(number % 2 = 0, toUInt8(number), toUInt8(1))), sum(if(number % 2 = 0, toInt16(7), toInt16(number))), sum(if(number % 3 = 0, 5, 6)) FROM numbers(20000);
SELECT sum(if(number % 2 = 0, number, number + 1)), sum(if(number % 5 < 2, toFloat32(number), toFloat32(0.5))), sum(if(number % 5 < 2, toInt128(number), toInt128(-1))) FROM numbers(20000);
SELECT sum(multiIf(number % 3 = 0, 1, number % 3 = 1, 2, 3)), sum(multiIf(number < 100, toUInt8(1), number % 5 = 1, toUInt8(number), number % 7 = 1, toUInt8(2), toUInt8(3))) FROM numbers(20000);
SELECT sum(if(number % 10 < 5, number, NULL)), count(if(number % 10 < 5, number, NULL)), countIf(isNull(if(number % 10 < 5, NULL, 1))) FROM numbers(20000);
SELECT sum(if(materialize(NULL), 1, 2)), sum(if(toNullable(number % 2), 1, 2)), sum(if(if(number % 3 = 0, NULL, number % 2), 1, 2)) FROM numbers(20000);
SELECT if(number % 2, toDate('2020-01-01'), toDate('2020-01-02') + number) AS d, if(number % 2, toDecimal64(1.5, 2), toDecimal64(number, 2)) AS c, if(number % 2, 'one', toString(number)) AS s FROM numbers(6) ORDER BY number;
SELECT sum(xor(number % 2, number % 3)), sum(xor(number, toNullable(number % 3), 1)), sum(and(number, toUInt8(number % 2), toNullable(number % 3))), sum(or(number % 2, toNullable(number % 3))), sum(not(number % 3)) FROM numbers(20000);
SELECT xor(number % 2, if(number > 2, NULL, number)), and(number % 2, if(number > 2, NULL, number)), or(number % 2, if(number > 2, NULL, number)) FROM numbers(5) ORDER BY number;
-- A branch that takes long runs only over the rows for which it is chosen; its values must land in the right rows.
SELECT sum(cityHash64(if(number % 100 = 0, toString(sipHash64(number)), ''))) FROM numbers(20000);
SELECT sum(cityHash64(multiIf(number % 100 = 0, hex(SHA256(toString(number))), number % 7 = 1, lower(toString(number)), 'rest'))) FROM numbers(20000);
SELECT sum(if(number % 3 = 0, length(hex(MD5(toString(number)))), if(number % 3 = 1, sipHash64(number) % 10, 0))) FROM numbers(20000);
SELECT number, if(number > 2, replaceRegexpAll(toString(number * 11), '1', 'x'), NULL) FROM numbers(5) ORDER BY number;
-- Arms of OR and AND run in the order of their cost, and an arm that can fail only over the rows that the arms before leave.
SELECT count() FROM numbers(20000) WHERE number = 0 OR cityHash64(toString(number)) % 3 = 0 OR number < 10000;
SELECT count() FROM numbers(20000) WHERE (number % 2 = 0 OR toUInt8(toString(number % 256)) = 1) AND (number = 7 OR sipHash64(toString(number)) % 2 = 0 OR number > 19990);
SELECT count() FROM numbers(100) WHERE number = 0 OR intDiv(100, number) > 10 OR number = 50;
SELECT sum(number != 0 AND intDiv(1000, number) > 10), sum(number = 0 OR intDiv(1000, number) > 10) FROM numbers(1000);
-- Numbers under NULL reach a strict kernel, whose errors must not.
SELECT toInt32(nullIf(number % 3, 0)) AS a, intDiv(10, nullIf(number % 3, 0)) AS b, toUInt8OrNull(toString(nullIf(number % 3, 0))) AS c, toDecimal32(nullIf(number % 3, 0), 2) AS d FROM numbers(4) ORDER BY number;
SELECT intDiv(100, if(number % 2 = 0, NULL, number)) AS a, moduloOrZero(if(number % 2 = 0, NULL, number), 0) AS b FROM numbers(4) ORDER BY number;
-- Decimals of whole numbers and of other decimals, within and beyond their range.
SELECT sum(toDecimal32(number, 4)), sum(toDecimal64(number, 9)), sum(toDecimal128(number, 20)), sum(toDecimal64(toInt16(number) - 10000, 3)) FROM numbers(20000);
SELECT toDecimal64(18446744073709551615 - number, 0) FROM numbers(2);
SELECT toDecimal128(18446744073709551615 - number, 2) AS d, toDecimal128(toDecimal64(number, 3), 10) AS e, toDecimal32OrNull(toString(number * 3000000000), 0) AS f FROM numbers(2) ORDER BY number;
SELECT toDecimal64(toDecimal32(number, 2), 17) FROM numbers(100, 3); -- { serverError DECIMAL_OVERFLOW }
SELECT transform(number % 10, [1, 3, 5, 7], [10, 30, 50, 70], 0) AS a, transform(number * 1000000, [0, 1000000, 5000000], ['none', 'one', 'five'], 'rest') AS b, transform(if(number = 2, NULL, number), [1, 3], [10, 30], 7) AS c, transform(toInt64(number) - 2, [-2, 1], [5, 6]) AS d FROM numbers(6) ORDER BY number;
-- A branch that counts rows sees all of them, and one that can fail only its own.
SELECT number, if(number % 2, lower(concat(toString(rowNumberInAllBlocks()), 'x')), '') AS s FROM numbers(4) ORDER BY number;
SELECT if(number > 3, arrayWithConstant(toInt32(number) - 3, 1), []) AS a, if(number > 3, range(toInt32(number) - 3), []) AS b FROM numbers(5) ORDER BY number;
SELECT leftPad(CAST(NULL AS Nullable(String)), n, '*') FROM (SELECT toInt32(-1) AS n FROM numbers(1));
SELECT number % 2 AS g, number FROM numbers(8) ORDER BY number LIMIT 18446744073709551615 OFFSET 2 BY g;
SELECT dateDiff('day', toDateTime64('1943-01-01 00:10:00', 3, 'Asia/Kolkata'), toDateTime64('1943-01-01 23:50:00', 3, 'Asia/Kolkata')) AS d, dateDiff('month', toDateTime64('1943-02-01 00:10:00', 3, 'Asia/Kolkata'), toDateTime64('1943-02-28 23:50:00', 3, 'Asia/Kolkata')) AS m;
