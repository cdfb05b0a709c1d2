-- { echoOn }
CREATE TABLE t (id UInt32, v Variant(UInt64, String, Array(UInt64), Date)) ENGINE = Memory;
INSERT INTO t VALUES (1, 42), (2, 'a"b\'c\td'), (3, [1, 2, 3]), (4, NULL), (5, '2020-01-01'), (6, '43');
SELECT * FROM t ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT * FROM t ORDER BY id FORMAT TSVRaw;
SELECT * FROM t ORDER BY id FORMAT CSV;
SELECT * FROM t ORDER BY id FORMAT JSONEachRow;
SELECT * FROM t ORDER BY id FORMAT JSONCompactEachRow;
SELECT * FROM t ORDER BY id FORMAT JSONStringsEachRow;
SELECT * FROM t ORDER BY id FORMAT JSONColumns;
SELECT * FROM t ORDER BY id FORMAT TSKV;
SELECT * FROM t WHERE id != 2 ORDER BY id FORMAT Pretty;
SELECT * FROM t ORDER BY id FORMAT Vertical;
SELECT * FROM t ORDER BY id FORMAT Markdown;
SELECT * FROM t ORDER BY id FORMAT CustomSeparated;
SELECT [v] AS a, tuple(v) AS t, map('k', v) AS m FROM t ORDER BY id;
SELECT [v] AS a, tuple(v) AS t, map('k', v) AS m FROM t ORDER BY id FORMAT JSONEachRow;
SELECT [v] AS a, map('k', v) AS m FROM t ORDER BY id FORMAT CSV;
-- reading
SELECT v, variantType(v) FROM format(TSV, 'v Variant(Array(UInt64), Date, String, UInt64)', '42\nabc\n[1,2]\n\\N\n2020-01-01\n-5\n1.5\n\n[1,x]\nNULL\n42abc');
SELECT v, variantType(v) FROM format(CSV, 'v Variant(Date, String, UInt64)', '42\nabc\n\\N\n2020-01-01\n"2020-01-02"\n-5\n1.5\n"43"\nNULL\n');
SELECT v, variantType(v) FROM format(JSONEachRow, 'v Variant(Array(UInt64), Date, String, UInt64)', '{"v":42}\n{"v":"abc"}\n{"v":[1,2]}\n{"v":null}\n{"v":"2020-01-01"}\n{"v":-5}\n{"v":1.5}\n{"v":"43"}\n{"v":{"a":1}}\n{"v":[1,"x"]}\n{"v":true}\n{}');
SELECT v, variantType(v) FROM format(JSONEachRow, 'v Variant(Tuple(a UInt8, b String), Map(String, UInt8))', '{"v":{"a":1,"b":"x"}}\n{"v":{"a":1}}\n{"v":{"z":1}}');
SELECT v, variantType(v) FROM format(JSONEachRow, 'v Variant(Bool, Float64, Map(String, UInt8), Array(String))', '{"v":true}\n{"v":1}\n{"v":1.5}\n{"v":{"a":1}}\n{"v":["a"]}\n{"v":null}\n{"v":"1"}');
SELECT v, variantType(v) FROM format(JSONCompactEachRow, 'v Variant(Date, UInt64)', '[42]\n["2020-01-01"]\n[null]');
SELECT v, variantType(v) FROM format(Values, 'v Variant(Array(UInt8), Tuple(UInt8, String), Map(String, UInt8), String)', '([1]), ((1,\'a\')), ({\'a\':1}), (\'[1]\'), (\'x\')');
SELECT v, variantType(v) FROM format(TSV, 'v Variant(Tuple(a UInt8, b String), Map(String, UInt8))', '(1,\'x\')\n{\'a\':1}');
SELECT v, variantType(v) FROM format(TSV, 'v Variant(Date, Float64, Bool)', 'true\n1\n1e3\nnan\ninf\n2020-01-01');
SELECT v, variantType(v) FROM format(TSV, 'v Variant(Decimal(9,2), DateTime(\'UTC\'), UUID)', '1.55\n2020-01-01 10:00:00\n61f0c404-5cb3-11e7-907b-a6006ad3dba0\n1.5555');
SELECT v, variantType(v) FROM format(TSV, 'v Variant(LowCardinality(String), UInt8)', 'abc\n5\n\\N');
SELECT * FROM format(TSV, 'v Array(Variant(Date, UInt64, String))', '[1,\'a\',NULL,\'2020-01-01\', 2]');
SELECT * FROM format(TSV, 'v Tuple(Variant(Date, UInt64), Map(String, Variant(UInt8, String)))', '(1,{\'a\':1,\'b\':\'x\'})');
SELECT * FROM format(JSONEachRow, 'v Array(Variant(Date, UInt64, String))', '{"v":[1,"a",null,"2020-01-01","2"]}');
SELECT v FROM format(TSV, 'v Variant(Date, UInt64)', 'abc'); -- { serverError INCORRECT_DATA }
SELECT v FROM format(CSV, 'v Variant(Date, UInt64)', 'abc'); -- { serverError INCORRECT_DATA }
SELECT v FROM format(JSONEachRow, 'v Variant(Date, UInt64)', '{"v":"abc"}'); -- { serverError INCORRECT_DATA }
SELECT v FROM format(Values, 'v Variant(Date, UInt64)', '(\'abc\')'); -- { serverError INCORRECT_DATA }
-- binary
SELECT v, variantType(v) FROM format(RowBinary, 'v Variant(String, UInt64)', unhex('012A000000000000000003616263FF'));
SELECT v FROM format(RowBinary, 'v Variant(String, UInt64)', unhex('02')); -- { serverError INCORRECT_DATA }
SELECT v, variantType(v) FROM format(Native, unhex('010401761756617269616E7428537472696E672C2055496E7436342900000000000000000100FF01036162632A000000000000002B00000000000000'));
SELECT v FROM format(Native, unhex('010401761E41727261792856617269616E7428537472696E672C2055496E7436342929000000000000000001000000000000000200000000000000030000000000000004000000000000000100FF01036162632A000000000000002B00000000000000'));
SELECT v, variantType(v) FROM format(Native, unhex('010401762E56617269616E74284172726179284C6F7743617264696E616C69747928537472696E6729292C20537472696E6729000000000000000001000000000000000001FF0101000000000000000006000000000000020000000000000000016101000000000000000103616263023433'));
SELECT v FROM format(Native, 'v Variant(String, UInt64)', unhex('010101761756617269616E7428537472696E672C2055496E743634290000000000000000022A00000000000000')); -- { serverError INCORRECT_DATA }
SELECT v, variantType(v) FROM format(Values, 'v Variant(Date, UInt64)', '(\'43\'), (12), (NULL), (\'2020-01-01\')');
SELECT * FROM format(TSV, 'v Array(Variant(Date, UInt64))', '[\'43\']'); -- { serverError INCORRECT_DATA }
