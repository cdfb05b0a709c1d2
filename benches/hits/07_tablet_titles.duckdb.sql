SELECT Title, count(*) AS views, max(strlen(URL)) AS longest
FROM hits
WHERE MobilePhoneModel = 'iPad' AND Title != ''
GROUP BY Title
ORDER BY views DESC, Title
LIMIT 10
