-- Search phrases on pages with one word and without another.
SELECT SearchPhrase, min(URL) AS first_url, count() AS searches, uniqExact(UserID) AS visitors
FROM hits
WHERE Title LIKE '%a%' AND URL NOT LIKE '%.google.%' AND SearchPhrase != ''
GROUP BY SearchPhrase
ORDER BY searches DESC, SearchPhrase
LIMIT 10
