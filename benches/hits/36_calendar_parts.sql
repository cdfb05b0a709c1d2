-- Many calendar functions on one column.
SELECT
    toYear(EventTime) AS year, toMonth(EventTime) AS month, toStartOfWeek(EventDate, 1) AS week,
    count() AS views, max(toMinute(EventTime)) AS minute, max(toSecond(EventTime)) AS second,
    max(toDayOfMonth(EventDate)) AS day, max(toYYYYMMDD(EventDate)) AS ymd,
    max(EventDate + INTERVAL 1 WEEK) AS later, max(formatDateTime(EventDate, '%d.%m.%Y')) AS text
FROM hits
WHERE IsMobile = 1
GROUP BY year, month, week
ORDER BY year, month, week
