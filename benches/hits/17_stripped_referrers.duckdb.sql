SELECT
    regexp_replace(Referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS source,
    avg(strlen(Referer)) AS mean_length,
    count(*) AS views,
    min(Referer) AS example
FROM hits
WHERE Referer != '' AND EventDate < '2013-07-22'
GROUP BY source
HAVING count(*) > 100
ORDER BY mean_length DESC, source
LIMIT 20
