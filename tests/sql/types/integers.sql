-- { echoOn }
SELECT toInt8(127), toInt8(-128), toUInt8(255), toInt16(32767), toUInt16(65535), toInt32(2147483647), toUInt32(4294967295);
SELECT toInt64(9223372036854775807), toUInt64(18446744073709551615);
SELECT toInt8(128), toUInt8(256), toUInt8(-1), toInt16(40000), toUInt32(-1), toInt64(18446744073709551615);
SELECT toUInt8(200) + toUInt8(100), toTypeName(toUInt8(200) + toUInt8(100));
SELECT toTypeName(toUInt8(1) + toInt8(1)), toTypeName(toUInt16(1) * toUInt8(1)), toTypeName(toUInt32(1) * toUInt32(1)), toTypeName(toInt64(1) + toUInt64(1));
SELECT toTypeName(toUInt8(1) - toUInt8(2)), toUInt8(1) - toUInt8(2), toUInt64(1) - toUInt64(2), toTypeName(toUInt64(1) - toUInt64(2));
SELECT toTypeName(toInt8(1) / toInt8(2)), toTypeName(intDiv(toInt32(7), toUInt8(2))), toTypeName(toInt16(7) % toInt8(3)), toTypeName(toUInt16(7) % toUInt8(3));
SELECT toTypeName(-toUInt8(1)), toTypeName(-toInt32(1)), -toUInt64(1), toTypeName(abs(toInt8(-5))), abs(toInt8(-128));
SELECT toTypeName(toFloat32(1) + toInt8(1)), toTypeName(toFloat32(1) * toFloat64(1)), toTypeName(toFloat32(1) / 2);
SELECT toInt64(9223372036854775807) + 1, toUInt64(18446744073709551615) + 1, toInt64(-9223372036854775808) - 1;
SELECT toInt32('123'), toInt32('-123'), toUInt64('18446744073709551615'), toInt8('127');
SELECT toInt8('128'), toUInt8('255');
SELECT toUInt8('-1'); -- { serverError CANNOT_PARSE_NUMBER }
SELECT toInt32('abc'); -- { serverError CANNOT_PARSE_TEXT }
SELECT toInt32(''); -- { serverError ATTEMPT_TO_READ_AFTER_EOF }
SELECT toInt32('12x'); -- { serverError CANNOT_PARSE_TEXT }
SELECT toUInt8OrZero('300'), toUInt8OrNull('300'), toTypeName(toUInt8OrNull('3'));
SELECT toInt32(1.9), toInt32(-1.9), toUInt8(255.9), toInt64(1e18);
SELECT toInt32(nan); -- { serverError CANNOT_CONVERT_TYPE }
SELECT toInt32(inf); -- { serverError CANNOT_CONVERT_TYPE }
SELECT CAST(300 AS UInt8), CAST('300' AS UInt16), CAST(-1 AS UInt16);
SELECT CAST('300' AS UInt8);
SELECT bitShiftLeft(toUInt8(255), 1), toTypeName(bitShiftLeft(toUInt8(255), 1)), bitAnd(-1, 255), toTypeName(bitAnd(toInt8(-1), toUInt16(255)));
SELECT intDiv(toInt8(-128), toInt8(-1)); -- { serverError ILLEGAL_DIVISION }
SELECT gcd(12, 18), lcm(4, 6), sign(-5), sign(0), sign(2.5);
SELECT toBool(5), toBool(0), toTypeName(toBool(1)), toBool('true'), CAST('false' AS Bool);
SELECT sum(x), toTypeName(sum(x)) FROM (SELECT toUInt8(255) AS x FROM numbers(3));
SELECT sum(x), toTypeName(sum(x)) FROM (SELECT toInt8(-128) AS x FROM numbers(3));
