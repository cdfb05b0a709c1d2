-- { configs: default }
-- { echoOn }
SELECT 1 AS a, 'x"y' AS b, NULL AS c, [1, 2] AS d FORMAT CSV;
SELECT 1 AS a, 'x,y' AS b FORMAT CSVWithNames;
SELECT number AS n, toString(number) AS s FROM numbers(2) ORDER BY n FORMAT JSONEachRow;
SELECT 1 AS a, 'q"\\' AS s, NULL AS n, [1.5, nan] AS f, (1, 'x') AS t FORMAT JSONEachRow;
SELECT number AS n FROM numbers(2) ORDER BY n FORMAT JSONCompactEachRow;
SELECT 1, 'x\'y', NULL, ['a'] FORMAT Values;
SELECT 18446744073709551615 AS u, toDate('2024-01-01') AS d, true AS b FORMAT JSONEachRow;
SELECT 1 AS a, 2 AS b FORMAT XML SETTINGS output_format_write_statistics = 0;
SELECT number AS n, 'a' AS s FROM numbers(2) ORDER BY n FORMAT JSONCompact SETTINGS output_format_write_statistics = 0;
SELECT number AS n, 'a' AS s FROM numbers(2) ORDER BY n FORMAT JSON SETTINGS output_format_write_statistics = 0;
SELECT 1 AS a, 'b' AS c FORMAT TSKV;
SELECT 1 AS a, 'b' AS c FORMAT Markdown;
