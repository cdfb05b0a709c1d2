SELECT EventTime, SearchPhrase, WatchID
FROM hits
WHERE SearchPhrase != ''
ORDER BY EventTime, SearchPhrase, WatchID
LIMIT 20
