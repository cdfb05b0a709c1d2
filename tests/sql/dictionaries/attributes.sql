-- Attributes of all types.
CREATE TABLE src (id UInt64, u8 UInt8, u16 UInt16, u32 UInt32, u64 UInt64, i8 Int8, i16 Int16, i32 Int32, i64 Int64, i128 Int128, u256 UInt256, f32 Float32, f64 Float64, s String, fs FixedString(3), dt Date, d32 Date32, t DateTime('UTC'), t64 DateTime64(3, 'UTC'), dec Decimal(10, 2), uuid UUID, e Enum8('a' = 1, 'b' = 2), arr Array(String), arrn Array(Nullable(Int32)), m Map(String, UInt8), ns Nullable(String), nf Nullable(Float64), b Bool) ENGINE = Memory;
INSERT INTO src VALUES (1, 1, 2, 3, 4, -1, -2, -3, -4, -170141183460469231731687303715884105728, 5, 1.5, 2.5, 'str', 'abc', '2020-01-02', '1950-01-02', '2020-01-02 03:04:05', '2020-01-02 03:04:05.678', 12.34, '61f0c404-5cb3-11e7-907b-a6006ad3dba0', 'b', ['x', 'y'], [1, NULL], {'k': 7}, 'n', NULL, true);
CREATE DICTIONARY d (id UInt64, u8 UInt8, u16 UInt16, u32 UInt32, u64 UInt64, i8 Int8, i16 Int16, i32 Int32, i64 Int64, i128 Int128, u256 UInt256, f32 Float32, f64 Float64, s String, dt Date, d32 Date32, t DateTime('UTC'), t64 DateTime64(3, 'UTC'), dec Decimal(10, 2), uuid UUID, arr Array(String), arrn Array(Nullable(Int32)), ns Nullable(String), nf Nullable(Float64)) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(HASHED()) LIFETIME(0);
SELECT * FROM d FORMAT Vertical;
SELECT dictGet('d', ('u8', 'u16', 'u32', 'u64'), 1), dictGet('d', ('u8', 'u16', 'u32', 'u64'), 2);
SELECT dictGet('d', ('i8', 'i16', 'i32', 'i64', 'i128', 'u256'), 1), dictGet('d', ('i8', 'i16', 'i32', 'i64', 'i128', 'u256'), 2);
SELECT dictGet('d', ('f32', 'f64', 's', 'dec', 'uuid'), 1), dictGet('d', ('f32', 'f64', 's', 'dec', 'uuid'), 2);
SELECT dictGet('d', ('dt', 'd32', 't', 't64'), 1), dictGet('d', ('dt', 'd32', 't', 't64'), 2);
SELECT dictGet('d', ('arr', 'arrn', 'ns', 'nf'), 1), dictGet('d', ('arr', 'arrn', 'ns', 'nf'), 2);
SELECT toTypeName(dictGet('d', ('dt', 'd32', 't', 't64', 'dec', 'uuid', 'arr', 'arrn', 'ns', 'nf'), 1));
SELECT dictGetUInt8('d', 'u8', 1), dictGetUInt16('d', 'u16', 1), dictGetUInt32('d', 'u32', 1), dictGetUInt64('d', 'u64', 1), dictGetInt8('d', 'i8', 1), dictGetInt16('d', 'i16', 1), dictGetInt32('d', 'i32', 1), dictGetInt64('d', 'i64', 1), dictGetFloat32('d', 'f32', 1), dictGetFloat64('d', 'f64', 1), dictGetString('d', 's', 1), dictGetDate('d', 'dt', 1), dictGetUUID('d', 'uuid', 1);
SELECT dictGetUInt8OrDefault('d', 'u8', 9, 100), dictGetInt64OrDefault('d', 'i64', 9, toInt64(-5)), dictGetFloat32OrDefault('d', 'f32', 9, toFloat32(0.25)), dictGetDateOrDefault('d', 'dt', 9, toDate('2000-01-01')), dictGetUUIDOrDefault('d', 'uuid', 9, toUUID('00000000-0000-0000-0000-000000000001'));
SELECT dictGetUInt16('d', 'u8', 1); -- { serverError TYPE_MISMATCH }
SELECT dictGetString('d', 'ns', 1); -- { serverError TYPE_MISMATCH }
SELECT dictGetDate('d', 'd32', 1); -- { serverError TYPE_MISMATCH }
SELECT dictGetOrNull('d', 'u8', 1), dictGetOrNull('d', 'u8', 2), dictGetOrNull('d', 'dec', 2), dictGetOrNull('d', 'ns', 1), dictGetOrNull('d', 'ns', 2), dictGetOrNull('d', 'nf', 1);
SELECT toTypeName(dictGetOrNull('d', 'u8', 1)), toTypeName(dictGetOrNull('d', 'ns', 1)), toTypeName(dictGetOrNull('d', 'uuid', 1));
SELECT dictGetOrDefault('d', 'dec', 2, 1.5), dictGetOrDefault('d', 'dt', 2, '2001-02-03'), dictGetOrDefault('d', 'arr', 2, ['q']), dictGetOrDefault('d', 'nf', 2, 3);
CREATE DICTIONARY defaults (id UInt64, u UInt8 DEFAULT 5, u2 UInt8 DEFAULT '6', i Int32 DEFAULT -7, f Float64 DEFAULT 1.25, s String DEFAULT 'it\'s', d Date DEFAULT '2020-02-02', t DateTime('UTC') DEFAULT '2020-02-02 01:02:03', dec Decimal(10, 2) DEFAULT 3.14, ns Nullable(String) DEFAULT 'n', nn Nullable(String) DEFAULT NULL, nu Nullable(UInt8), arr Array(UInt8) DEFAULT [1, 2]) PRIMARY KEY id SOURCE(NULL()) LAYOUT(HASHED()) LIFETIME(0);
SELECT dictGet('defaults', ('u', 'u2', 'i', 'f', 's', 'd', 't', 'dec', 'ns', 'nn', 'nu', 'arr'), 1);
SHOW CREATE DICTIONARY defaults FORMAT TSVRaw;
CREATE DICTIONARY wrong (id UInt64, d Date DEFAULT 'x') PRIMARY KEY id SOURCE(NULL()) LAYOUT(HASHED()) LIFETIME(0); -- { serverError CANNOT_PARSE_DATE }
CREATE DICTIONARY mapped (id UInt64, m Map(String, UInt8)) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(HASHED()) LIFETIME(0);
SELECT dictGet('mapped', 'm', 1), dictGet('mapped', 'm', 2), toTypeName(dictGet('mapped', 'm', 1)), dictGet('mapped', 'm', 1)['k'];
CREATE DICTIONARY converted (id UInt64, u8 Int64, f64 String, s String, i32 Nullable(Int64)) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(HASHED()) LIFETIME(0);
SELECT dictGet('converted', ('u8', 'f64', 's', 'i32'), 1);
CREATE DICTIONARY dual (id UInt64, k String, `odd name` String, `select` UInt8) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS id, \'k\' AS k, \'odd\' AS `odd name`, 3 AS `select`')) LAYOUT(HASHED()) LIFETIME(0);
SELECT dictGet('dual', ('odd name', 'select'), 1), `odd name` FROM dual;
