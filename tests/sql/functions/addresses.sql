-- Addresses as numbers, bytes and text.
SELECT IPv4StringToNum('1.2.3.4') AS a, toTypeName(a), IPv4NumToString(a), IPv4NumToStringClassC(a), INET_NTOA(1), INET_ATON('0.0.0.9');
SELECT x, IPv4StringToNumOrNull(x), IPv4StringToNumOrDefault(x), isIPv4String(x), toIPv4OrNull(x) FROM (SELECT arrayJoin(['1.2.3.4', '01.2.3.4', '1.2.3.0004', '1.2.3', '1.2.3.4.5', '256.0.0.1', '255.255.255.255', '', ' 1.2.3.4', '1..3.4']) AS x);
SELECT x, hex(IPv6StringToNumOrNull(x)), isIPv6String(x), toIPv6OrNull(x) FROM (SELECT arrayJoin(['::', '::1', '1::', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:1.2.3.4', 'ABCD:EF01::', '1.2.3.4', '01.2.3.4', '::1.2.3.4', '::ffff:1.2.3.4', '::01.2.3.4', '1:::2', '::1:2:3:4:5:6:7:8', ':', ':::', '1::2::3', '1:2:3:4:5:6:7', '12345::', 'g::', '::1 ', '::1.2.3.456', '1:2:3:4:5:6:7:1.2.3.4', '1::2:', '1:2:3:4:5:6:7:8::', '']) AS x);
SELECT IPv6NumToString(CAST(unhex(x) AS FixedString(16))) FROM (SELECT arrayJoin(['00000000000000000000000000000000', '00010000000000000001000000000000', '00010000000100000001000000010001', '00000000000000000000FFFF01020304', '00000000000000000000000001020304', '0000000000000000000000000000FFFF', '0000000000000000FFFF000001020304', '00000000000000010000000000000002']) AS x);
SELECT IPv4StringToNum('x'); -- { serverError CANNOT_PARSE_IPV4 }
SELECT IPv6StringToNum('x'); -- { serverError CANNOT_PARSE_IPV6 }
SELECT IPv4NumToString(toUInt64(1)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT IPv6NumToString('abc'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toTypeName(IPv4StringToNum(toNullable('1.2.3.4'))), toTypeName(IPv4StringToNum(toLowCardinality('1.2.3.4'))), IPv4StringToNum(CAST(NULL AS Nullable(String))), toTypeName(IPv6StringToNumOrNull('::')), hex(IPv6StringToNumOrDefault('x'));
SELECT hex(IPv4ToIPv6(toUInt32(16909060))), IPv4ToIPv6(toIPv4('1.2.3.4')), toTypeName(IPv4ToIPv6(toIPv4('1.2.3.4')));
SELECT cutIPv6(IPv6StringToNum('2001:db8:1:2:3:4:5:6'), 2, 1), cutIPv6(toIPv6('::ffff:1.2.3.4'), 2, 1), cutIPv6(toIPv6('2001:db8::1'), 16, 0);
SELECT cutIPv6(toIPv6('::1'), 17, 1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT cutIPv6(toIPv6('::1'), materialize(1), 1); -- { serverError ILLEGAL_COLUMN }
SELECT isIPAddressInRange('10.1.2.3', '10.0.0.0/8'), isIPAddressInRange('::ffff:10.1.2.3', '10.0.0.0/8'), isIPAddressInRange('2001:db8::1', '2001:db8::/32'), isIPAddressInRange(toIPv4('1.2.3.4'), '0.0.0.0/0'), isIPAddressInRange(CAST(NULL AS Nullable(String)), '::/0');
SELECT x, isIPAddressInRange(x, '192.168.4.0/22') FROM (SELECT arrayJoin(['192.168.3.255', '192.168.4.0', '192.168.7.255', '192.168.8.0', '::']) AS x);
SELECT isIPAddressInRange('x', '1.0.0.0/8'); -- { serverError CANNOT_PARSE_TEXT }
SELECT isIPAddressInRange('1.1.1.1', '1.0.0.0'); -- { serverError CANNOT_PARSE_TEXT }
SELECT isIPAddressInRange('1.1.1.1', '1.0.0.0/33'); -- { serverError CANNOT_PARSE_TEXT }
SELECT IPv4CIDRToRange(toIPv4('192.168.5.2'), 16), IPv4CIDRToRange(toUInt32(1), 0), IPv4CIDRToRange(toIPv4('192.168.5.2'), 32), toTypeName(IPv4CIDRToRange(toIPv4('1.2.3.4'), 8));
SELECT IPv6CIDRToRange(toIPv6('2001:db8::5'), 32), IPv6CIDRToRange(IPv6StringToNum('::1'), 127), IPv6CIDRToRange(toIPv6('::5'), 0);
SELECT MACNumToString(149809441867716), MACStringToNum('88:00:11:73:F2:C4'), MACStringToNum('88-00-11-73-f2-c4'), MACStringToNum('88:00'), MACStringToOUI('88:00:11:73:F2:C4'), MACStringToOUI('88:00:11'), MACStringToOUI('88:00');
SELECT MACNumToString(toUInt32(1)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
CREATE TABLE prefixes (prefix String, asn UInt32) ENGINE = Memory;
INSERT INTO prefixes VALUES ('10.0.0.0/8', 1), ('10.1.0.0/16', 2), ('2001:db8::/32', 3);
CREATE DICTIONARY routes (prefix String, asn UInt32 DEFAULT 0) PRIMARY KEY prefix SOURCE(CLICKHOUSE(TABLE 'prefixes')) LAYOUT(IP_TRIE) LIFETIME(0);
SELECT dictGet('routes', 'asn', toIPv4('10.1.2.3')), dictGet('routes', 'asn', tuple(toIPv4('10.2.2.3'))), dictGet('routes', 'asn', toIPv6('2001:db8::9')), dictGet('routes', 'asn', IPv4StringToNum('11.0.0.1'));
