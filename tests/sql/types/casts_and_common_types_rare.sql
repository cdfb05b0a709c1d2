-- { echoOn }
SELECT CAST('[1,2,3]' AS Array(UInt8)), CAST('(1,\'a\')' AS Tuple(UInt8, String));
SELECT reinterpretAsUInt32('abcd'), reinterpretAsInt16('\xff\xff'), hex(reinterpretAsString(258)), reinterpret(toUInt32(1078530011), 'Float32');
