-- The host of a referrer by a capturing group.
SELECT extract(Referer, '^https?://(?:www\\.)?([^/?]+)') AS host, count() AS views
FROM hits
WHERE Referer != '' AND CounterID < 122500
GROUP BY host
ORDER BY views DESC, host
LIMIT 20
