-- Nested columns in formats.
CREATE TABLE t (id UInt8, n Nested(a UInt8, b String)) ENGINE = Memory;
INSERT INTO t FORMAT JSONEachRow {"id": 1, "n.a": [1,2], "n.b": ["x","y"]}
INSERT INTO t FORMAT JSONEachRow {"id": 3, "n": {"a": [1,2], "b": ["x","y"]}}
SET input_format_import_nested_json = 1;
INSERT INTO t FORMAT JSONEachRow {"id": 4, "n": {"a": [1,2], "b": ["x","y"]}}
INSERT INTO t FORMAT JSONEachRow {"n": {"b": ["p"], "z": {"a": 1}, "a": [7]}, "id": 5, "z": {}} {"id": 6, "n": {}, "n.a": [], "n.b": []}
INSERT INTO t FORMAT JSONEachRow {"id": 9, "n": {}}
INSERT INTO t FORMAT TSV 10	[1]	['x']
INSERT INTO t FORMAT CSV 11,"[1]","['x']"
SELECT * FROM t ORDER BY id;
SELECT * FROM t ORDER BY id FORMAT JSONEachRow;
SELECT n FROM t ORDER BY id LIMIT 2 FORMAT JSONEachRow;
SELECT * FROM t ORDER BY id LIMIT 1 FORMAT CSVWithNames;
SELECT * FROM format(JSONEachRow, 'id UInt8, `n.a` Array(UInt8), `n.b.c` String', '{"id": 1, "n": {"a": [1], "b": {"c": "q"}}}');
SELECT * FROM format(JSONEachRow, 'id UInt8, `n.a` Array(UInt8)', '{"id": 1, "n": [1]}'); -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SELECT * FROM format(JSONEachRow, 'id UInt8, `n.a` Array(UInt8)', '{"id": 1, "n": {"a": [1], "a": [2]}}');
SELECT * FROM format(JSONEachRow, 'id UInt8, `n.a` Array(UInt8)', '{"id": 1, "n": {"q": [1]}}') SETTINGS input_format_skip_unknown_fields = 0; -- { serverError INCORRECT_DATA }
DROP TABLE t;
SET flatten_nested = 0;
CREATE TABLE t (id UInt8, n Nested(a UInt8, b String)) ENGINE = Memory;
INSERT INTO t FORMAT JSONEachRow {"id": 2, "n": [{"a": 1, "b": "x"}, {"a": 2}]}
INSERT INTO t FORMAT TSV 6	[(1,'q')]
INSERT INTO t FORMAT CSV 7,"[(1,'q')]"
INSERT INTO t VALUES (8, [(1, 'z'), (2, upper('y'))]), (9, []);
SELECT * FROM t ORDER BY id;
SELECT * FROM t ORDER BY id FORMAT JSONEachRow;
SELECT * FROM t ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT * FROM t ORDER BY id FORMAT JSONCompactEachRowWithNamesAndTypes;
SELECT n FROM t ORDER BY id FORMAT Values;
DROP TABLE t;
