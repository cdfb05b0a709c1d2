SELECT 'net' AS kind, ClientIP, ClientIP::BIGINT - 1 AS below, ClientIP % 256 AS last, count(*) AS views
FROM hits
GROUP BY kind, ClientIP, below, last
ORDER BY views DESC, ClientIP
LIMIT 10
