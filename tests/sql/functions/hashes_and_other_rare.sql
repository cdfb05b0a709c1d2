-- { echoOn }
SELECT cityHash64('hello'), cityHash64(''), cityHash64(1), cityHash64('a', 1), sipHash64('hello'), sipHash64(''), xxHash64('hello'), xxHash32('hello');
SELECT murmurHash2_32('hello'), murmurHash2_64('hello'), murmurHash3_32('hello'), murmurHash3_64('hello'), farmHash64('hello'), javaHash('hello'), intHash32(1), intHash64(1);
SELECT hex(MD5('hello')), hex(SHA1('hello')), hex(SHA256('hello')), lower(hex(sipHash128('hello'))), CRC32('hello'), halfMD5('hello');
SELECT version() LIKE '26.%', currentDatabase(), length(hostName()) > 0, rand() >= 0, sleep(0), uptime() >= 0;
SELECT throwIf(0), bar(5, 0, 10, 10), formatReadableSize(1536), formatReadableQuantity(1234567), formatReadableDecimalSize(1500);
SELECT throwIf(1, 'custom message'); -- { serverError FUNCTION_THROW_IF_VALUE_IS_NON_ZERO }
SELECT toTypeName(rand()), toTypeName(cityHash64('a')), rowNumberInAllBlocks() FROM numbers(1);
SELECT bitmaskToArray(5), toUInt64(bitPositionsToArray(5)[2]), bitHammingDistance(1, 3), bitRotateLeft(toUInt8(129), 1), byteSwap(toUInt16(258));
