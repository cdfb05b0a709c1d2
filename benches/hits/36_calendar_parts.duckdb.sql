SELECT
    year(EventTime) AS year, month(EventTime) AS month, date_trunc('week', EventDate)::DATE AS week,
    count(*) AS views, max(minute(EventTime)) AS minute, max(second(EventTime)) AS second,
    max(day(EventDate)) AS day, max(strftime(EventDate, '%Y%m%d')) AS ymd,
    max(EventDate + 7) AS later, max(strftime(EventDate, '%d.%m.%Y')) AS text
FROM hits
WHERE IsMobile = 1
GROUP BY year, month, week
ORDER BY year, month, week
