-- { configs: default }
-- Settings of numbers, enums, tuples and fixed strings in text formats.
SET output_format_decimal_trailing_zeros = 1;
SELECT 1.5::Decimal(9, 4) AS a, [1.50::Decimal(9, 4)] AS b, 2::Decimal(9, 2) AS c, -0.5::Decimal(5, 5) AS d, 7::Decimal(18, 0) AS e FORMAT TSV;
SELECT 1.5::Decimal(9, 4) AS a, [1.50::Decimal(9, 4)] AS b, 0::Decimal(9, 2) AS c FORMAT JSONEachRow;
SELECT 1.5::Decimal(9, 4) AS a FORMAT JSONEachRow SETTINGS output_format_json_quote_decimals = 1;
SELECT toString(1.5::Decimal(9, 4)), concat(1.5::Decimal(9, 4), '');
SELECT 1.5::Decimal(9, 4) AS a, -0.5::Decimal(38, 5) AS d FORMAT Values;
SELECT 1;
SELECT 1.5::Decimal(9, 4) AS a FORMAT Pretty;
SET output_format_decimal_trailing_zeros = 0, output_format_trim_fixed_string = 1;
SELECT toFixedString('ab', 4) AS a, [a] AS b FORMAT TSV;
SELECT toFixedString('ab', 4) AS a, [a] AS b FORMAT JSONEachRow;
SELECT toFixedString('ab', 4) AS a, [a] AS b FORMAT CSV;
SELECT toFixedString('', 2) AS a, length(a) FORMAT TSV;
SELECT (1, 'x')::Tuple(a Int, b String) AS t, [1] AS c FORMAT CSVWithNamesAndTypes SETTINGS output_format_csv_serialize_tuple_into_separate_columns = 0;
SELECT (1, 'x')::Tuple(a Int, b String) AS t, [1] AS c FORMAT CSVWithNamesAndTypes SETTINGS output_format_csv_header_serialize_tuple_into_separate_columns = 0;
SELECT (1, 'x')::Tuple(a Int, b String) AS t, [1] AS c FORMAT CSVWithNamesAndTypes;
SELECT * FROM format(CSV, 't Tuple(Int, String), c Int', '"(1,''x'')",2') SETTINGS input_format_csv_deserialize_separate_columns_into_tuple = 0;
SELECT * FROM format(CSV, 't Tuple(Int, String), c Int', '1,x,2') SETTINGS input_format_csv_deserialize_separate_columns_into_tuple = 0; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SELECT 'a*b_c|d`e\\' AS `x*y`, ['*'] AS b, '!"#$%&()*+,-./:;<=>?@[]^_`{|}~' AS c FORMAT Markdown SETTINGS output_format_markdown_escape_special_characters = 1;
SET input_format_csv_enum_as_number = 1, input_format_tsv_enum_as_number = 1;
SELECT * FROM format(CSV, 'e Enum8(''1''=2, ''2''=1)', '1\n2');
SELECT * FROM format(CSV, 'e Enum8(''a''=1, ''b''=2)', '3'); -- { serverError UNKNOWN_ELEMENT_OF_ENUM }
SELECT * FROM format(CSV, 'e Enum8(''a''=1, ''b''=2)', 'a'); -- { serverError UNKNOWN_ELEMENT_OF_ENUM }
SELECT * FROM format(CSV, 'e Array(Enum16(''a''=1, ''b''=2))', '"[''a'',''b'']"');
SELECT * FROM format(TSV, 'e Enum8(''a''=1, ''b''=2), n Nullable(Enum16(''c''=-3))', '1\t-3\n2\t\\N');
SELECT * FROM format(TSV, 'e Enum8(''a''=1, ''b''=2)', 'a'); -- { serverError UNKNOWN_ELEMENT_OF_ENUM }
SELECT * FROM format(TSVRaw, 'e Enum8(''a''=1, ''b''=2)', '2');
SELECT * FROM format(TSKV, 'e Enum8(''a''=1, ''b''=2)', 'e=2\n');
SET input_format_csv_enum_as_number = 0;
SELECT * FROM format(CSV, 'e Enum8(''a''=1, ''b''=2)', 'a\n2');
