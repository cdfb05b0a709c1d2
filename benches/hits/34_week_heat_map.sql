-- Day of the week by hour of the day.
SELECT toDayOfWeek(EventDate) AS weekday, toHour(EventTime) AS hour, count() AS views, sum(IsMobile) AS mobile
FROM hits
GROUP BY weekday, hour
ORDER BY weekday, hour
