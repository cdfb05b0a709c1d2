-- Rarer hashes.
SELECT metroHash64('abc'), metroHash64(''), metroHash64(1), metroHash64('a', 'b'), metroHash64(repeat('abcdefgh', 10)), metroHash64(repeat('x', 31)), metroHash64([1, 2]);
SELECT n, metroHash64(substring(repeat('abcdefghijk', 20), 1, n)), farmFingerprint64(substring(repeat('abcdefghijk', 20), 1, n)) FROM (SELECT arrayJoin([1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 80, 96, 97, 128, 129, 200]) AS n) ORDER BY n;
SELECT farmFingerprint64(1), farmFingerprint64(toDate('2020-01-01'));
SELECT hex(murmurHash3_128('abc')), hex(murmurHash3_128('')), toTypeName(murmurHash3_128('abc')), xxh3_128('abc'), toTypeName(xxh3_128('abc'));
SELECT javaHashUTF16LE('t\0e\0s\0t\0'), javaHashUTF16LE(''), toTypeName(javaHashUTF16LE(''));
SELECT javaHashUTF16LE('abc'); -- { serverError BAD_ARGUMENTS }
SELECT URLHash('a'), URLHash('http://a.b/c/'), URLHash('http://a.b/c'), URLHash('http://a.b/c?'), URLHash('http://a.b/c#'), URLHash('');
SELECT number, URLHash('http://a.b/c/d/?x=1', number), URLHash('x/y/z', number) FROM numbers(5) ORDER BY number;
SELECT jumpConsistentHash(256, 3), jumpConsistentHash(18446744073709551615, 1024), jumpConsistentHash(-5, 7), toTypeName(jumpConsistentHash(1, 2)), arrayMap(x -> jumpConsistentHash(x, 10), range(10));
SELECT jumpConsistentHash(1, 0); -- { serverError BAD_ARGUMENTS }
SELECT jumpConsistentHash(1, materialize(3)); -- { serverError ILLEGAL_COLUMN }
SELECT jumpConsistentHash('a', 3); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
