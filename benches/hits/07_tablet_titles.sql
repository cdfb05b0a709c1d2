-- PREWHERE: a selective condition before wide strings are read.
SELECT Title, count() AS views, max(length(URL)) AS longest
FROM hits
PREWHERE MobilePhoneModel = 'iPad'
WHERE Title != ''
GROUP BY Title
ORDER BY views DESC, Title
LIMIT 10
