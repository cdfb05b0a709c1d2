SELECT UserID, SearchPhrase, count(*) AS searches
FROM hits
GROUP BY UserID, SearchPhrase
ORDER BY searches DESC, UserID, SearchPhrase
LIMIT 10
