-- How many rows there would be without LIMIT, beside the result: only where a limit is.
SELECT number FROM numbers(100) ORDER BY number LIMIT 3 FORMAT JSON SETTINGS output_format_write_statistics = 0;
SELECT number FROM numbers(100) ORDER BY number LIMIT 3 OFFSET 2 FORMAT JSONCompact SETTINGS output_format_write_statistics = 0;
SELECT number FROM numbers(100) ORDER BY number LIMIT 3 FORMAT XML SETTINGS output_format_write_statistics = 0;
SELECT number FROM numbers(100) ORDER BY number LIMIT 3 FORMAT JSONColumnsWithMetadata SETTINGS output_format_write_statistics = 0;
SELECT number FROM numbers(100) ORDER BY number LIMIT 2 FORMAT JSONStrings SETTINGS output_format_write_statistics = 0;
SELECT number FROM numbers(100) ORDER BY number LIMIT 2 FORMAT JSONCompactStrings SETTINGS output_format_write_statistics = 0;
SELECT number FROM numbers(100) WHERE number > 97 ORDER BY number LIMIT 1 WITH TIES FORMAT JSON SETTINGS output_format_write_statistics = 0;
SELECT number % 2 AS k, count() FROM numbers(100) GROUP BY k WITH TOTALS ORDER BY k LIMIT 1 FORMAT JSON SETTINGS output_format_write_statistics = 0, extremes = 1;
SELECT number FROM numbers(2) ORDER BY number FORMAT JSON SETTINGS output_format_write_statistics = 0;
SELECT number FROM numbers(10) ORDER BY number OFFSET 8 FORMAT JSON SETTINGS output_format_write_statistics = 0;
SELECT number FROM numbers(10) ORDER BY number LIMIT 2 OFFSET 20 FORMAT JSON SETTINGS output_format_write_statistics = 0;
SELECT number FROM (SELECT number FROM numbers(10) ORDER BY number LIMIT 2) ORDER BY number FORMAT JSON SETTINGS output_format_write_statistics = 0;
SELECT count() FROM (SELECT number FROM numbers(10) ORDER BY number LIMIT 5) FORMAT JSON SETTINGS output_format_write_statistics = 0;
SELECT number IN (SELECT number FROM numbers(10) ORDER BY number LIMIT 5) FROM numbers(1) FORMAT JSON SETTINGS output_format_write_statistics = 0, max_bytes_before_external_join = 0;
