-- IPv4 and IPv6 as types: text in and out, casts, comparison, keys, storage.
SELECT toIPv4('192.168.0.1') AS a, toTypeName(a), toIPv6('2001:DB8:0:0::0001') AS b, toTypeName(b);
SELECT toIPv6('10.0.0.1'), toIPv4(toIPv6('::ffff:10.0.0.1')), toIPv4(3232235521), toIPv4(toUInt8(7)), toIPv6(toUInt128(255));
SELECT toIPv4('1.2.3'); -- { serverError CANNOT_PARSE_IPV4 }
SELECT toIPv6('1:2'); -- { serverError CANNOT_PARSE_IPV6 }
SELECT toIPv4('1.2.3.4x'); -- { serverError CANNOT_PARSE_TEXT }
SELECT toIPv4(toIPv6('::1')); -- { serverError CANNOT_CONVERT_TYPE }
SELECT toIPv4(-1); -- { serverError NOT_IMPLEMENTED }
SELECT toUInt64(toIPv6('::1')); -- { serverError NOT_IMPLEMENTED }
SELECT toIPv4OrNull('x'), toIPv4OrZero('x'), toIPv4OrDefault('x', toIPv4('9.9.9.9')), toIPv6OrNull('x'), toIPv6OrZero('x'), toIPv6OrDefault('x');
SELECT CAST(toIPv6('::1') AS Nullable(IPv4)), toIPv4(toNullable('x')), toIPv6(CAST(NULL AS Nullable(String))), toTypeName(toIPv4(NULL)), CAST('x' AS Nullable(IPv6));
SELECT CAST('1.1.1.1' AS INET4), CAST('::' AS INET6), '8.8.8.8'::IPv4, CAST(toIPv4('1.2.3.4') AS UInt32), CAST(toIPv6('::1') AS String);
SELECT toIPv6(CAST(unhex('20010DB8000000000000000000000001') AS FixedString(16))), toIPv6(toFixedString('::7', 5));
SELECT toIPv4('1.2.3.4') = '1.2.3.4', toIPv4('1.2.3.4') < toIPv4('1.2.3.5'), toIPv4('1.2.3.4') = 16909060, toIPv6('::1') > '::', toIPv4('1.2.3.4') = toIPv6('1.2.3.4');
SELECT toIPv4('1.2.3.4') = 'x'; -- { serverError CANNOT_PARSE_IPV4 }
SELECT toIPv4('1.2.3.4') = materialize('1.2.3.4'); -- { serverError NO_COMMON_TYPE }
SELECT toIPv6('::1') = toUInt128(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toIPv4('1.2.3.4') IN ('1.2.3.4', '1.1.1.1'), toIPv6('::1') NOT IN ('::1'), toIPv4('1.2.3.4') BETWEEN '1.2.3.0' AND '1.2.3.255';
SELECT toIPv4('1.2.3.4') + 1, toIPv4('1.2.3.4') % 256, intDiv(toIPv4('1.2.3.4'), 256);
SELECT hex(toIPv4('1.2.3.4')), hex(toIPv6('::ff')), bin(toIPv4('0.0.1.0')), empty(toIPv4('0.0.0.0')), notEmpty(toIPv6('::1'));
SELECT length(toIPv4('1.2.3.4')); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toTypeName([toIPv4('1.2.3.4'), toIPv6('::1')]), toTypeName([toIPv4('1.2.3.4'), toUInt8(1)]), greatest(toIPv4('1.2.3.4'), toIPv4('1.2.3.40'));
SELECT map('a', toIPv4('1.2.3.4')), tuple(toIPv6('::1')), [toIPv4('1.2.3.4')], toString([toIPv6('::1')]), defaultValueOfTypeName('IPv4'), defaultValueOfTypeName('IPv6');
SELECT cityHash64(toIPv4('1.2.3.4')), cityHash64(toIPv6('::1')), sipHash64(toIPv4('1.2.3.4')), sipHash64(toIPv6('::1')), xxHash64(toIPv6('::1'));
SELECT arraySort([toIPv4('100.0.0.1'), toIPv4('20.0.0.1'), toIPv4('3.0.0.1')]), has([toIPv6('::2')], toIPv6('::2')), indexOf([toIPv4('2.1.1.1')], toIPv4('2.1.1.1'));
SET allow_suspicious_low_cardinality_types = 1;
CREATE TABLE visits (a IPv4, b IPv6, c Nullable(IPv4), d LowCardinality(IPv6), n UInt8) ENGINE = Memory;
INSERT INTO visits VALUES ('10.0.0.1', '::1', NULL, '::2', 1), ('9.255.0.3', 'fe80::a', '1.1.1.1', '1.2.3.4', 2), ('10.0.0.1', '1.2.3.4', '2.2.2.2', '::2', 3);
INSERT INTO visits FORMAT JSONEachRow {"a":"127.0.0.1","b":"ff::ff","c":null,"d":"::","n":4}
INSERT INTO visits VALUES ('128.0.0.1', '8000::1', NULL, '::5', 5);
INSERT INTO visits SELECT toIPv4(number), toIPv4(number), toIPv4(number), toIPv6(toUInt128(number)), 6 FROM numbers(1);
INSERT INTO visits VALUES ('x', '::', NULL, '::', 7); -- { serverError CANNOT_PARSE_IPV4 }
SELECT * FROM visits ORDER BY a, b;
SELECT a, count(), max(b), min(c), uniq(d), uniqExact(b), groupArray(n) FROM (SELECT * FROM visits ORDER BY n) GROUP BY a ORDER BY a DESC;
SELECT n FROM visits WHERE a = '10.0.0.1' ORDER BY n;
SELECT n FROM visits WHERE a > '10.0.0.0' AND b IN ('::1', '8000::1') ORDER BY n;
SELECT d, argMax(a, n), any(b), anyLast(c) FROM (SELECT * FROM visits ORDER BY n) GROUP BY d ORDER BY d;
SELECT l.n, r.n FROM visits AS l JOIN visits AS r ON l.a = r.a AND l.n < r.n ORDER BY l.n;
SELECT DISTINCT a FROM visits ORDER BY a;
SELECT a, b, c, d FROM visits ORDER BY n LIMIT 2 FORMAT CSV;
SELECT a, b, c, [d] AS e, map('k', a) AS f FROM visits ORDER BY n LIMIT 2 FORMAT JSONEachRow;
SELECT a, b, c FROM visits ORDER BY n LIMIT 2 FORMAT Values;
SELECT a, b FROM visits ORDER BY n LIMIT 2 FORMAT Pretty;
CREATE TABLE hosts (net IPv4, host IPv6, v UInt32, INDEX i host TYPE bloom_filter GRANULARITY 1) ENGINE = MergeTree PARTITION BY bitAnd(toUInt32(net), 1) ORDER BY (net, host);
INSERT INTO hosts SELECT toIPv4(number), toIPv6(toUInt128(number * number)), number FROM numbers(1000);
SELECT count(), sum(v) FROM hosts WHERE net BETWEEN '0.0.0.10' AND '0.0.0.19';
SELECT v FROM hosts WHERE host = '::10' ORDER BY v;
SELECT v FROM hosts WHERE net = '0.0.3.231';
ALTER TABLE hosts MODIFY COLUMN v IPv4;
SELECT v FROM hosts ORDER BY net DESC LIMIT 2;
SELECT net, host FROM hosts ORDER BY net, host LIMIT 998, 5;
