-- { echoOn }
SELECT cityHash64('hello'), cityHash64(''), cityHash64(1), cityHash64('a', 1), sipHash64('hello'), sipHash64(''), xxHash64('hello'), xxHash32('hello');
SELECT murmurHash2_32('hello'), murmurHash2_64('hello'), murmurHash3_32('hello'), murmurHash3_64('hello'), farmHash64('hello'), javaHash('hello'), intHash32(1), intHash64(1);
SELECT hex(MD5('hello')), hex(SHA1('hello')), hex(SHA256('hello')), lower(hex(sipHash128('hello'))), CRC32('hello'), halfMD5('hello');
SELECT cityHash64(toUInt8(5)) = cityHash64(toUInt64(5)), cityHash64(toString(number)) % 10 FROM numbers(5) ORDER BY number;
SELECT toTypeName(1), materialize(1), toTypeName(materialize('a')), ignore(1, 2), identity(5), isConstant(1), isConstant(materialize(1));
SELECT version() LIKE '26.%', currentDatabase(), length(hostName()) > 0, rand() >= 0, sleep(0), uptime() >= 0;
SELECT throwIf(0), bar(5, 0, 10, 10), formatReadableSize(1536), formatReadableQuantity(1234567), formatReadableDecimalSize(1500);
SELECT throwIf(1, 'custom message'); -- { serverError FUNCTION_THROW_IF_VALUE_IS_NON_ZERO }
SELECT toTypeName(rand()), toTypeName(cityHash64('a')), rowNumberInAllBlocks() FROM numbers(1);
SELECT bitmaskToArray(5), toUInt64(bitPositionsToArray(5)[2]), bitHammingDistance(1, 3), bitRotateLeft(toUInt8(129), 1), byteSwap(toUInt16(258));
SELECT IPv4NumToString(toUInt32(3232235777)), IPv4StringToNum('192.168.1.1'), IPv4NumToStringClassC(3232235777), IPv4StringToNum('bad'); -- { serverError CANNOT_PARSE_IPV4 }
SELECT number, cityHash64(number), intHash64(number) FROM numbers(3) ORDER BY number;
SELECT sum(cityHash64(number) % 1000), sum(intHash32(number) % 1000), sum(sipHash64(number) % 1000) FROM numbers(10000);
SELECT dictGet('d', 'a', 1); -- { serverError BAD_ARGUMENTS }
SELECT noSuchFunction(1); -- { serverError UNKNOWN_FUNCTION }
SELECT LENGTH('abc'), Length('abc');
SELECT COUNT(), SUM(number), Max(number) FROM numbers(3);
