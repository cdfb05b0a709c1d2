-- Times in input: ISO 8601 with offsets and other usual forms, and what is inferred of them.
-- { echoOn }
SELECT * FROM format(JSONEachRow, 't DateTime(\'UTC\'), u DateTime(\'UTC\'), v DateTime64(3, \'UTC\'), w DateTime(\'UTC\'), d Date', '{"t":"2024-01-02T03:04:05+02:00","u":"2024-01-02T03:04:05Z","v":"2024-01-02T03:04:05.123Z","w":"2024-01-02 03:04:05","d":"2024-01-02"}');
SELECT * FROM format(CSV, 'a DateTime(\'UTC\'), b DateTime(\'UTC\'), c DateTime(\'UTC\'), d DateTime(\'UTC\')', '2024-01-02T03:04:05+02:00,"2024-01-02T03:04:05Z",2024-01-02T03:04:05.123Z,2024-01-02');
SELECT * FROM format(TSV, 'a DateTime(\'UTC\'), b DateTime64(3, \'UTC\')', '2024-01-02 03:04:05 +02:00\t2024-01-02T03:04:05.1+0200\nJan 2 2024\t02/01/2024\n2024-1-2\t2024/01/02\n20240102\t20240102\n2024-01-02 03:04:05.5\t1704164645\nTue, 02 Jan 2024 03:04:05 GMT\tTue, 02 Jan 2024 03:04:05 GMT\n') ORDER BY a, b;
SELECT * FROM format(Values, 'a DateTime(\'UTC\')', '(\'2024-01-02T03:04:05+02:00\')');
SELECT * FROM format(JSONEachRow, 't DateTime(\'UTC\')', '{"t":"2024-01-02T03:04:05+02:00"}') SETTINGS date_time_input_format = 'basic'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SELECT * FROM format(TSV, 'a DateTime(\'UTC\')', '02/01/2024\n') SETTINGS date_time_input_format = 'best_effort_us';
SELECT toTypeName(t), toTypeName(u), toTypeName(v), toTypeName(w), toTypeName(d) FROM format(JSONEachRow, '{"t":"2024-01-02T03:04:05+02:00","u":"2024-01-02T03:04:05Z","v":"2024-01-02T03:04:05.123Z","w":"2024-01-02 03:04:05","d":"2024-01-02"}');
SELECT toTypeName(c1), toTypeName(c2), toTypeName(c3), toTypeName(c4), toTypeName(c5), toTypeName(c6) FROM format(CSV, '"2024-01-02 03:04:05.123","2024-1-2",2024/01/02,"Jan 2 2024","10:11:12","2024-01"');
SELECT toTypeName(c1), toTypeName(c2), toTypeName(c3), toTypeName(c4) FROM format(TSV, '2024-01-02 03:04\t02/01/2024\t12.5.2024\t20240102');
SELECT * FROM format(JSON, 'a UInt8, b String', '[{"a":1,"b":"x"},{"a":2,"b":"y"}]') ORDER BY a;
SELECT * FROM format(JSON, '{"a":1,"b":"x"}');
SELECT * FROM format(JSON, '{"a":1,"b":"x"}\n{"a":2,"b":"y"}') ORDER BY a;
SELECT * FROM format(JSON, '{"meta":[{"name":"a","type":"UInt8"}],"data":[{"a":1}]}');
SELECT * FROM format(JSONEachRow, '[{"a":1},{"a":2}]') ORDER BY a;
SELECT * FROM format(JSONColumns, '{"a":[1,2],"b":["x","y"]}') ORDER BY a;
