-- Short strings of many values, most rows filtered out.
SELECT SearchPhrase, count() AS searches, uniqExact(UserID) AS visitors
FROM hits
WHERE SearchPhrase <> ''
GROUP BY SearchPhrase
ORDER BY searches DESC, SearchPhrase
LIMIT 10
