-- dictGet and its variants, dictHas.
CREATE TABLE src (id UInt64, k String, v String, n Nullable(Int32), a Array(UInt8), f Float64) ENGINE = Memory;
INSERT INTO src VALUES (1, 'x', 'one', 10, [1], 0.5), (2, 'y', 'two', NULL, [], 1.5), (3, 'z', 'three', 30, [3, 4], 2.5);
CREATE DICTIONARY d (id UInt64, v String DEFAULT '?', n Nullable(Int32) DEFAULT -1, a Array(UInt8) DEFAULT [9, 9], f Float64 DEFAULT 7) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(HASHED()) LIFETIME(0);
SELECT number, dictGet('d', 'v', number), dictGet('d', 'n', number), dictGet('d', 'a', number), dictGet('d', 'f', number) FROM numbers(6) ORDER BY number;
SELECT number, dictGet('d', ('v', 'n', 'a', 'f'), number) AS r, r.v, r.n FROM numbers(5) ORDER BY number;
SELECT dictGet('d', 'v', 1), dictGet('d', 'v', toUInt8(2)), dictGet('d', 'v', toInt64(3)), dictGet('d', 'v', 4);
SELECT dictGet(d, 'v', 1), dictGet('d', 'v', '1'), dictGet('d', 'v', 1.0), dictGet('d', 'v', toDate(1)), dictGet('d', 'v', true);
SELECT dictGet('d', 'v', toInt128(1)), dictGet('d', 'v', toDecimal32(2, 3)), dictGet('d', 'v', toFixedString('3', 1));
SELECT toTypeName(dictGet('d', 'v', 1)), toTypeName(dictGet('d', 'n', 1)), toTypeName(dictGet('d', 'a', 1)), toTypeName(dictGet('d', ('v', 'f'), 1));
SELECT dictGet('d', tuple('v'), 1), toTypeName(dictGet('d', tuple('v'), 1));
SELECT dictGet('d', 'v', NULL), toTypeName(dictGet('d', 'v', NULL));
SELECT dictGet('d', 'v', toNullable(1)), toTypeName(dictGet('d', 'v', toNullable(1)));
SELECT number, dictGet('d', 'v', if(number = 2, NULL, number)) AS r, toTypeName(r) FROM numbers(4) ORDER BY number;
SELECT dictHas('d', 1), dictHas('d', 7), dictHas('d', '2'), toTypeName(dictHas('d', 1));
SELECT number, dictHas('d', number), dictHas(d, number + 2) FROM numbers(5) ORDER BY number;
SELECT dictHas('d', toNullable(1)), toTypeName(dictHas('d', toNullable(1)));
SELECT number, dictHas('d', if(number = 1, NULL, number)) FROM numbers(3) ORDER BY number;
SELECT dictGetOrDefault('d', 'v', 1, 'no'), dictGetOrDefault('d', 'v', 9, 'no'), dictGetOrDefault('d', 'v', 9, 5), dictGetOrDefault('d', 'f', 9, 5);
SELECT number, dictGetOrDefault('d', 'v', number, concat('no ', toString(number))) FROM numbers(6) ORDER BY number;
SELECT number, dictGetOrDefault('d', ('v', 'f'), number, ('no', number)) FROM numbers(6) ORDER BY number;
SELECT dictGetOrDefault('d', 'n', 2, 5), dictGetOrDefault('d', 'n', 22, 5), dictGetOrDefault('d', 'n', 22, NULL), toTypeName(dictGetOrDefault('d', 'n', 22, 5));
SELECT dictGetOrDefault('d', 'a', 22, [toUInt8(1), 2]), dictGetOrDefault('d', 'a', 22, []);
SELECT id, dictGetOrDefault('d', 'v', id + 2, k) FROM src ORDER BY id;
SELECT id, dictGetOrDefault('d', 'v', id, throwIf(id > 0)::String) FROM src ORDER BY id;
SELECT id, dictGetOrDefault('d', 'v', id + 10, throwIf(id > 10)::String) FROM src ORDER BY id;
SELECT dictGetOrNull('d', 'v', 1), dictGetOrNull('d', 'v', 9), toTypeName(dictGetOrNull('d', 'v', 9));
SELECT number, dictGetOrNull('d', 'v', number), dictGetOrNull('d', 'n', number), dictGetOrNull('d', ('v', 'n', 'f'), number) FROM numbers(5) ORDER BY number;
SELECT toTypeName(dictGetOrNull('d', ('v', 'n'), 1)), toTypeName(dictGetOrNull('d', 'n', 1));
SELECT dictGetString('d', 'v', 1), dictGetFloat64('d', 'f', 1), dictGetStringOrDefault('d', 'v', 9, 'no'), dictGetFloat64OrDefault('d', 'f', 9, 1.25);
SELECT count(), sum(dictGet('d', 'f', number % 4)) FROM numbers(1000);
SELECT k FROM src WHERE dictGet('d', 'v', id) = 'two';
SELECT dictGet('d', 'v', id) AS name, count() FROM src GROUP BY name ORDER BY name;
SELECT arrayMap(x -> dictGet('d', 'v', x), [1, 2, 5]);
SELECT dictGet('d', 'v', id) FROM src ORDER BY dictGet('d', 'f', id) DESC;
SELECT id FROM src WHERE dictHas('d', id) AND dictGet('d', 'n', id) IS NOT NULL ORDER BY id;
SELECT dictGet('d', 'v', arrayJoin([1, 3, 5]));
SELECT if(dictHas('d', 9), dictGet('d', 'v', 9), 'none');
-- Wrong arguments
SELECT dictGet('nosuch', 'v', 1); -- { serverError BAD_ARGUMENTS }
SELECT dictGet('nosuchdb.d', 'v', 1); -- { serverError BAD_ARGUMENTS }
SELECT dictGet('src', 'v', 1); -- { serverError BAD_ARGUMENTS }
SELECT dictGet('d', 'nosuch', 1); -- { serverError BAD_ARGUMENTS }
SELECT dictGet('d', 'id', 1); -- { serverError BAD_ARGUMENTS }
SELECT dictGet('d', ('v', 'nosuch'), 1); -- { serverError BAD_ARGUMENTS }
SELECT dictGet('d', ('v', 'v'), 1); -- { serverError DUPLICATE_COLUMN }
SELECT dictGet('d', tuple(), 1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGet('d', ['v'], 1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGet('d', 1, 1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGet(1, 'v', 1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGet(materialize('d'), 'v', 1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGet('d', materialize('v'), 1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGet(name, 'v', 1) FROM (SELECT 'd' AS name); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGet('d', 'v', 'x'); -- { serverError CANNOT_PARSE_TEXT }
SELECT dictGet('d', 'v', -1); -- { serverError CANNOT_CONVERT_TYPE }
SELECT dictGet('d', 'v', materialize(-1)); -- { serverError CANNOT_CONVERT_TYPE }
SELECT dictGet('d', 'v', 1.5); -- { serverError CANNOT_CONVERT_TYPE }
SELECT dictGet('d', 'v', (1, 2)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGet('d', 'v', tuple(1)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGet('d', 'v', [1]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGet('d', 'v'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictGet('d'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictGet(); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictGet('d', 'v', 1, 2); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictGetOrDefault('d', 'v', 1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictGetOrDefault('d', 'v', 9, NULL); -- { serverError CANNOT_CONVERT_TYPE }
SELECT dictGetOrDefault('d', 'f', 9, 'x'); -- { serverError CANNOT_PARSE_TEXT }
SELECT dictGetOrNull('d', 'v', 1, 2); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictGetUInt8('d', 'f', 1); -- { serverError TYPE_MISMATCH }
SELECT dictGetString('d', ('v', 'f'), 1); -- { serverError TYPE_MISMATCH }
SELECT dictGetInt32('d', 'n', 1); -- { serverError TYPE_MISMATCH }
SELECT dictHas('d'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictHas('d', 1, 2);
SELECT dictHas('d', 'x'); -- { serverError CANNOT_PARSE_TEXT }
SELECT dictHas('nosuch', 1); -- { serverError BAD_ARGUMENTS }
SELECT dictGetAll('d', 'v', 1); -- { serverError NOT_IMPLEMENTED }
DROP DICTIONARY d;
SELECT dictHas('d', 1); -- { serverError BAD_ARGUMENTS }
