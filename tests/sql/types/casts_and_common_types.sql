-- { echoOn }
SELECT toTypeName(if(1, toUInt8(1), toInt8(1))), toTypeName(if(1, toUInt32(1), toInt8(1))), toTypeName(if(1, 1, 1.5));
SELECT toTypeName(if(1, 'a', NULL)), toTypeName(if(1, NULL, 2)), toTypeName(if(1, [1], [256])), toTypeName(if(1, (1, 'a'), (300, 'b')));
SELECT toTypeName([toUInt8(1), toInt64(-1)]), toTypeName([toFloat32(1), toInt16(1)]);
SELECT toTypeName([toDate('2020-01-01'), toDateTime('2020-01-01 00:00:00', 'UTC')]);
SELECT toTypeName(multiIf(1, toUInt8(1), 0, toUInt16(1), toUInt32(1))), multiIf(0, 'a', 0, 'b', 'c');
SELECT toTypeName(coalesce(NULL, toUInt8(1))), toTypeName(ifNull(toNullable(toUInt8(1)), toInt8(1)));
SELECT CAST('2024-01-15' AS Date), CAST('2024-01-15 10:20:30' AS DateTime('UTC')), CAST(19000 AS Date), CAST(0 AS DateTime('UTC'));
SELECT CAST(toDate('2024-01-15') AS UInt32), CAST(toDate('2024-01-15') AS String), CAST(toDateTime('2024-01-15 10:20:30', 'UTC') AS UInt64);
SELECT CAST(NULL AS Nullable(UInt8)), toTypeName(CAST(NULL AS Nullable(UInt8))), CAST('5' AS Nullable(Int16));
SELECT CAST(NULL AS UInt8); -- { serverError CANNOT_CONVERT_TYPE }
SELECT CAST([1, 2, 3] AS Array(String)), CAST(['1', '2'] AS Array(UInt8)), CAST([1, NULL] AS Array(Nullable(Int64)));
SELECT CAST((1, 'a') AS Tuple(Int64, String)), toTypeName(CAST((1, '2') AS Tuple(a UInt8, b UInt16)));
SELECT CAST((1, 2) AS Tuple(UInt8)); -- { serverError TYPE_MISMATCH }
SELECT CAST('abc' AS FixedString(5)) = 'abc\0\0', toTypeName(CAST('abc' AS FixedString(5)));
SELECT CAST('abcdef' AS FixedString(3)); -- { serverError TOO_LARGE_STRING_SIZE }
SELECT CAST('x' AS Date); -- { serverError CANNOT_PARSE_DATE }
SELECT CAST(1 AS NoSuchType); -- { serverError UNKNOWN_TYPE }
SELECT CAST(1.5 AS String), CAST([1.5, 2] AS String), CAST((1, 'a', NULL) AS String), CAST(true AS String), CAST(true AS UInt8);
SELECT toString(NULL), toString([1, 2]), toString(['a', 'b\'c']), toString((1, [2]));
SELECT toTypeName(toNullable(1) + 1), toTypeName(toNullable('a') || 'b'), toTypeName(length(toNullable('abc')));
SELECT toTypeName(x), x FROM (SELECT 1 AS x UNION ALL SELECT -1000) ORDER BY x;
SELECT toTypeName(x), x FROM (SELECT 1 AS x UNION ALL SELECT NULL) ORDER BY x;
SELECT toInt8(x) AS a, toString(x) AS b, toFloat32(x) AS c FROM (SELECT number * 100 AS x FROM numbers(4)) ORDER BY x;
