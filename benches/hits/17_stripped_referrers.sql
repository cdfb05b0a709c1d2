-- A regular expression that rewrites, then groups and filters the groups.
SELECT
    replaceRegexpOne(Referer, '^https?://(?:www\\.)?([^/]+)/.*$', '\\1') AS source,
    avg(length(Referer)) AS mean_length,
    count() AS views,
    min(Referer) AS example
FROM hits
WHERE Referer != '' AND EventDate < '2013-07-22'
GROUP BY source
HAVING views > 100
ORDER BY mean_length DESC, source
LIMIT 20
