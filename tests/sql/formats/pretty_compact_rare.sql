-- { configs: default }
-- { echoOn }
SELECT 'tab\tnewline\n' AS s, 'ünïcödé' AS u, '' AS e FORMAT PrettyCompact;
SELECT 12345678 AS n FORMAT PrettyCompact;
SELECT 1234567.891 AS f, 1e10 AS g, -5000000 AS neg FORMAT PrettyCompact;
SELECT 'wide 漢字' AS s, 'x' AS t FORMAT PrettyCompact;
SELECT 1 AS a FORMAT Pretty;
SELECT 1 AS a, 2 AS b FORMAT PrettySpace;
SELECT 1 AS a, 'x' AS bb FORMAT Vertical;
