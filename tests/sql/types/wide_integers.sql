-- Integers of 128 and 256 bits: names, text, literals, casts.
SELECT toTypeName(toInt128(1)), toTypeName(toUInt128(1)), toTypeName(toInt256(1)), toTypeName(toUInt256(1));
SELECT CAST(1, 'Int128'), '5'::UInt256, CAST('-7' AS Int256), 3::UInt128;
SELECT 18446744073709551616::UInt128, -170141183460469231731687303715884105728::Int128;
SELECT 115792089237316195423570985008687907853269984665640564039457584007913129639935::UInt256;
SELECT 18446744073709551616, toTypeName(18446744073709551616), toTypeName(-9223372036854775809);
SELECT toInt128('170141183460469231731687303715884105727'), toInt128('-170141183460469231731687303715884105728');
SELECT toInt256('57896044618658097711785492504343953926634992332820282019728792003956564819967'), toInt256('-57896044618658097711785492504343953926634992332820282019728792003956564819968');
SELECT toUInt128('340282366920938463463374607431768211455'), toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935');
-- Text wraps.
SELECT toInt128('170141183460469231731687303715884105728'), toUInt128('340282366920938463463374607431768211457');
SELECT toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639937'), toInt256('57896044618658097711785492504343953926634992332820282019728792003956564819968');
SELECT toInt128('+5'), toUInt256('+5'), toInt128('000012');
SELECT toUInt128('-1'); -- { serverError CANNOT_PARSE_NUMBER }
SELECT toInt128('12x'); -- { serverError CANNOT_PARSE_TEXT }
SELECT toInt256(''); -- { serverError ATTEMPT_TO_READ_AFTER_EOF }
SELECT toUInt256('1.5'); -- { serverError CANNOT_PARSE_TEXT }
SELECT toInt128OrZero('12x'), toInt128OrNull('12x'), toInt128OrNull('-12'), toInt256OrDefault('x', toInt256(7)), toUInt256OrZero('-1'), toUInt128OrNull('1e3');
SELECT toInt128OrZero('170141183460469231731687303715884105728'), toUInt128OrNull('340282366920938463463374607431768211456');
SELECT toUInt256OrDefault('x'), toInt256OrNull(''), toUInt128OrZero('17'), toInt256OrZero('-17');
-- Other numbers.
SELECT toInt8(toInt256(300)), toUInt64(toInt256(-1)), toUInt256(toInt8(-1)), toInt128(toUInt256(-1)), toUInt128(toInt8(-1)), toInt256(toUInt128(toInt8(-1)));
SELECT toBool(toInt128(2)), toBool(toUInt256(0)), toString(toInt256(-123)), toInt128(true), toUInt256(toUInt64(18446744073709551615));
SELECT toInt128(1.9), toInt256(-0.5), toUInt128(-1.5), toInt128(1e30), toInt128(-1e30), toUInt128(1.7e38);
SELECT toInt256(1e60), toUInt256(1e70), toInt256(-1e70), toInt128(toFloat32(16777216));
SELECT toInt128(nan); -- { serverError CANNOT_CONVERT_TYPE }
SELECT toInt256(-inf); -- { serverError CANNOT_CONVERT_TYPE }
SELECT toFloat64(toInt256('123456789012345678901234567890123456789012345678901234567890')), toFloat32(toUInt128(1)), toFloat64(toUInt256(-1)), toFloat64(toInt128(-1)), toFloat64(toInt128('9007199254740993'));
SELECT toDecimal64(toInt128(5), 2), toDecimal32(toInt256(5), 2), toDecimal128(toUInt128(7), 3), toInt256(toDecimal64(12.5, 2)), toInt128(toDecimal128('1234567890123456789012345678.9012', 4));
SELECT toUInt128(toDecimal32(-1, 0)); -- { serverError DECIMAL_OVERFLOW }
SELECT toDecimal64(toInt256('1000000000000000000000'), 2); -- { serverError DECIMAL_OVERFLOW }
SELECT toDate(toInt128(18262)), toDate32(toInt128(5)), toDateTime64(toUInt256(5), 3, 'UTC'), toDate(toInt256(-5)), toDateTime(toUInt256(-1), 'UTC'), toDateTime(toInt128(5), 'UTC');
SELECT toInt128(toDate('2020-01-01')), toInt256(toDateTime('2020-01-01 00:00:00', 'UTC')), toInt128(toDate32('1950-01-01')), CAST('a' AS Enum8('a' = 3))::Int128, toUInt256(toDateTime64('2020-01-01 00:00:00.5', 1, 'UTC'));
SELECT toIntervalDay(toInt128(3)), fromUnixTimestamp(toInt128(5)), toUnixTimestamp(toInt128(5));
SELECT accurateCast(toInt256(300), 'UInt8'); -- { serverError CANNOT_CONVERT_TYPE }
SELECT accurateCast(toInt256(200), 'UInt8'), accurateCast(toUInt64(7), 'Int256');
SELECT accurateCastOrNull(toInt256(300), 'UInt8'), accurateCastOrNull(-1, 'UInt128'), accurateCastOrNull(toUInt256(-1), 'Int256'), accurateCastOrDefault(toUInt256(-1), 'Int256'), accurateCastOrNull(1.5, 'Int128'), accurateCastOrNull(4., 'Int128');
SELECT reinterpretAsInt128(toInt64(-1)), reinterpretAsInt256('abc'), reinterpretAsUInt256(toInt128(-1)), reinterpretAsUInt128('0123456789abcdefX'), reinterpretAsInt64(toInt128(-1)), reinterpret(toInt128(1), 'UInt64'), reinterpret(toUInt64(5), 'Int128'), hex(reinterpretAsString(toInt256(258)));
SELECT hex(reinterpret(toUInt128(1), 'FixedString(16)')), reinterpretAsFloat64(toInt128(4607182418800017408));
-- Common types.
SELECT toTypeName([toUInt128(1), toInt8(1)]), toTypeName([toUInt256(1), toUInt8(1)]), toTypeName([toInt256(1), toUInt128(1)]), toTypeName([toInt128(1), toUInt64(1)]), toTypeName([toInt128(1), true]);
SELECT [toUInt128(-1), toInt8(-1)], if(materialize(1), toUInt64(7), toInt128(-1)), toTypeName(if(materialize(1), toUInt64(7), toInt128(-1)));
SELECT toTypeName(coalesce(NULL, toInt128(4))), ifNull(toNullable(toUInt256(1)), 5), nullIf(toInt128(1), 1), assumeNotNull(toNullable(toInt128(3))), toInt128(1) IS NULL;
SELECT CAST(NULL, 'Nullable(UInt256)'), toInt128(1)::Nullable(Int128), CAST('[1, -340282366920938463463374607431768211455]', 'Array(Int256)'), CAST('(1,2)', 'Tuple(UInt128, Int256)'), map(toInt128(1), toUInt256(2));
SELECT x, toTypeName(x) FROM (SELECT toUInt64(1) AS x UNION ALL SELECT toInt128(-2)) ORDER BY x;
SELECT defaultValueOfTypeName('UInt256'), defaultValueOfTypeName('Int128'), toColumnTypeName(toInt128(1)), byteSize(toInt128(1)), byteSize(toUInt256(1));
SET allow_suspicious_low_cardinality_types = 1;
SELECT toTypeName(toInt256(1)::LowCardinality(Int256)), toInt256(-3)::LowCardinality(Int256);
SELECT name FROM system.data_type_families WHERE name IN ('Int128', 'UInt128', 'Int256', 'UInt256') ORDER BY name;
