-- LowCardinality and FixedString in the results of conditional functions.
SELECT toTypeName(coalesce(NULL, toLowCardinality('a'))), toTypeName(ifNull(NULL, materialize(toLowCardinality('a')))), toTypeName(coalesce(materialize(toLowCardinality(toNullable('a'))), 'b')), toTypeName(coalesce(materialize(toLowCardinality(toNullable('a'))), materialize('b')));
SELECT toTypeName(greatest(toLowCardinality('a'), 'b')), toTypeName(greatest(materialize(toLowCardinality('a')), 'b')), toTypeName(greatest(materialize(toLowCardinality('a')), materialize('b'))), toTypeName(least(materialize(toLowCardinality(1)), 2));
SELECT toTypeName(nullIf(toLowCardinality('a'), 'b')), toTypeName(nullIf(toFixedString('a', 2), 'b')), toTypeName(coalesce(toNullable(toFixedString('a', 2)), toFixedString('b', 2))), toTypeName(if(materialize(1), toLowCardinality('a'), 'b'));
SELECT length(if(number = 0, toFixedString('a', 3), 'b')), length(multiIf(number = 0, materialize(toFixedString('a', 3)), materialize('b'))), length(coalesce(if(number = 0, toFixedString('a', 3), NULL), 'b')), length(ifNull(toNullable(toFixedString('a', 3)), 'b')) FROM numbers(2) ORDER BY number;
SELECT length(greatest(toFixedString('a', 3), '')), arrayMap(x -> length(x), [toFixedString('a', 3), 'b']), length(CAST(toFixedString('a', 3) AS String));
SELECT toTypeName(toLowCardinality(1) IN (1, 2)), toTypeName(materialize(toLowCardinality('a')) NOT IN ('a')), toTypeName(toLowCardinality(toNullable('a')) IN ('a')), toTypeName(materialize(toLowCardinality('a')) IN (SELECT 'a')), toTypeName('a' IN ('a'));
SELECT count() FROM (SELECT toLowCardinality(toString(number)) AS s FROM numbers(5)) WHERE s IN ('1', '3') AND NOT s IN ('3');
SELECT accurateCastOrDefault('x', 'Nullable(Float64)'), accurateCastOrDefault('x', 'Nullable(Float64)', toNullable(5.)), accurateCastOrDefault(toNullable(-1), 'Nullable(UInt8)');
SELECT accurateCastOrDefault(if(number = 1, NULL, '5'), 'Nullable(UInt8)'), accurateCastOrDefault(if(number = 1, NULL, '5'), 'UInt8') FROM numbers(3) ORDER BY number;
-- Higher-order functions without their lambda.
SELECT arrayFirstIndex([1, 2]); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT arrayLastIndex([0, 1]); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT arraySort([2, 1], [1, 2]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT arrayMap([1, 2]); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT arrayMap(1, [1, 2]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT arrayFold(1, [1, 2], 1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT arrayCount([1, 2]), arrayExists([0, 0]), arrayAll([0, 1]), arraySort([2, 1]);
-- Hashes of NULL inside of something.
SELECT cityHash64([1, NULL]), cityHash64((1, NULL)), cityHash64(tuple(NULL)), sipHash64([1, NULL, 2]), halfMD5([1, NULL]), xxHash64(['a', NULL]), murmurHash3_64([1, NULL]), farmHash64([NULL, 'a']), xxHash32([1, NULL]), murmurHash2_32([NULL]), cityHash64([[1], [NULL]]), cityHash64(map('a', NULL)), cityHash64(NULL);
SELECT kafkaMurmurHash('abc'), kafkaMurmurHash(''), kafkaMurmurHash('a'), kafkaMurmurHash(1), kafkaMurmurHash('a', 'b'), kafkaMurmurHash('a', 1), kafkaMurmurHash([1, 2]), kafkaMurmurHash(NULL);
-- JSON values that do not fit the wanted type.
SELECT JSONExtract('{"a":"abc"}', 'a', 'FixedString(2)'), JSONExtract('{"a":1}', 'a', 'FixedString(3)'), JSONExtract('{"a":[1]}', 'a', 'FixedString(3)'), JSONExtract('{"a":12345}', 'a', 'Nullable(FixedString(3))'), JSONExtract('{"a":null}', 'a', 'FixedString(3)');
SELECT JSONExtract('{"a":-1}', 'a', 'UInt8'), JSONExtract('{"a":300}', 'a', 'Nullable(UInt8)'), JSONExtract('{"a":1.5}', 'a', 'UInt8'), JSONExtract('{"a":"z"}', 'a', 'Nullable(Enum8(\'x\' = 1))'), JSONExtract('{"a":"z"}', 'a', 'Enum8(\'x\' = 0, \'y\' = 2)'), JSONExtract('{"a":2}', 'a', 'Enum8(\'x\' = 0, \'y\' = 2)');
SELECT JSONExtract('{"a":"z"}', 'a', 'Enum8(\'x\' = 1)'); -- { serverError UNKNOWN_ELEMENT_OF_ENUM }
SELECT JSONExtract('{"a":["x","z"]}', 'a', 'Array(Enum8(\'x\' = 1))'); -- { serverError UNKNOWN_ELEMENT_OF_ENUM }
