SELECT regexp_extract(Referer, '^https?://(?:www\.)?([^/?]+)', 1) AS host, count(*) AS views
FROM hits
WHERE Referer != '' AND CounterID < 122500
GROUP BY host
ORDER BY views DESC, host
LIMIT 20
