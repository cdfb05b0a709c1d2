-- Base64 of all lengths, in both alphabets, and back.
SELECT number, base64Encode(s), base64URLEncode(s), base64Decode(base64Encode(s)) = s, base64URLDecode(base64URLEncode(s)) = s
FROM (SELECT number, substring(repeat(unhex('00FBFF3E7A61'), 20), 1, number) AS s FROM numbers(70)) ORDER BY number SETTINGS max_block_size = 7;
SELECT base64Encode('constant'), base64Encode(toFixedString('ab', 4)), base64Encode(''), base64URLEncode('a');
-- Percent-encoding.
SELECT encodeURLComponent(s), encodeURLFormComponent(s), decodeURLComponent(encodeURLComponent(s)) = s, decodeURLFormComponent(encodeURLFormComponent(s)) = s
FROM (SELECT arrayJoin(['', 'plain', 'a b+c%d', 'жук', '\0\x7F\xFF', '-_.~/?&=', repeat('ж ', 30)]) AS s) ORDER BY s;
SELECT decodeURLComponent('%4'), decodeURLComponent('%zz%41+'), decodeURLFormComponent('a+b%2B%');
-- Parameters of URLs.
SELECT u, extractURLParameter(u, 'a'), extractURLParameter(u, 'b'), extractURLParameter(u, ''), extractURLParameters(u), extractURLParameterNames(u), cutURLParameter(u, 'a')
FROM (SELECT arrayJoin(['', '?', 'http://x/?a=1', 'http://x/?a=1&b=2', 'http://x/#a=1?b=3', 'http://x/?b=&a', '?a=1#a=2', 'a=5', '?aa=1&a=2&', '?a']) AS u) ORDER BY u;
-- Checksums.
SELECT number, CRC32(s), CRC32IEEE(s), CRC64(s) FROM (SELECT number, substring('The quick brown fox jumps over the lazy dog', 1, number) AS s FROM numbers(44)) ORDER BY number SETTINGS max_block_size = 7;
SELECT CRC32(unhex('FFFFFFFFFFFFFFFFFF')), CRC64(unhex('FFFFFFFFFFFFFFFFFF')), CRC32IEEE(unhex('00000000000000000000'));
-- Addresses.
SELECT s, isIPv4String(s), IPv4StringToNumOrDefault(s), isIPv6String(s), hex(IPv6StringToNumOrDefault(s))
FROM (SELECT arrayJoin(['', '0.0.0.0', '255.255.255.255', '1.2.3.4', '10.20.30.40', '100.200.100.200', '256.1.1.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1..2.3', '.1.2.3', '1.2.3.', '1.2.3.4 ', 'a.b.c.d', '1234.1.1.1', '1.2.3.\xB1', '99.99.99.999', '12.34.56.7/', '1.1.1.1\0', '00.0.0.0', '1.2.3.45678901',
    '::', '::1', '1::', '2001:db8::ff00:42:8329', '2001:0DB8:0000:0000:0000:FF00:0042:8329', '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7', '12345::', 'g::', '1:2:3:4:5:6:7:8:9', ':::', '1::2::3', '1:2:3:4:5:6:1.2.3.4']) AS s) ORDER BY s;
SELECT isIPAddressInRange('10.1.2.3', '10.0.0.0/8'), isIPAddressInRange('192.168.1.1', '10.0.0.0/8'), toString(toIPv6('FE80::a1'));
-- UUIDs.
SELECT toString(toUUID('0123abcd-4567-89ef-FEDC-ba9876543210')), UUIDNumToString(UUIDStringToNum('ffffffff-0000-9999-aaaa-0f1e2d3c4b5a')), toString(toUUID('00000000-0000-0000-0000-000000000000'));
-- n-grams.
SELECT ngramDistance('abcdefg', 'abcdefh'), ngramDistance('', ''), ngramSearch('hello world', 'low'), ngramDistanceUTF8('жуки', 'жука'), ngramDistanceCaseInsensitive('ABCDEF', 'abcdeg');
-- Steps.
SELECT x, roundDuration(x), roundAge(x), roundDuration(-x), roundDuration(toUInt64(x)), roundAge(toInt8(x % 100))
FROM (SELECT arrayJoin([0., 0.5, 1., 9.99, 10., 17., 18., 29., 30., 54., 55., 59., 60., 119., 120., 299., 300., 3599., 3600., 17999., 18000., 36000., 65535., 65536., 1e9]) AS x) ORDER BY x SETTINGS max_block_size = 7;
SELECT roundDuration(nan), roundDuration(inf), roundDuration(-inf), roundAge(nan), roundAge(18446744073709551615);
-- Floats as decimals.
SELECT toDecimal32(x, 2), toDecimal64(x, 4), toDecimal128(x, 6), toDecimal64(toFloat32(x), 2) FROM (SELECT arrayJoin([0., -0.5, 1.999, -1.999, 12345.678, -99999.99]) AS x) ORDER BY x SETTINGS max_block_size = 1;
SELECT toDecimal64OrNull(toString(1e30), 2), toDecimal128(materialize(1e20), 2), toDecimal32(materialize(21474836.), 2);
SELECT toDecimal64(materialize(1e18), 2); -- { serverError DECIMAL_OVERFLOW }
SELECT toDecimal32(materialize(nan), 2); -- { serverError DECIMAL_OVERFLOW }
-- Intervals of hours and days in zones of all kinds.
SELECT t, toStartOfInterval(t, INTERVAL 3 HOUR), toStartOfInterval(t, INTERVAL 5 HOUR), toStartOfInterval(t, INTERVAL 25 HOUR), toStartOfInterval(t, INTERVAL 1 DAY), toStartOfInterval(t, INTERVAL 3 DAY),
    toStartOfInterval(toTimeZone(t, 'Asia/Tokyo'), INTERVAL 3 HOUR), toStartOfInterval(toTimeZone(t, 'Asia/Tokyo'), INTERVAL 1 DAY), toStartOfInterval(toTimeZone(t, 'Europe/Berlin'), INTERVAL 4 HOUR), toStartOfInterval(toTimeZone(t, 'Europe/Berlin'), INTERVAL 1 DAY),
    toStartOfInterval(toTimeZone(t, 'Etc/GMT+5'), INTERVAL 7 HOUR), toStartOfInterval(toTimeZone(t, 'Etc/GMT+5'), INTERVAL 1 DAY)
FROM (SELECT toDateTime(arrayJoin([200000, 217999, 218000, 220000, 259199, 259200, 259201, 1585443600, 1585530000, 1600000000, 1603587600, 4294967295]), 'UTC') AS t) ORDER BY t SETTINGS max_block_size = 7;
SELECT toStartOfInterval(toDate('2020-05-05'), INTERVAL 1 DAY), toStartOfInterval(toDateTime64('1969-12-31 23:00:00', 3, 'Etc/GMT+5'), INTERVAL 1 DAY), toStartOfInterval(toDate32('1960-01-01'), INTERVAL 1 DAY);
-- Dates and times of day that are written in one go.
SELECT formatDateTime(t, '%Y-%m-%d %H:%i:%s'), formatDateTime(t, '%Y-%m-%d'), formatDateTime(t, '%Y-%m-%dT%k:%i:%SZ'), formatDateTime(t, '%Y-%c-%d%H:%i:%S'), formatDateTime(t, '%Y/%m/%d'), formatDateTime(t, '%Y--%m-%d'), formatDateTime(t, '%H:%i'), formatDateTime(t, 'x%Y-%m-%d-%H')
FROM (SELECT toDateTime(number * 123456789, 'UTC') AS t FROM numbers(20)) ORDER BY t SETTINGS max_block_size = 7;
SELECT formatDateTime(toDateTime64('2021-02-03 04:05:06.789', 3, 'UTC'), '%Y-%m-%d %H:%i:%S.%f'), formatDateTime(toDate('2021-02-03'), '%Y-%m-%d %H:%i:%S');
SELECT unhex('4'), unhex('414'), unhex('41zz'), unbin('01000001'), unbin('1'), unbin('0000000001000001'), unbin('101000001');
