-- { configs: default }
-- What values may suggest where a schema is inferred.
DESCRIBE TABLE format(CSV, '2020-01-01,2020-01-01 00:00:00,12') SETTINGS input_format_try_infer_dates = 0;
DESCRIBE TABLE format(CSV, '2020-01-01,2020-01-01 00:00:00,12') SETTINGS input_format_try_infer_datetimes = 0;
DESCRIBE TABLE format(CSV, '2020-01-01,2020-01-01 00:00:00,12,2020-01-01 00:00:00.123') SETTINGS input_format_try_infer_datetimes_only_datetime64 = 1;
DESCRIBE TABLE format(CSV, '1,2020-01-01,2020-01-01 00:00:00,1e5') SETTINGS input_format_try_infer_integers = 0, input_format_try_infer_dates = 0, input_format_try_infer_datetimes = 0;
DESCRIBE TABLE format(JSONEachRow, '{"a":12,"b":18446744073709551615,"c":[1,2],"d":"2020-01-01","e":"2020-01-01 01:01:01"}') SETTINGS input_format_try_infer_integers = 0, input_format_try_infer_dates = 0;
DESCRIBE TABLE format(TSV, '1e5\t2E-3\t12') SETTINGS input_format_try_infer_exponent_floats = 1;
DESCRIBE TABLE format(TSV, '1e5\t2E-3\t12');
DESCRIBE TABLE format(CSV, '"12","1.5","x","2020-01-01"') SETTINGS input_format_csv_try_infer_numbers_from_strings = 1;
DESCRIBE TABLE format(CSV, '"12","1.5","x","2020-01-01"');
DESCRIBE TABLE format(JSONEachRow, '{"a":"12","b":"1.5","c":["1","2"],"d":"0x1","e":"1e5"}') SETTINGS input_format_json_try_infer_numbers_from_strings = 1;
DESCRIBE TABLE format(JSONEachRow, '{"a":{"x":1},"b":[{"x":1}],"c":{"x":1,"y":"s"}}') SETTINGS input_format_json_try_infer_named_tuples_from_objects = 0;
DESCRIBE TABLE format(JSONEachRow, '{"a":{"x":1},"b":[{"x":1}]}') SETTINGS input_format_json_try_infer_named_tuples_from_objects = 0, input_format_json_read_objects_as_strings = 0;
SELECT a + 1 FROM format(JSONEachRow, '{"a":"12"}') SETTINGS input_format_json_try_infer_numbers_from_strings = 1;
