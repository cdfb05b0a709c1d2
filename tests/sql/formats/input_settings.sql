-- Rows in the query as formats with settings: NULL, lines passed over, errors, names, types.
-- { echoOn }
SELECT * FROM format(CSV, 'a Nullable(UInt8), b Nullable(UInt8)', 'skip\nme\n1;NA\nNA;3\n') ORDER BY b SETTINGS input_format_csv_skip_first_lines = 2, format_csv_delimiter = ';', format_csv_null_representation = 'NA';
SELECT * FROM format(TSV, 'a UInt8, b String', 'skip\n1\tx\n2\ty\n') ORDER BY a SETTINGS input_format_tsv_skip_first_lines = 1;
SELECT * FROM format(CSV, 'a Int8, b Int8', '1,2\nbad,3\n4,5\n') ORDER BY a SETTINGS input_format_allow_errors_num = 1;
SELECT * FROM format(CSV, 'a Int8, b Int8', '1,2\nbad,3\n4,5\n') ORDER BY a SETTINGS input_format_allow_errors_ratio = 0.5;
SELECT * FROM format(CSV, 'a Int8, b Int8', '1,2\nbad,3\nbad,4\n4,5\n') SETTINGS input_format_allow_errors_num = 1; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SELECT * FROM format(JSONEachRow, 'a Int8', '{"a":1}\n{"a":[1]}\n{"a":3}\n') ORDER BY a SETTINGS input_format_allow_errors_num = 1;
SELECT * FROM format(CSV, 'a Int8, b String, c String', '1 , "x" , y \n') SETTINGS input_format_csv_trim_whitespaces = 1;
SELECT a, concat('[', b, ']') FROM format(CSV, 'a Int8, b String', '1, y \n') SETTINGS input_format_csv_trim_whitespaces = 0;
SELECT * FROM format(CSV, 'a,b\n1,2\n') SETTINGS input_format_csv_detect_header = 0;
SELECT * FROM format(CSV, 'a,b\n1,2\n');
SELECT * FROM format(CSVWithNames, 'a Int8, b String', 'b,a\n1,2\n') SETTINGS input_format_with_names_use_header = 0;
SELECT * FROM format(CSVWithNames, 'a Int8, b String', 'b,a\n1,2\n');
SELECT x, toTypeName(x), y, toTypeName(y) FROM format(TSV, '1\tx\n') SETTINGS column_names_for_schema_inference = 'x,y';
SELECT a, toTypeName(a), b, toTypeName(b) FROM format(CSVWithNames, 'a,b\n1,x\n') SETTINGS schema_inference_hints = 'a UInt8';
SELECT a, toTypeName(a), b, toTypeName(b) FROM format(CSVWithNames, 'a,b\n1,x\n') SETTINGS schema_inference_make_columns_nullable = 0;
SELECT c1, toTypeName(c1) FROM format(CSV, '1\n2\nx\n') ORDER BY c1 SETTINGS input_format_max_rows_to_read_for_schema_inference = 3;
SELECT 1, NULL, 'x' FORMAT CSV SETTINGS format_csv_null_representation = 'NA', output_format_csv_crlf_end_of_line = 1;
SELECT 1, NULL, 'x' FORMAT TSV SETTINGS format_tsv_null_representation = 'NA', output_format_tsv_crlf_end_of_line = 1;
SELECT * FROM format(JSONEachRow, 'a Int8', '{"a":1,"z":2}') SETTINGS input_format_skip_unknown_fields = 0; -- { serverError INCORRECT_DATA }
SELECT * FROM format(CSVWithNames, 'a Int8', 'a,z\n1,2\n') SETTINGS input_format_skip_unknown_fields = 0; -- { serverError INCORRECT_DATA }
