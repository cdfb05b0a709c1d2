-- Differences between clocks, by week and month.
SELECT
    toMonday(EventDate) AS week,
    date_trunc('month', EventDate) AS month,
    min(dateDiff('minute', ClientEventTime, EventTime)) AS least,
    max(dateDiff('hour', LocalEventTime, EventTime)) AS most,
    avg(toUnixTimestamp(EventTime) - toUnixTimestamp(ClientEventTime)) AS mean
FROM hits
GROUP BY week, month
ORDER BY week, month
