-- A report page: many conditions, a computed string, an offset.
SELECT TraficSourceID, SearchEngineID, if(SearchEngineID = 0, Referer, '') AS source, URL AS target, count() AS views
FROM hits
WHERE CounterID = 122612 AND EventDate >= toDate('2013-07-01') AND EventDate < toDate('2013-07-01') + 28 AND IsRefresh = 0
GROUP BY TraficSourceID, SearchEngineID, source, target
ORDER BY views DESC, TraficSourceID, SearchEngineID, source, target
LIMIT 20 OFFSET 100
