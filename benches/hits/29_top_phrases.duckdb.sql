SELECT SearchPhrase, count(*) AS searches, count(DISTINCT UserID) AS visitors
FROM hits
WHERE SearchPhrase <> ''
GROUP BY SearchPhrase
ORDER BY searches DESC, SearchPhrase
LIMIT 10
