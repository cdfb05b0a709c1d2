SELECT SearchPhrase, min(URL) AS first_url, count(*) AS searches, count(DISTINCT UserID) AS visitors
FROM hits
WHERE Title LIKE '%a%' AND URL NOT LIKE '%.google.%' AND SearchPhrase != ''
GROUP BY SearchPhrase
ORDER BY searches DESC, SearchPhrase
LIMIT 10
