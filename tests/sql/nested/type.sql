-- The type by itself.
SELECT toTypeName(CAST([(1, 'a')] AS Nested(a UInt8, b String)));
SELECT CAST([(1, 'a')] AS Nested(a UInt8, b String)) AS n, n.a;
SELECT CAST('[(1, \'a\')]' AS Nested(a UInt8, b String)) AS n, n.b;
SELECT [(1, 'a')]::Nested(a UInt8, b String);
SELECT toTypeName(CAST([], 'Array(Nested(a UInt8, b Nested(c UInt8)))'));
SELECT toTypeName(CAST([], 'Nested(`a b` UInt8, x Nullable(UInt8))'));
SELECT toTypeName(CAST([], 'Nested(a Tuple(x UInt8, y UInt8), b UInt8)'));
SELECT CAST([], 'Nested(UInt8, String)'); -- { serverError SYNTAX_ERROR }
SELECT CAST([], 'Nested(a UInt8, String)'); -- { serverError SYNTAX_ERROR }
SELECT CAST([], 'Nested()'); -- { serverError EMPTY_DATA_PASSED }
SELECT CAST([], 'Nested'); -- { serverError EMPTY_DATA_PASSED }
SELECT CAST([], 'Nullable(Nested(a UInt8))'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT CAST([], 'LowCardinality(Nested(a UInt8))'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT CAST([], 'Nested(a UInt8, a String)'); -- { serverError DUPLICATE_COLUMN }
SELECT CAST([[[1]]], 'Nested(a Array(Array(UInt8)))'); -- { serverError TYPE_MISMATCH }
SELECT CAST([(1,2)] AS Nested(a UInt8, b UInt8)) = [(1,2)];
SELECT toTypeName([CAST([(1,2)] AS Nested(a UInt8, b UInt8)), [(2,3)]]);
SELECT toTypeName(if(number = 1, CAST([(1,2)] AS Nested(a UInt8, b UInt8)), [(2,3)])) FROM numbers(1);
SELECT DISTINCT toTypeName(x) FROM (SELECT CAST([(1,2)] AS Nested(a UInt8, b UInt8)) AS x UNION ALL SELECT CAST([(1,2)] AS Nested(a UInt8, b UInt8)));
SELECT toTypeName(CAST(CAST([(1,2)] AS Nested(a UInt8, b UInt8)) AS Nested(a String, b UInt8)));
SELECT CAST(CAST([(1,2)] AS Nested(a UInt8, b UInt8)) AS Array(Tuple(String, UInt64)));
SELECT CAST(CAST([(1,2)] AS Nested(a UInt8, b UInt8)) AS String);
SELECT CAST([(1,2)] AS Nested(a UInt8, b UInt8)) AS n FORMAT JSONEachRow;
SELECT CAST([(1,'p')] AS Nested(a UInt8, b String)) AS n FORMAT TSVWithNamesAndTypes;
SELECT CAST([(1,'p')] AS Nested(a UInt8, b String)) AS n FORMAT CSVWithNamesAndTypes;
SELECT CAST([(1,'p')] AS Nested(a UInt8, b String)) AS n FORMAT JSONCompactEachRowWithNamesAndTypes;
SELECT arrayJoin(CAST([(1,'p'),(2,'q')] AS Nested(a UInt8, b String))) AS n, n.b, toTypeName(n);
SELECT n.a FROM (SELECT CAST([(1,'p'),(2,'q')] AS Nested(a UInt8, b String)) AS n) ARRAY JOIN n;
SELECT hex(cityHash64(CAST([(1,2)] AS Nested(a UInt8, b UInt8)))) = hex(cityHash64([(1,2)]));
SELECT name FROM system.data_type_families WHERE name = 'Nested';
