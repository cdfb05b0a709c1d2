-- Parts of addresses by the functions made for them.
SELECT
    domain(URL) AS host, count() AS views, uniqExact(path(URL)) AS paths,
    min(cutQueryString(URL)) AS first, countIf(protocol(URL) = 'https') AS secure
FROM hits
WHERE EventDate >= '2013-07-25' AND URL != ''
GROUP BY host
ORDER BY views DESC, host
LIMIT 20
