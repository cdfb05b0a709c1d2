-- { configs: default }
-- What stands for true and false in text formats.
SET bool_true_representation = 'yes', bool_false_representation = 'no';
SELECT true, [true, false], tuple(true), map('a', true), toNullable(false) FORMAT TSV;
SELECT true, [true, false], tuple(true), map('a', true), toNullable(false) FORMAT CSV;
SELECT true AS a, [true, false] AS b, tuple(true) AS c FORMAT JSONEachRow;
SELECT true AS a, [true, false] AS b, tuple(true) AS c FORMAT JSONStringsEachRow;
SELECT true AS a, [true, false] AS b, tuple(true) AS c FORMAT Vertical;
SELECT true AS a, [true, false] AS b FORMAT Markdown;
SELECT true AS a, [true, false] AS b FORMAT TSKV;
SELECT true AS a, [true, false] AS b FORMAT SQLInsert;
SELECT true AS a, [true, false] AS b FORMAT PrettyCompact;
SELECT true AS a, [true, false] AS b FORMAT CustomSeparated SETTINGS format_custom_escaping_rule = 'JSON';
SELECT true AS a, [true, false] AS b FORMAT CustomSeparated SETTINGS format_custom_escaping_rule = 'Quoted';
SELECT true AS a, [true] AS b FORMAT XML SETTINGS output_format_write_statistics = 0;
SELECT toString(true), [true]::String, CAST('yes' AS Bool), CAST('no', 'Bool'), 'true'::Bool, concat(true, 'x'), toString(toNullable(false));
SELECT toString(materialize(true)), CAST(materialize('yes') AS Nullable(Bool));
SELECT CAST('maybe' AS Bool); -- { serverError CANNOT_PARSE_BOOL }
CREATE TABLE b (a Bool, n Nullable(Bool)) ENGINE = Memory;
INSERT INTO b FORMAT CSV yes,no
INSERT INTO b FORMAT TSV no	\N
INSERT INTO b FORMAT JSONEachRow {"a": true, "n": false}
INSERT INTO b VALUES (true, 'yes');
SELECT a, n FROM b ORDER BY a, n;
SELECT * FROM format(TSV, 'a Bool', '1\n0\nTrue\nY\nenabled\non\nno\nyes');
SELECT * FROM format(TSV, 'a Bool', 'yesx'); -- { serverError CANNOT_PARSE_BOOL }
SELECT * FROM format(CSV, 'a Bool', '"yes"'); -- { serverError CANNOT_PARSE_BOOL }
SELECT * FROM format(JSONEachRow, 'a Bool', '{"a":"yes"}'); -- { serverError CANNOT_PARSE_BOOL }
SET bool_true_representation = '1', bool_false_representation = '';
SELECT true, false, [true, false] FORMAT TSV;
SELECT true, false, [true, false] FORMAT CSV;
SET bool_true_representation = 'it''s, "q"	tab';
SELECT true, false, [true, false] FORMAT TSV;
SELECT true, false, [true, false] FORMAT CSV;
