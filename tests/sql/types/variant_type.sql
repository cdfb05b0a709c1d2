-- { echoOn }
SELECT toTypeName('42'::Variant(UInt64, String, UInt64));
SELECT toTypeName(CAST(NULL, 'Variant(Array(UInt64), Tuple(a UInt8, b Map(String, UInt8)), LowCardinality(String))'));
SELECT CAST(1, 'Variant(UInt64, Nullable(String))'); -- { serverError BAD_ARGUMENTS }
SELECT CAST(1, 'Variant(UInt64, LowCardinality(Nullable(String)))'); -- { serverError BAD_ARGUMENTS }
SELECT CAST(1, 'Variant(UInt64, Variant(String))'); -- { serverError BAD_ARGUMENTS }
SELECT CAST(1, 'Variant()'); -- { serverError BAD_ARGUMENTS }
SELECT CAST(1, 'Nullable(Variant(UInt64))'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT CAST(1, 'LowCardinality(Variant(UInt64, String))'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT defaultValueOfTypeName('Variant(UInt8, String)');
-- alternatives with a common type
CREATE TABLE s (v Variant(UInt8, Int8)) ENGINE = Memory; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE s (v Array(Variant(UInt8, UInt16))) ENGINE = Memory; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE s (v Variant(Date, DateTime)) ENGINE = Memory; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE s (v Variant(String, FixedString(3))) ENGINE = Memory; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE s (v Variant(String, LowCardinality(String))) ENGINE = Memory; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE s (v Variant(Array(UInt8), Array(UInt16))) ENGINE = Memory; -- { serverError ILLEGAL_COLUMN }
CREATE TABLE s (v Variant(UInt8, Bool)) ENGINE = Memory;
CREATE TABLE s64 (v Variant(UInt64, Float64, Int64)) ENGINE = Memory;
SELECT CAST('1', 'Variant(UInt8, UInt16)'); -- { serverError ILLEGAL_COLUMN }
SELECT variantType(CAST('300', 'Variant(UInt8, UInt16)')) SETTINGS allow_suspicious_variant_types = 1;
-- common types
SELECT toTypeName(if(number % 2, 1, 'a')) FROM numbers(1);
SELECT if(number % 2, number, -number) AS x, toTypeName(x) FROM numbers(4) ORDER BY number;
SELECT toTypeName(multiIf(number = 0, 1, number = 1, 'a', [1])) FROM numbers(1);
SELECT toTypeName(if(number = 0, [1], ['a'])) FROM numbers(1);
SELECT toTypeName(if(number = 0, toNullable(1), 'a')) FROM numbers(1);
SELECT toTypeName(if(number = 0, (1, 'a'), ('b', 2))) FROM numbers(1);
SELECT array(1, 'a', 300, NULL) AS x, toTypeName(x);
SELECT toTypeName(array(array(1), array('a')));
SELECT map('a', 1, 'b', 'c') AS x, toTypeName(x);
SELECT toTypeName(map(1, 'a', 'b', 2));
SELECT x, toTypeName(x) FROM (SELECT 1 AS x UNION ALL SELECT 'a' AS x UNION ALL SELECT [1] AS x) ORDER BY toString(x);
SELECT coalesce(materialize(toNullable(1)), 'a') AS x, toTypeName(x);
SELECT ifNull(materialize(NULL::Nullable(UInt8)), 'a') AS x, toTypeName(x);
SELECT toTypeName(CASE WHEN number = 1 THEN 'a' ELSE 5 END) FROM numbers(1);
SELECT arrayMap(x -> if(x = 1, 'a', x), [1, 2]);
SELECT if(number = 0, 1, 'a') FROM numbers(2) SETTINGS use_variant_as_common_type = 0; -- { serverError NO_COMMON_TYPE }
SELECT toTypeName(least(1, 'a')); -- { serverError NO_COMMON_TYPE }
SELECT arrayPushBack([1], 'a'); -- { serverError NO_COMMON_TYPE }
-- branches keep their types, whatever their text spells
SELECT variantType(if(number = 0, 1, '5')) FROM numbers(2) ORDER BY number;
SELECT arrayMap(x -> variantType(x), array(1, '5', materialize('6')));
-- to a Variant
SELECT CAST(5::UInt64, 'Variant(UInt64, String)') AS v, variantType(v);
SELECT CAST(5::UInt8, 'Variant(UInt64, String)'); -- { serverError CANNOT_CONVERT_TYPE }
SELECT CAST([1, 2], 'Variant(UInt64, Array(UInt64))'); -- { serverError CANNOT_CONVERT_TYPE }
SELECT CAST(NULL, 'Variant(UInt64, String)') AS v, variantType(v);
SELECT CAST(arrayJoin([toNullable(5::UInt64), NULL]), 'Variant(UInt64, String)') AS v, variantType(v);
SELECT CAST(s, 'Variant(Array(UInt64), Date, String, UInt64)') AS v, variantType(v) FROM (SELECT arrayJoin(['42', 'abc', '[1,2]', '\\N', 'NULL', '2020-01-01', '-5', '1.5', '', '[1,x]', '42abc', 'null', ' 42']) AS s);
SELECT CAST('42', 'Variant(UInt64, String)') AS v, variantType(v) SETTINGS cast_string_to_variant_use_inference = 0;
SELECT CAST('foo', 'Variant(UInt64, Date)'); -- { serverError INCORRECT_DATA }
SELECT CAST('true', 'Variant(Bool, String)') AS v, variantType(v);
SELECT CAST(toFixedString('42', 2), 'Variant(UInt64, String)') AS v, variantType(v);
SELECT CAST(materialize(toNullable('42')), 'Variant(UInt64, Date)') AS v, variantType(v);
-- between Variants
SELECT CAST(materialize('42')::Variant(UInt64, String), 'Variant(UInt64, String, Date)') AS v, variantType(v);
SELECT CAST('a'::Variant(UInt64, String), 'Variant(UInt64, Date)'); -- { serverError CANNOT_CONVERT_TYPE }
SELECT [CAST('42', 'Variant(UInt64, String)')]::Array(Variant(UInt64, String, Date)) AS x, toTypeName(x);
SELECT [1, 2, 3]::Array(Variant(UInt8, String)) AS x, x[1], toTypeName(x[1]);
-- from a Variant
SELECT v::String, toString(v), v::Nullable(String) FROM (SELECT arrayJoin(['42', 'abc', NULL, '[1,2]'])::Variant(UInt64, String, Array(UInt64)) AS v);
SELECT toUInt64(v), v::Nullable(UInt64), accurateCastOrNull(v, 'UInt8') FROM (SELECT arrayJoin(['42', '43', NULL, '300'])::Variant(UInt64, Date) AS v);
SELECT CAST('a'::Variant(UInt64, String), 'UInt64'); -- { serverError CANNOT_PARSE_TEXT }
SELECT CAST('42'::Variant(UInt64, Array(UInt64)), 'Date32'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT [CAST('42', 'Variant(UInt64, String)')]::Array(String);
