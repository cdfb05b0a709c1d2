-- Functions whose loops treat many rows at once, over lengths and values around the limits of the
-- fast paths. Sums of hashes stand for the rows.
SELECT 'short copies';
SELECT sum(cityHash64(substring(s, 2, n % 5), left(s, n % 40), right(s, n % 40), trim(concat('  ', s, ' '))))
FROM (SELECT number AS n, repeat(toString(number), number % 17) AS s FROM numbers(1000));
SELECT sum(cityHash64(concat(s, '-', s, toFixedString('ab', 3), toString(n)), format('{}{}x{}', s, n, 'yz')))
FROM (SELECT number AS n, repeat(toString(number), number % 17) AS s FROM numbers(1000));
SELECT sum(cityHash64(leftPad(s, n % 90, 'abc'), rightPad(s, 70, '*'), leftPadUTF8(s, n % 90, 'жя'), rightPadUTF8(s, 70)))
FROM (SELECT number AS n, repeat(toString(number), number % 17) AS s FROM numbers(1000));
SELECT sum(cityHash64(arrayStringConcat(arrayMap(x -> repeat('a', x), range(n % 40)), ', '))) FROM (SELECT number AS n FROM numbers(200));
SELECT sum(cityHash64(reverse(s), reverseUTF8(s), reverseUTF8(concat(s, 'ж')), lowerUTF8(concat(s, 'Ж')), upperUTF8(s)))
FROM (SELECT repeat(char(97 + number % 26), number % 50) AS s FROM numbers(300));
SELECT 'digits';
SELECT sum(cityHash64(hex(s), unhex(hex(s)), unhex(s), bin(s), unbin(s), base64Encode(s), base64URLEncode(s)))
FROM (SELECT substring(concat(repeat(toString(cityHash64(number)), 10), 'xyz'), 1, number % 200) AS s FROM numbers(1000));
SELECT countIf(base64Decode(base64Encode(s)) = s), countIf(base64URLDecode(base64URLEncode(s)) = s), sum(length(tryBase64Decode(concat(s, '*'))))
FROM (SELECT substring(unhex(repeat(hex(cityHash64(number)), 20)), 1, number % 150) AS s FROM numbers(1000));
SELECT sum(cityHash64(hex(number), bin(number), hex(toInt16(number)), hex(number / 3), hex(toDecimal64(number, 2)))) FROM numbers(1000);
SELECT sum(cityHash64(bitmaskToList(number * number), bitmaskToList(toInt8(number)), bitmaskToList(toInt64(-number)))) FROM numbers(1000);
SELECT sum(cityHash64(toString(x), toString(-toInt64(x)), toString(toInt32(x)))) FROM (SELECT bitShiftRight(cityHash64(number), number % 64) AS x FROM numbers(1000));
SELECT toString(arrayJoin([0, 9, 10, 99999999, 100000000, 9999999999999999, 10000000000000000, 18446744073709551615])::UInt64);
SELECT toString(bitShiftLeft(toInt64(-1), arrayJoin([0, 1, 27, 62, 63])));
SELECT 'hashes';
SELECT sum(cityHash64(MD5(s), halfMD5(s), halfMD5(s, 1), halfMD5(number))) FROM (SELECT number, repeat('a', number) AS s FROM numbers(150));
SELECT sum(halfMD5(number)), sum(xxHash64(number)), sum(sipHash64(toInt64(number), toFloat64(number))), sum(murmurHash3_64(toFloat64(number))) FROM numbers(100);
SELECT 'encryption';
SELECT sum(cityHash64(encrypt('aes-128-ecb', s, k), encrypt('aes-192-cbc', s, concat(k, '12345678'), iv), encrypt('aes-256-ofb', s, concat(k, k), iv), encrypt('aes-128-ctr', s, k, iv)))
FROM (SELECT repeat(toString(number), number % 30) AS s, leftPad(toString(intDiv(number, 7)), 16, 'k') AS k, rightPad(toString(number), 16, 'i') AS iv FROM numbers(500));
SELECT countIf(decrypt('aes-128-ecb', encrypt('aes-128-ecb', s, k), k) = s), countIf(decrypt('aes-128-cbc', encrypt('aes-128-cbc', s, k, iv), k, iv) = s),
    countIf(decrypt('aes-128-ofb', encrypt('aes-128-ofb', s, k, iv), k, iv) = s), countIf(decrypt('aes-128-ctr', encrypt('aes-128-ctr', s, k, iv), k, iv) = s),
    countIf(decrypt('aes-128-gcm', encrypt('aes-128-gcm', s, k, substring(iv, 1, 12)), k, substring(iv, 1, 12)) = s)
FROM (SELECT repeat(toString(number), number % 30) AS s, leftPad(toString(intDiv(number, 7)), 16, 'k') AS k, rightPad(toString(number), 16, 'i') AS iv FROM numbers(500));
SELECT groupArray(isNull(tryDecrypt('aes-128-ecb', arrayJoin(['short', 'sixteen bytes ab', 'no block of bytes']), 'kkkkkkkkkkkkkkkk')));
SELECT hex(aes_encrypt_mysql('aes-128-cbc', 'text', 'a key that is longer than its size', 'an iv that is longer than it')), aes_decrypt_mysql('aes-128-ecb', aes_encrypt_mysql('aes-128-ecb', 'text', 'a key of some length'), 'a key of some length');
SELECT sum(length(encrypt('aes-128-ecb', toString(number), if(number = 3, 'k', 'kkkkkkkkkkkkkkkk')))) FROM numbers(5); -- { serverError BAD_ARGUMENTS }
SELECT 'numbers';
SELECT sum(cityHash64(roundAge(x), roundDuration(x), roundDown(x, [3, 10, 200, 50]), roundAge(x / 10), roundDuration(x / 7))) FROM (SELECT toInt64(number) - 100 AS x FROM numbers(40000));
SELECT sum(cityHash64(toDecimal32(x, 3), toDecimal64(x, 5), toDecimal128(x, 9), toDecimal64(toDecimal64(x, 4), 2), toDecimal64(toDecimal32(x, 1), 6), toInt16(toDecimal64(x, 4)))) FROM (SELECT toInt64(number) - 500 AS x FROM numbers(1000));
SELECT toDecimal32(2147483, 3), toDecimal64(922337203685477580, 1), toDecimal64(toUInt64(9223372036854775807), 0);
SELECT toDecimal32(materialize(2147484), 3); -- { serverError DECIMAL_OVERFLOW }
SELECT toDecimal64(materialize(toUInt64(9223372036854775808)), 0); -- { serverError DECIMAL_OVERFLOW }
SELECT toUInt8(materialize(toDecimal64(256, 2))); -- { serverError DECIMAL_OVERFLOW }
SELECT sum(cityHash64(round(d, 1), round(d, -1), floor(d, 2), ceil(d, 2), trunc(d), roundBankers(d, 2), round(toDecimal128(d, 5), 1)))
FROM (SELECT toDecimal64((toInt64(number) - 5000) / 8, 4) AS d FROM numbers(10000));
SELECT formatReadableQuantity(arrayJoin([0, 0.125, 0.375, 1.005, 999.995, 999.999, 1234.565, -1.5, -0.001, 1e15]));
SELECT formatReadableSize(number * number * 1023) FROM numbers(0, 1000) WHERE number % 199 = 0 ORDER BY number;
SELECT bar(number, 0, 10, 7) FROM numbers(12) ORDER BY number;
SELECT 'dates';
SELECT sum(cityHash64(toStartOfMinute(t), toStartOfFiveMinutes(t), toStartOfHour(t), toStartOfInterval(t, INTERVAL 7 MINUTE), toStartOfInterval(t, INTERVAL 15 SECOND)))
FROM (SELECT toDateTime(toUInt32(cityHash64(number)), 'UTC') AS t FROM numbers(1000));
SELECT sum(cityHash64(addMonths(t, n - 100), addYears(t, n % 7), addQuarters(d, n % 50), addMonths(w, n - 100)))
FROM (SELECT toInt32(number) AS n, toDateTime(toUInt32(cityHash64(number) % 3000000000) + 600000000, 'UTC') AS t, toDate(t) AS d, toDate32(t) AS w FROM numbers(1000));
SELECT dateDiff('second', a, b), dateDiff('minute', a, b), dateDiff('hour', a, b), dateDiff('day', a, b), dateDiff('week', a, b), dateDiff('month', a, b), dateDiff('quarter', a, b), dateDiff('year', a, b)
FROM (SELECT toDateTime('2020-02-29 23:59:59', 'UTC') AS a, arrayJoin([toDateTime('2019-12-31 00:00:00', 'UTC'), toDateTime('2020-03-01 00:00:00', 'UTC'), toDateTime('2033-07-15 12:13:14', 'UTC')]) AS b);
SELECT sum(dateDiff('month', t, toDateTime('2001-02-03 04:05:06', 'Asia/Istanbul'))), sum(dateDiff('day', toDate('2001-02-03'), t)), sum(dateDiff('week', t, toDateTime64('2001-02-03 04:05:06.789', 3, 'UTC')))
FROM (SELECT toDateTime(number * 86399, 'UTC') AS t FROM numbers(1000));
SELECT sum(cityHash64(formatDateTime(t, '%Y-%m-%d %H:%i:%S'), formatDateTime(t, '%F %T|%R %D'), formatDateTime(toDateTime64(t, 6, 'UTC') + toIntervalMicrosecond(number), '%T.%f')))
FROM (SELECT number, toDateTime(number * 86399 * 7, 'UTC') AS t FROM numbers(1000));
SELECT fromModifiedJulianDay(arrayJoin([-678941, -1, 0, 58849, 2973483]));
SELECT toString(toDateTime64('1969-12-31 23:59:59.007', 3, 'UTC')), toString(toDateTime64('2020-01-01 00:00:00.000000001', 9, 'UTC'));
SELECT 'addresses';
SELECT IPv4StringToNumOrNull(arrayJoin(['0.0.0.0', '255.255.255.255', '1.2.3', '1.2.3.4.5', '1.2.3.256', '01.2.3.4', '1..2.3', '1.2.3.4 ', '', '1.2.3.0', '.1.2.3']));
SELECT sum(cityHash64(IPv4NumToString(toUInt32(cityHash64(number))))) FROM numbers(1000);
SELECT toUUIDOrNull(arrayJoin(['61F0c404-5cb3-11e7-907b-a6006ad3dba0', '61f0c404-5cb3-11e7-907b-a6006ad3dbag', '61f0c404-5cb3-11e7-907ba-6006ad3dba0', '']));
SELECT hex(UUIDStringToNum('61f0c404-5cb3-11e7-907b-a6006ad3dba0')), UUIDNumToString(toFixedString('0123456789abcdef', 16));
SELECT 'arrays';
SELECT range(5), range(0), range(2, 7), range(7, 2), range(10, 0, -3), range(1, 10, 4), range(toInt8(-3), toInt8(3)), range(250, 255);
SELECT sum(cityHash64(range(number % 9), range(number % 5, number % 11), range(number % 20, 3, -2))) FROM numbers(1000);
SELECT range(toUInt64(18446744073709551615)); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT range(1, 5, 0); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT range(toInt8(-5)); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT arrayCompact([1, 1, nan, nan, 2, 2.5, 2.5]), arrayCompact(['a', 'a', 'b', 'a']), arrayCompact([NULL, NULL, 1, 1]), arrayCompact([]);
SELECT sum(cityHash64(arrayUniq(a), arrayDistinct(a), arrayIntersect(a, b), hasAny(a, b), hasAll(a, b), hasAll(b, [1])))
FROM (SELECT arrayMap(x -> (x * number) % 7, range(number % 30)) AS a, arrayMap(x -> (x + number) % 20, range(number % 14)) AS b FROM numbers(1000));
SELECT arrayDistinct([NULL, 1, NULL, 1, 2]), arrayUniq([NULL, 1, NULL]), arrayUniq([1, 2, 1], ['a', 'b', 'a']);
SELECT sum(cityHash64(round(L2Distance(a, b), 6), round(cosineDistance(a, b), 6), L1Distance(a, b), LinfDistance(a, b), round(L2Norm(a), 6)))
FROM (SELECT arrayMap(x -> toFloat64(x + number % 5 + 1), range(1 + number % 40)) AS a, arrayMap(x -> toFloat64(x * 2 + 1), range(1 + number % 40)) AS b FROM numbers(200));
SELECT reinterpretAsFixedString(toUInt32(1684234849)), reinterpretAsFloat64(toUInt64(4607182418800017408)), reinterpretAsUInt64('ab'), reinterpretAsInt16(toInt64(-2));
SELECT normalizeUTF8NFC('ordinary ж'), hex(normalizeUTF8NFD('é')), hex(normalizeUTF8NFC(unhex('65CC81'))), normalizeUTF8NFKC('ﬁ'), normalizeUTF8NFKD('plain');
