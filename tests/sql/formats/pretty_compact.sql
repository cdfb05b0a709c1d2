-- { configs: default }
-- { echoOn }
SELECT 1 AS a, 'hello' AS b, NULL AS c FORMAT PrettyCompact;
SELECT number, number * 1000 AS big, toString(number) AS s FROM numbers(3) ORDER BY number FORMAT PrettyCompact;
SELECT number FROM numbers(0) FORMAT PrettyCompact;
SELECT 1.5 AS f, -1 AS n, [1, 2] AS arr, (1, 'a') AS t, toDate('2024-01-01') AS d, true AS b FORMAT PrettyCompact;
SELECT 123 AS n FORMAT PrettyCompact;
SELECT number AS `column name with spaces` FROM numbers(12) ORDER BY number FORMAT PrettyCompact;
SELECT repeat('x', 100) AS long, 1 AS a FORMAT PrettyCompact;
SELECT toDateTime('2024-01-01 00:00:00', 'UTC') AS t, toFixedString('ab', 4) AS fs, ['a', 'b'] AS sa FORMAT PrettyCompact;
SELECT number % 2 AS k, count() AS c FROM numbers(5) GROUP BY k ORDER BY k FORMAT PrettyCompact;
SELECT toUInt64(18446744073709551615) AS u, toInt64(-9223372036854775808) AS i FORMAT PrettyCompact;
SELECT NULL AS n, [NULL, 1] AS a, toNullable('x') AS s FORMAT PrettyCompact;
SELECT number, number * 2 FROM numbers(60) ORDER BY number FORMAT PrettyCompact;
