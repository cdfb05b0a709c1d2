-- { echoOn }
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT JSON;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT JSONCompact;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT JSONStrings;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT JSONColumnsWithMetadata;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT TSV;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT CSVWithNames;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT PrettyCompact;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT Pretty;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT PrettySpace;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT Vertical;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT XML;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT JSONEachRow;
SELECT number % 3 AS k, count() AS c FROM numbers(10) GROUP BY k WITH TOTALS ORDER BY k SETTINGS extremes = 1, output_format_write_statistics = 0 FORMAT Values;
SELECT number AS k FROM numbers(2) ORDER BY k SETTINGS extremes = 1 FORMAT Vertical;
