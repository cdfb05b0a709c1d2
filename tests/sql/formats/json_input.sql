-- { configs: default }
-- Settings of JSON that is read.
SELECT * FROM format(JSONEachRow, 'b Int8', '{"b":true}') SETTINGS input_format_json_read_bools_as_numbers = 0;
SELECT * FROM format(JSONEachRow, 'b Float64', '{"b":true}{"b":false}');
SELECT * FROM format(JSONEachRow, 'b Float64', '{"b":true}{"b":false}') SETTINGS input_format_json_read_bools_as_numbers = 0; -- { serverError CANNOT_PARSE_NUMBER }
SELECT * FROM format(JSONEachRow, 's String', '{"s":1.50}{"s":true}{"s":[1, 2]}{"s":{"a": 1}}{"s":null}');
SELECT * FROM format(JSONEachRow, 's String', '{"s":1.50}') SETTINGS input_format_json_read_numbers_as_strings = 0; -- { serverError CANNOT_PARSE_QUOTED_STRING }
SELECT * FROM format(JSONEachRow, 's String', '{"s":true}') SETTINGS input_format_json_read_bools_as_strings = 0; -- { serverError INCORRECT_DATA }
SELECT * FROM format(JSONEachRow, 's String', '{"s":[1, 2]}') SETTINGS input_format_json_read_arrays_as_strings = 0; -- { serverError INCORRECT_DATA }
SELECT * FROM format(JSONEachRow, 's String', '{"s":{"a": 1}}') SETTINGS input_format_json_read_objects_as_strings = 0; -- { serverError INCORRECT_DATA }
SELECT * FROM format(JSONEachRow, 't Tuple(a Int, b String)', '{"t":{"a": 1, "c": 2}}');
SELECT * FROM format(JSONEachRow, 't Tuple(a Int, b String)', '{"t":{"a": 1, "c": 2}}') SETTINGS input_format_json_ignore_unknown_keys_in_named_tuple = 0; -- { serverError NOT_FOUND_COLUMN_IN_BLOCK }
SELECT * FROM format(JSONEachRow, 't Tuple(a Int, b String)', '{"t":{"a": 1}}') SETTINGS input_format_json_defaults_for_missing_elements_in_named_tuple = 0; -- { serverError INCORRECT_DATA }
SELECT * FROM format(JSONEachRow, 't Tuple(a Int, b String)', '{"t":{"a": 1, "b":"x"}}') SETTINGS input_format_json_named_tuples_as_objects = 0; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SELECT * FROM format(JSONEachRow, 't Tuple(a Int, b String)', '{"t":[1,"x"]}') SETTINGS input_format_json_named_tuples_as_objects = 0;
SELECT * FROM format(JSONEachRow, 'm Map(String, Int)', '{"m":[{"keys":"a","values":1},{"keys":"b","values":2}]}') SETTINGS input_format_json_map_as_array_of_tuples = 1;
SELECT * FROM format(JSONEachRow, 'm Map(String, Int)', '{"m":{"a":1}}') SETTINGS input_format_json_map_as_array_of_tuples = 1; -- { serverError CANNOT_READ_ARRAY_FROM_TEXT }
SELECT * FROM format(JSONEachRow, 'b Array(Int), s String, n Nullable(Int), m Map(String, Int), d Date', '{"b":["",1], "s":"", "n":"", "m":{"a":""}, "d":""}') SETTINGS input_format_json_empty_as_default = 1;
CREATE TABLE j (a Int, b Array(Int), c Tuple(x Int), d Int DEFAULT 5, s String) ENGINE = Memory;
INSERT INTO j SETTINGS input_format_json_empty_as_default = 1 FORMAT JSONEachRow {"a":"", "b":"", "c":"", "d":"", "s":""}
SELECT * FROM j;
SELECT * FROM format(JSONEachRow, 's String', '{"s":"a\\qb\\u12"}') SETTINGS input_format_json_throw_on_bad_escape_sequence = 0;
SELECT * FROM format(JSONCompactEachRow, 'a Int, b Int', '[1,2],[1],[1,2,3]') SETTINGS input_format_json_compact_allow_variable_number_of_columns = 1;
SELECT * FROM format(JSON, 'a Int', '{"meta":[{"name":"a","type":"String"}],"data":[{"a":"1"}]}'); -- { serverError INCORRECT_DATA }
SELECT * FROM format(JSON, 'a Int', '{"meta":[{"name":"a","type":"String"}],"data":[{"a":"1"}]}') SETTINGS input_format_json_validate_types_from_metadata = 0;
SELECT * FROM format(JSONCompact, 'a Int', '{"meta":[{"name":"a","type":"Int32"}],"data":[[1]]}');
