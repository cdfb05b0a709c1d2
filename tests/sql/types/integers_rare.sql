-- { echoOn }
SELECT toInt32OrZero('abc'), toInt32OrNull('abc'), toInt32OrZero('12'), toInt32OrNull('12'), toInt32OrDefault('z', toInt32(7));
SELECT accurateCastOrNull(300, 'UInt8'), accurateCastOrNull(200, 'UInt8'), accurateCastOrNull(-1, 'UInt8');
SELECT accurateCast(300, 'UInt8'); -- { serverError CANNOT_CONVERT_TYPE }
SELECT min2(1, 2), max2(1, 2), least(3, 1, 2), greatest(3, 1, 2), toTypeName(least(toUInt8(1), toInt16(2)));
