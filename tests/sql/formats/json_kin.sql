-- { configs: default }
-- { echoOn }
SELECT number AS n, 'a"b' AS s, [1, 2] AS arr, (toUInt8(1), 'z') AS t, CAST((1, 'x'), 'Tuple(a UInt8, b String)') AS nt, CAST(NULL, 'Nullable(String)') AS ns, true AS b, toDate('2020-01-02') AS d, 1.5 AS f, [('q', 1)] AS at FROM numbers(2) ORDER BY n FORMAT JSONStringsEachRow;
SELECT number AS n, 'a"b' AS s, [1, 2] AS arr, (toUInt8(1), 'z') AS t, CAST((1, 'x'), 'Tuple(a UInt8, b String)') AS nt, CAST(NULL, 'Nullable(String)') AS ns, true AS b, toDate('2020-01-02') AS d, 1.5 AS f, [('q', 1)] AS at FROM numbers(2) ORDER BY n FORMAT JSONCompactStringsEachRowWithNamesAndTypes;
SELECT number AS n, 'a"b' AS s, [1, 2] AS arr, (toUInt8(1), 'z') AS t, CAST((1, 'x'), 'Tuple(a UInt8, b String)') AS nt, CAST(NULL, 'Nullable(String)') AS ns, true AS b, toDate('2020-01-02') AS d, 1.5 AS f, [('q', 1)] AS at FROM numbers(2) ORDER BY n FORMAT JSONCompactEachRowWithNamesAndTypes;
SELECT number AS n, 'x' AS s FROM numbers(2) ORDER BY n FORMAT JSONCompactEachRowWithNames;
SELECT number AS n, 'x' AS s FROM numbers(2) ORDER BY n FORMAT JSONCompactStringsEachRow;
SELECT number AS n, 'x' AS s FROM numbers(2) ORDER BY n FORMAT JSONCompactStringsEachRowWithNames;
SELECT number AS n, 'x' AS s, NULL AS e FROM numbers(2) ORDER BY n FORMAT JSONStrings SETTINGS output_format_write_statistics = 0;
SELECT number AS n, 'x' AS s, NULL AS e FROM numbers(2) ORDER BY n FORMAT JSONCompactStrings SETTINGS output_format_write_statistics = 0;
SELECT number AS n, 'a"b' AS s, [1, 2] AS arr, (toUInt8(1), 'z') AS t, CAST((1, 'x'), 'Tuple(a UInt8, b String)') AS nt, CAST(NULL, 'Nullable(String)') AS ns, true AS b FROM numbers(2) ORDER BY n FORMAT JSONColumns;
SELECT number AS n, 'a"b' AS s, [1, 2] AS arr, (toUInt8(1), 'z') AS t, CAST((1, 'x'), 'Tuple(a UInt8, b String)') AS nt, CAST(NULL, 'Nullable(String)') AS ns, true AS b FROM numbers(2) ORDER BY n FORMAT JSONCompactColumns;
SELECT number AS n, 'x' AS s FROM numbers(2) ORDER BY n FORMAT JSONColumnsWithMetadata SETTINGS output_format_write_statistics = 0;
SELECT number AS n, 'a"b' AS s, [1, 2] AS arr, (toUInt8(1), 'z') AS t, CAST((1, 'x'), 'Tuple(a UInt8, b String)') AS nt, [('q', 1)] AS at FROM numbers(2) ORDER BY n FORMAT PrettyJSONEachRow;
SELECT number AS n, 'x' AS s, [(1, 'y')] AS a FROM numbers(2) ORDER BY n FORMAT JSONObjectEachRow;
SELECT 1 AS x WHERE 0 FORMAT JSONColumns;
SELECT 1 AS x WHERE 0 FORMAT JSONCompactColumns;
SELECT 1 AS x WHERE 0 FORMAT JSONObjectEachRow;
SELECT 1 AS x WHERE 0 FORMAT JSONStringsEachRow;
SELECT 1 AS x WHERE 0 FORMAT JSONAsString; -- { serverError FORMAT_IS_NOT_SUITABLE_FOR_OUTPUT }
