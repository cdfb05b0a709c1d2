-- { configs: default }
-- { echoOn }
SELECT number AS n, 'x' AS s, NULL AS e FROM numbers(2) ORDER BY n FORMAT JSONStrings SETTINGS output_format_write_statistics = 0;
SELECT number AS n, 'x' AS s, NULL AS e FROM numbers(2) ORDER BY n FORMAT JSONCompactStrings SETTINGS output_format_write_statistics = 0;
SELECT number AS n, 'x' AS s FROM numbers(2) ORDER BY n FORMAT JSONColumnsWithMetadata SETTINGS output_format_write_statistics = 0;
SELECT number AS n, 'a<b&"c>' AS s, NULL AS e, [(1, '<')] AS `no tag`, map('k', 1) AS m FROM numbers(2) ORDER BY n FORMAT XML SETTINGS output_format_write_statistics = 0;
