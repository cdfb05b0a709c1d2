SELECT
    date_trunc('week', EventDate)::DATE AS week,
    date_trunc('month', EventDate)::DATE AS month,
    min(date_diff('minute', ClientEventTime, EventTime)) AS least,
    max(date_diff('hour', LocalEventTime, EventTime)) AS most,
    avg(epoch(EventTime) - epoch(ClientEventTime)) AS mean
FROM hits
GROUP BY week, month
ORDER BY week, month
