-- All that one visitor did; the visitor is found by a scalar subquery.
SELECT EventTime, CounterID, WatchID, URL
FROM hits
WHERE UserID = (SELECT max(UserID) FROM hits WHERE AdvEngineID = 2)
ORDER BY EventTime, WatchID
LIMIT 50
