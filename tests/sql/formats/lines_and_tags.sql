-- { configs: default }
-- { echoOn }
SELECT number AS n, 'a=b\tc' AS `x=y`, NULL AS e, [1, 2] AS arr FROM numbers(2) ORDER BY n FORMAT TSKV;
SELECT number AS n, 'a\tc' AS s, NULL AS e, ['q\'w'] AS arr FROM numbers(2) ORDER BY n FORMAT CustomSeparated;
SELECT number AS n, 'a\tc' AS s FROM numbers(2) ORDER BY n FORMAT CustomSeparatedWithNames;
SELECT number AS n, 'a\tc' AS s FROM numbers(2) ORDER BY n FORMAT CustomSeparatedWithNamesAndTypes;
SELECT number AS n, 'a\\c' AS s, NULL AS e, ['q\'w'] AS arr FROM numbers(2) ORDER BY n FORMAT LineAsString;
SELECT number AS n, 'a\\c' AS s FROM numbers(2) ORDER BY n FORMAT LineAsStringWithNames;
SELECT 'abc' AS x, toFixedString('de', 2) AS y FORMAT RawBLOB;
SELECT number AS n, 'a<b&"c>' AS s, NULL AS e, [(1, '<')] AS `no tag`, map('k', 1) AS m FROM numbers(2) ORDER BY n FORMAT XML SETTINGS output_format_write_statistics = 0;
SELECT number AS n, 'a\'b' AS s, NULL AS e, [1, 2] AS `a b`, toDate('2020-01-02') AS d FROM numbers(3) ORDER BY n FORMAT SQLInsert;
SELECT 1 AS x WHERE 0 FORMAT SQLInsert;
SELECT number AS x, 'ab' AS y, toNullable('z') AS z FROM numbers(3) ORDER BY x FORMAT PrettySpace;
SELECT 'a\nb' AS x, 1 AS y FORMAT PrettySpaceNoEscapes;
SELECT number AS x, 'a' AS s, 'bcd' AS y FROM numbers(10) ORDER BY x FORMAT PrettySpaceMonoBlock SETTINGS output_format_pretty_max_rows = 4;
SELECT number AS x FROM numbers(60) ORDER BY x FORMAT PrettySpaceNoEscapesMonoBlock;
SELECT 1234567 AS x FORMAT PrettySpace;
