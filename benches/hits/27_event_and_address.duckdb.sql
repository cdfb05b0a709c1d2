SELECT WatchID, ClientIP, count(*) AS views, sum(IsRefresh), avg(ResolutionWidth)
FROM hits
WHERE CounterID % 4 = 0
GROUP BY WatchID, ClientIP
ORDER BY views DESC, WatchID, ClientIP
LIMIT 10
