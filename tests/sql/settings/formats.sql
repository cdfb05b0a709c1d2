-- { configs: default }
-- Settings of formats, in what is written and in what is read.
SET format_csv_null_representation = 'nil', format_tsv_null_representation = 'none';
SELECT NULL, toNullable(1), [NULL], tuple(NULL, 1) FORMAT CSV;
SELECT NULL, toNullable(1), [NULL], tuple(NULL) FORMAT TSV;
SELECT NULL, toNullable('a\tb') FORMAT TSVRaw;
CREATE TABLE n (a Int32, b Nullable(String)) ENGINE = Memory;
INSERT INTO n FORMAT CSV 1,nil
INSERT INTO n FORMAT CSV 2,nill
INSERT INTO n FORMAT CSV 3,\N
INSERT INTO n FORMAT TSV 4	none
INSERT INTO n FORMAT TSV 5	nonesuch
INSERT INTO n FORMAT TSV none	six
SELECT a, b, isNull(b) FROM n ORDER BY a, b;
SET format_csv_null_representation = DEFAULT, format_tsv_null_representation = DEFAULT;
SELECT NULL FORMAT CSV;

SELECT 1 AS a, 'x' AS b FORMAT CSVWithNames SETTINGS output_format_csv_crlf_end_of_line = 1;
SELECT 1 AS a, 'x' AS b FORMAT TSVWithNames SETTINGS output_format_tsv_crlf_end_of_line = 1;

SET input_format_csv_skip_first_lines = 1;
INSERT INTO n SETTINGS input_format_csv_skip_first_lines = 0 FORMAT CSV 7,seven
INSERT INTO n FORMAT CSV 8,skipped
SET input_format_csv_skip_first_lines = 0, input_format_tsv_skip_first_lines = 1;
INSERT INTO n FORMAT TSV 9	skipped
SET input_format_tsv_skip_first_lines = 0;
SELECT a, b FROM n WHERE a > 6 ORDER BY a;

SELECT 1.5::Float64 AS a, 1.5::Float32 AS b, 1.5::Decimal(5, 2) AS c, [2.5] AS d, nan AS e FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_floats = 1, output_format_json_quote_decimals = 1;
SELECT 1.5::Decimal(5, 2) AS c, [toDecimal64(2.5, 1)] AS d FORMAT JSONCompactEachRow SETTINGS output_format_json_quote_decimals = 1;

SET date_time_output_format = 'iso';
SELECT toDateTime('2020-01-02 03:04:05', 'UTC') AS a, toDateTime64('2020-01-02 03:04:05.123', 3, 'Europe/Berlin') AS b, [a] AS c, toDate('2020-01-02') AS d FORMAT TSV;
SELECT toDateTime('2020-01-02 03:04:05', 'UTC') AS a, toDateTime64('2020-01-02 03:04:05.123', 3, 'UTC') AS b, [a] AS c FORMAT CSV;
SELECT toDateTime('2020-01-02 03:04:05', 'UTC') AS a, toDateTime64('2020-01-02 03:04:05.123', 3, 'UTC') AS b, [a] AS c FORMAT JSONEachRow;
SELECT toDateTime('2020-01-02 03:04:05', 'UTC') AS a, toString(a) FORMAT Vertical;
SET date_time_output_format = 'unix_timestamp';
SELECT toDateTime('2020-01-02 03:04:05', 'UTC') AS a, toDateTime64('2020-01-02 03:04:05.123', 3, 'UTC') AS b, [a] AS c FORMAT TSV;
SELECT toDateTime('2020-01-02 03:04:05', 'UTC') AS a, toDateTime64('2020-01-02 03:04:05.120', 2, 'UTC') AS b, toNullable(a) AS c FORMAT CSV;
SELECT toDateTime('2020-01-02 03:04:05', 'UTC') AS a, toDateTime64('1960-01-02 03:04:05.123', 3, 'UTC') AS b FORMAT JSONEachRow;
SET date_time_output_format = 'simple';

INSERT INTO n SETTINGS input_format_values_interpret_expressions = 1 VALUES (10 + 1, 'x');
SELECT max(a) FROM n;
