-- A time series by hour for one half of the counters.
SELECT toStartOfHour(EventTime) AS hour, count() AS views, countIf(SearchPhrase != '') AS searches
FROM hits
WHERE CounterID % 2 = 0 AND EventDate >= '2013-07-21' AND EventDate < '2013-07-28'
GROUP BY hour
ORDER BY hour
