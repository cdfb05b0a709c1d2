-- NaN and infinity are no days and no seconds.
SELECT toDate(nan); -- { serverError CANNOT_CONVERT_TYPE }
SELECT toDate(inf); -- { serverError CANNOT_CONVERT_TYPE }
SELECT toDate(toFloat32(-inf)); -- { serverError CANNOT_CONVERT_TYPE }
SELECT toDateTime(nan); -- { serverError CANNOT_CONVERT_TYPE }
SELECT toDateTime(toFloat32(inf)); -- { serverError CANNOT_CONVERT_TYPE }
SELECT CAST(nan AS Date); -- { serverError CANNOT_CONVERT_TYPE }
SELECT toDate(x) FROM values('x Nullable(Float64)', NULL, 2.5) ORDER BY 1;
SELECT toDate(1.5), toDate(-1.), toDate(1e10), toDate(65535.), toDateTime(-1.), toDateTime(1e20);
-- What is no whole number from 0 to 2106 as seconds is out of range of exact conversions.
SELECT toDateOrDefault(nan), toDateOrDefault(1e10), toDateOrDefault(-1), toDateOrDefault(100000000000), toDateOrDefault(4294967295), toDateOrDefault(4294967296);
SELECT toDateOrDefault(-1, toDate('2020-01-01')), toDateOrDefault(18000, toDate('2020-01-01'));
SELECT toDateTimeOrDefault(4294967295), toDateTimeOrDefault(4294967296), toDateTimeOrDefault(1e9), toDateTimeOrDefault(nan), toDateTimeOrDefault(1e20);
SELECT accurateCastOrNull(-1, 'Date'), accurateCastOrNull(-1, 'DateTime'), accurateCastOrNull(1.5, 'Date'), accurateCastOrNull(-0.5, 'DateTime'), accurateCastOrNull(inf, 'DateTime'), accurateCastOrNull(70000, 'Date'), accurateCastOrNull(toUInt8(5), 'Date'), accurateCastOrNull(toInt256(-1), 'Date'), accurateCastOrNull(toUInt256(5000000000), 'Date'), accurateCastOrNull(true, 'Date');
SELECT accurateCast(-1, 'Date'); -- { serverError CANNOT_CONVERT_TYPE }
SELECT accurateCast(5000000000, 'DateTime'); -- { serverError CANNOT_CONVERT_TYPE }
SELECT accurateCast(70000, 'Date');
