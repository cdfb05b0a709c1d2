-- Every kind of value, escapes at all places, spaces, broken documents.
CREATE TABLE documents (id UInt32, j String) ENGINE = Memory;
INSERT INTO documents VALUES (1, '{"a": 1, "b": "text", "c": [1, -2, 3.5, null, true, "x"], "d": {"e": {"f": 18446744073709551615}}}'), (2, '{"a": -5, "b": "with \\"quotes\\" and \\\\ and \\u0416 \\ud83d\\ude00\\n", "c": [], "d": {}}'), (3, '  { "a" :1e3 ,"b":"", "c" : [ [ ] , { } ] }  '), (4, '{"a": 1'), (5, ''), (6, '[1, 2, {"a": "z"}]'), (7, '"only text"'), (8, '{"a": 123456789012345678901234567890, "b": null, "c": false}'), (9, '{"a": 1, "a": 2, "a\\u0062": 3}'), (10, '{"b": "жук", "c": ["длинный текст", "tab\\t"], "\\u0061": 7}'), (11, 'null'), (12, '{"a": "12", "b": "3.5", "c": "x"} x'), (13, '{"a": 0, "b": "12345678", "c": "1234567\\n", "d": "a longer text without any escapes in it"}'), (14, '{"a": -0, "b": 01}'), (15, '[1.0, 1e400, -0.0, 1E-2]'), (16, '{"a": "\\q"}'), (17, '{"a": "\\ud800"}');
INSERT INTO documents SELECT 18, concat('{"a": "', unhex('FF'), '"}');
INSERT INTO documents SELECT 19, concat('{"a": "', unhex('01'), '"}');
SELECT id, isValidJSON(j), JSONHas(j, 'a'), JSONHas(j, 'c', 2), JSONHas(j, 'c', -1), JSONLength(j), JSONLength(j, 'c'), JSONType(j), JSONType(j, 'a'), JSONType(j, 'c', 3), JSONKey(j, 2) FROM documents WHERE id NOT IN (15) ORDER BY id SETTINGS max_block_size = 7;
SELECT id, JSONExtractInt(j, 'a'), JSONExtractUInt(j, 'a'), JSONExtractFloat(j, 'a'), JSONExtractBool(j, 'c'), JSONExtractString(j, 'b'), JSONExtractString(j, 'a'), JSONExtractUInt(j, 'd', 'e', 'f') FROM documents WHERE id NOT IN (15) ORDER BY id;
SELECT id, JSONExtractRaw(j), JSONExtractRaw(j, 'c'), JSONExtractArrayRaw(j, 'c'), JSONExtractArrayRaw(j), JSONExtractKeys(j), JSONExtractKeysAndValuesRaw(j), JSONExtractKeysAndValues(j, 'String') FROM documents WHERE id NOT IN (14, 15) ORDER BY id;
SELECT id, JSONExtract(j, 'c', 'Array(Nullable(Float64))'), JSONExtract(j, 'a', 'Nullable(Int32)'), JSONExtract(j, 'Tuple(a Int64, b String)'), JSONExtract(j, 'Map(String, String)'), JSONExtract(j, 'b', 'LowCardinality(String)'), JSONExtract(j, 'b', 'FixedString(4)'), JSONExtract(j, 'a', 'Decimal(10, 2)') FROM documents WHERE id NOT IN (3, 8, 9, 10, 15) ORDER BY id SETTINGS max_block_size = 1;
SELECT JSONExtractString(j, k), JSONExtractInt('{"a": 5, "b": [6]}', k) FROM (SELECT j, arrayJoin(['a', 'b']) AS k FROM documents WHERE id IN (1, 2, 13)) ORDER BY 1, 2;
SELECT JSONExtractInt('{"a": [1, 2, 3]}', 'a', number) FROM numbers(5) ORDER BY number;
-- The functions that only search for a name.
SELECT id, simpleJSONHas(j, 'a'), simpleJSONExtractInt(j, 'a'), simpleJSONExtractUInt(j, 'a'), simpleJSONExtractString(j, 'b'), simpleJSONExtractString(j, 'c'), simpleJSONExtractRaw(j, 'c'), simpleJSONExtractFloat(j, 'a'), simpleJSONExtractBool(j, 'c') FROM documents WHERE id NOT IN (8, 12, 14, 18, 19) ORDER BY id SETTINGS max_block_size = 7;
SELECT simpleJSONExtractInt(s, 'n'), simpleJSONExtractUInt(s, 'n'), simpleJSONExtractString(s, 't'), simpleJSONHas(s, 'zz')
FROM (SELECT arrayJoin(['{"n":-12,"t":"a\\tb"}', '{"n":12.75,"t":"plain"}', '{"n":"34","t":""}', '{"t":"unfinished', '{"n":x}', '{"n":999999999999999999}', '{"n":-7e2}', '']) AS s) ORDER BY s;
SELECT simpleJSONExtractInt('{"a":5}', 'a'), simpleJSONExtractRaw('{"a":[1,{"b":2}],"c":3}', 'a');
DROP TABLE documents;
