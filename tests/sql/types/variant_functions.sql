-- { echoOn }
SELECT variantElement(v, 'String') AS x, toTypeName(x), variantElement(v, 'UInt64'), variantType(v) FROM (SELECT arrayJoin(['42', 'abc', NULL])::Variant(UInt64, String) AS v);
SELECT variantElement(v, 'Array(UInt8)') AS x, toTypeName(x) FROM (SELECT arrayJoin(['42', '[1,2]', NULL])::Variant(UInt64, Array(UInt8)) AS v);
SELECT variantElement([CAST('a', 'Variant(UInt64, String)')], 'String') AS x, toTypeName(x);
SELECT variantElement('a'::Variant(UInt64, String), 'UInt64', 5), variantElement('a'::Variant(UInt64, String), 'Date', 'none');
SELECT variantElement('a'::Variant(UInt64, String), 'Date'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT variantElement(1, 'Date'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT variantElement('a'::Variant(UInt64, String)); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT variantElement('a'::Variant(UInt64, String), toString(number)) FROM numbers(1); -- { serverError ILLEGAL_COLUMN }
SELECT variantType(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toTypeName(variantType('a'::Variant(UInt64, String))), CAST(variantType(arrayJoin(['42', 'a', NULL])::Variant(UInt64, String)), 'Int8');
SELECT v.String, v.UInt64, v.`Array(UInt8)`, v.`Array(UInt8)`.size0 FROM (SELECT arrayJoin(['1', 'abc', NULL, '[1,2]'])::Variant(UInt64, String, Array(UInt8)) AS v);
SELECT v.Date FROM (SELECT 'abc'::Variant(UInt64, String) AS v); -- { serverError UNKNOWN_IDENTIFIER }
SELECT isNull(v), isNotNull(v), v IS NULL, v IS NOT NULL, isNullable(v) FROM (SELECT arrayJoin(['1', 'abc', NULL])::Variant(UInt64, String) AS v);
SELECT ifNull(v, 'x') AS x, coalesce(NULL, v, 'y'), toTypeName(x) FROM (SELECT arrayJoin(['1', 'abc', NULL])::Variant(UInt64, String) AS v);
SELECT if(number % 2 = 0, v, 'odd') AS x, if(number % 2 = 0, v, 1.5) AS y, toTypeName(y) FROM (SELECT number, if(number < 2, number, toString(number)) AS v FROM numbers(4)) ORDER BY number;
SELECT tuple(v, 1) AS t, t.1, toTypeName(t), map('a', v), [v] FROM (SELECT arrayJoin(['[1,2]', 'abc', NULL])::Variant(Array(UInt8), String) AS v);
SELECT assumeNotNull(v), toTypeName(assumeNotNull(v)), materialize(v), identity(v) FROM (SELECT arrayJoin(['1', 'abc', NULL])::Variant(UInt64, String) AS v);
SELECT toNullable('a'::Variant(UInt64, String)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT nullIf('a'::Variant(UInt64, String), 'a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
-- a function over the alternatives
SELECT length(v) AS x, toTypeName(x) FROM (SELECT arrayJoin(['[1,2]', 'abc', NULL])::Variant(Array(UInt8), String) AS v);
SELECT v + 1 AS x, toTypeName(x), v + v FROM (SELECT arrayJoin(['1', '2.5', NULL])::Variant(UInt64, Float64) AS v);
SELECT reverse(v) AS x, toTypeName(x) FROM (SELECT arrayJoin(['[1,2]', 'abc', NULL])::Variant(Array(UInt8), String) AS v);
SELECT v[1] AS x, toTypeName(x) FROM (SELECT arrayJoin(['[1,2]', '[3]', NULL])::Variant(Array(UInt8), String) AS v);
SELECT concat(v, 'x') AS x, v || v, toTypeName(x) FROM (SELECT arrayJoin(['1', 'b', NULL])::Variant(UInt64, String) AS v);
SELECT upper(v) AS x, toTypeName(x) FROM (SELECT arrayJoin(['a', 'b', NULL])::Variant(String, Date) AS v);
SELECT toDate(v), toInt32(v) FROM (SELECT arrayJoin(['2020-01-01', '2020-01-02', NULL])::Variant(Date, UInt64) AS v);
SELECT upper(v) FROM (SELECT arrayJoin(['a', '2020-01-01'])::Variant(String, Date) AS v); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT length(v) FROM (SELECT arrayJoin(['2020-01-01', 'abc', NULL])::Variant(Date, String) AS v) SETTINGS variant_throw_on_type_mismatch = 0;
SELECT abs('a'::Variant(Date, String)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT '1'::Variant(UInt8, String) AND 1; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT count() FROM (SELECT '1'::Variant(UInt8, String) AS v) WHERE v; -- { serverError ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER }
-- comparison
SELECT v = 'b', v != 'b', v < 'b', toTypeName(v = 'b') FROM (SELECT arrayJoin(['a', 'b', NULL])::Variant(UInt64, String) AS v);
SELECT a = b, a < b FROM (SELECT arrayJoin(['a', 'b'])::Variant(UInt64, String) AS a, 'b'::Variant(UInt64, String) AS b);
SELECT v = 42 FROM (SELECT arrayJoin(['a', 'b'])::Variant(String, UInt64) AS v); -- { serverError NO_COMMON_TYPE }
SELECT v IN ('abc', '43'), v NOT IN ('abc', '43'), v IN (SELECT 'abc'::Variant(UInt64, String)) FROM (SELECT arrayJoin(['1', 'abc', NULL, '43'])::Variant(UInt64, String) AS v);
-- order and groups
SELECT v FROM (SELECT arrayJoin(['1', 'abc', NULL, '[1,2]', '2', 'b', '[]'])::Variant(UInt64, String, Array(UInt8)) AS v) ORDER BY v; -- { serverError ILLEGAL_COLUMN }
SELECT v FROM (SELECT arrayJoin(['1', 'abc', NULL, '[1,2]', '2', 'b', '[]'])::Variant(UInt64, String, Array(UInt8)) AS v) ORDER BY v SETTINGS allow_suspicious_types_in_order_by = 1;
SELECT v FROM (SELECT arrayJoin(['1', 'abc', NULL, '[1,2]', '2', 'b', '[]'])::Variant(UInt64, String, Array(UInt8)) AS v) ORDER BY v DESC SETTINGS allow_suspicious_types_in_order_by = 1;
SELECT v FROM (SELECT arrayJoin(['1', 'abc', NULL, '[1,2]', '2', 'b', '[]'])::Variant(UInt64, String, Array(UInt8)) AS v) ORDER BY v NULLS FIRST SETTINGS allow_suspicious_types_in_order_by = 1;
SELECT v FROM (SELECT arrayJoin(['1', 'abc', NULL, '[1,2]', '2', 'b', '[]'])::Variant(UInt64, String, Array(UInt8)) AS v) ORDER BY v DESC NULLS FIRST LIMIT 3 SETTINGS allow_suspicious_types_in_order_by = 1;
SELECT v, count() FROM (SELECT arrayJoin(['1', 'abc', NULL, '1', 'abc'])::Variant(UInt64, String) AS v) GROUP BY v; -- { serverError ILLEGAL_COLUMN }
SELECT v, count() FROM (SELECT arrayJoin(['1', 'abc', NULL, '1', 'abc'])::Variant(UInt64, String) AS v) GROUP BY v ORDER BY toString(v) SETTINGS allow_suspicious_types_in_group_by = 1;
SELECT v, number % 2 AS k, count() FROM (SELECT number, if(number % 3 = 0, number % 4, toString(number % 4)) AS v FROM numbers(20)) GROUP BY v, k ORDER BY toString(v), variantType(v), k SETTINGS allow_suspicious_types_in_group_by = 1;
SELECT DISTINCT v FROM (SELECT arrayJoin(['1', 'abc', NULL, '1', 'abc'])::Variant(UInt64, String) AS v) ORDER BY toString(v);
SELECT variantType(v) AS t, count() FROM (SELECT arrayJoin(['1', 'abc', NULL, '1', 'abc'])::Variant(UInt64, String) AS v) GROUP BY t ORDER BY t;
-- aggregates
SELECT count(v), count(), any(v), anyLast(v), groupArray(v), uniq(v), uniqExact(v) FROM (SELECT if(number % 3 = 0, NULL, if(number % 3 = 1, number, toString(number))) AS v FROM (SELECT number FROM numbers(7) ORDER BY number));
SELECT arraySort(x -> toString(x), groupUniqArray(v)) FROM (SELECT arrayJoin(['1', 'abc', NULL, '1', 'abc'])::Variant(UInt64, String) AS v);
SELECT argMax(v, number), argMin(v, number) FROM (SELECT number, if(number % 2 = 0, number, toString(number)) AS v FROM numbers(7));
SELECT min(v) FROM (SELECT 'a'::Variant(UInt64, String) AS v); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT argMin(1, v) FROM (SELECT 'a'::Variant(UInt64, String) AS v); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT sum(v) FROM (SELECT 'a'::Variant(UInt64, String) AS v); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT sum(v.UInt64), count(v.String) FROM (SELECT arrayJoin(['1', 'abc', NULL, '41'])::Variant(UInt64, String) AS v);
-- subqueries, windows, joins
SELECT (SELECT '1'::Variant(UInt8, String)) AS x, toTypeName(x);
SELECT number, lagInFrame(v) OVER (ORDER BY number), leadInFrame(v) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM (SELECT number, if(number % 2 = 0, number, toString(number)) AS v FROM numbers(4)) ORDER BY number;
SELECT a.number, b.v FROM numbers(4) AS a LEFT JOIN (SELECT number, if(number % 2 = 0, number, toString(number)) AS v FROM numbers(2)) AS b ON a.number = b.number ORDER BY a.number;
SELECT a.number, b.number FROM (SELECT number, if(number % 2 = 0, number, toString(number)) AS v FROM numbers(4)) AS a JOIN (SELECT number, if(number % 2 = 0, number, toString(number)) AS v FROM numbers(1, 2)) AS b ON a.v = b.v ORDER BY a.number;
-- hashes, sizes and text
SELECT cityHash64(v), sipHash64(v), murmurHash3_32(v), cityHash64(v, 1), cityHash64([v]) FROM (SELECT arrayJoin(['42', 'abc', NULL, '[1,2]'])::Variant(UInt64, String, Array(UInt8)) AS v);
SELECT byteSize(v), byteSize([v, v]) FROM (SELECT arrayJoin(['42', 'abc', NULL])::Variant(UInt64, String) AS v);
SELECT toString([v]), toString((v, 1)), toString(map('k', v)), concat([v], 'x') FROM (SELECT arrayJoin(['1', 'a\'b', NULL, '[1,2]', '2020-01-01'])::Variant(UInt64, String, Array(UInt8), Date) AS v);
SELECT x, arrayMap(e -> variantType(e), x) FROM (SELECT '[1,\'43\',\'a\',NULL,[1,2],\'2020-01-01\']'::Array(Variant(UInt64, String, Array(UInt8), Date)) AS x);
SELECT '[-5]'::Array(Variant(UInt64, String)); -- { serverError INCORRECT_DATA }
SELECT v, variantType(v) FROM values('v Variant(UInt8, String, Array(UInt8))', 1, 'a', NULL, '43', [1]);
SELECT count() FROM (SELECT arrayJoin(['1', 'abc', '2'])::Variant(UInt8, String) AS v) GROUP BY v WITH ROLLUP; -- { serverError ILLEGAL_COLUMN }
SELECT v, count() FROM (SELECT arrayJoin(['1', 'abc', '2'])::Variant(UInt8, String) AS v) GROUP BY ALL; -- { serverError ILLEGAL_COLUMN }
SELECT row_number() OVER (PARTITION BY v ORDER BY 1) FROM (SELECT '1'::Variant(UInt8, String) AS v); -- { serverError ILLEGAL_COLUMN }
SELECT sum(1) OVER (ORDER BY v) FROM (SELECT '1'::Variant(UInt8, String) AS v); -- { serverError ILLEGAL_COLUMN }
