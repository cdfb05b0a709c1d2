-- { largeBlocks }
-- Wide columns of tables of which joins keep few rows; no LIMIT is needed.
CREATE TABLE pages (page UInt32, site UInt32, url String, tags Array(String), note Nullable(String))
    ENGINE = Memory;
CREATE TABLE visits (page UInt32, site UInt32, text String) ENGINE = Memory;
CREATE TABLE ranges (a UInt32, b UInt32, name String) ENGINE = Memory;
INSERT INTO pages SELECT number, number % 700, concat(repeat('long/address/', 8), toString(number)),
    [concat(repeat('t', 60), toString(number % 5))], if(number % 3 = 0, NULL, concat(repeat('n', 70), toString(number)))
    FROM numbers(16000);
INSERT INTO visits SELECT number * 5 % 16000, number % 691, concat(repeat('text ', 15), toString(number))
    FROM numbers(17000);
INSERT INTO ranges SELECT number * 1000, number * 1000 + number % 3, concat('range ', toString(number)) FROM numbers(14);

-- { echoOn }
SELECT count(), sum(length(p.url)), max(p.url), max(v.text), max(p.note), max(p.tags)
FROM pages AS p JOIN visits AS v ON p.page = v.page AND p.site = v.site;
SELECT p.page, substring(upper(p.url), 90), p.note IS NULL, r.name FROM pages AS p JOIN ranges AS r
ON p.page BETWEEN r.a AND r.b WHERE r.a BETWEEN 4000 AND 6000 ORDER BY p.page;
SELECT substring(p.url, 100) AS u, count() FROM pages AS p JOIN ranges AS r ON p.page >= r.a AND p.page <= r.b
GROUP BY u HAVING count() > 0 ORDER BY u;
SELECT r.name, substring(p.url, 100), length(p.tags[1]), p.note IS NULL FROM ranges AS r
LEFT JOIN pages AS p ON p.page = r.b + 2 AND p.site < 300 ORDER BY r.name;
SELECT r.name, substring(p.url, 100), length(p.tags[1]), p.note IS NULL FROM ranges AS r
LEFT JOIN pages AS p ON p.page = r.b + 2 AND p.site < 300 ORDER BY r.name SETTINGS join_use_nulls = 1;
SELECT r.name, count(p.url), max(substring(p.url, 100)) FROM pages AS p RIGHT JOIN ranges AS r
ON p.page BETWEEN r.a AND r.b AND p.site = 600 GROUP BY r.name ORDER BY r.name SETTINGS join_use_nulls = 1;
SELECT substring(p.url, 100), substring(v.text, 70) FROM pages AS p JOIN visits AS v ON p.page = v.page AND p.site = v.site
JOIN ranges AS r ON v.page = r.a OR v.page = r.b ORDER BY p.page, v.text;
SELECT substring(url, 100) FROM pages WHERE page IN (SELECT a FROM ranges) AND page NOT IN (SELECT page FROM visits WHERE site > 5)
ORDER BY url;
SELECT x.page, substring(x.url, 100), substring(y.url, 100) FROM pages AS x ASOF JOIN ranges AS r ON x.site = r.b AND x.page >= r.a
JOIN pages AS y ON y.page = x.page + 1 AND y.site = 1 ORDER BY x.page;
