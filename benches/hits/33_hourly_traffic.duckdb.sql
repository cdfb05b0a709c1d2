SELECT date_trunc('hour', EventTime) AS hour, count(*) AS views, count(*) FILTER (SearchPhrase != '') AS searches
FROM hits
WHERE CounterID % 2 = 0 AND EventDate >= '2013-07-21' AND EventDate < '2013-07-28'
GROUP BY hour
ORDER BY hour
