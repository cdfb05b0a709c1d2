SELECT isodow(EventDate) AS weekday, hour(EventTime) AS hour, count(*) AS views, sum(IsMobile) AS mobile
FROM hits
GROUP BY weekday, hour
ORDER BY weekday, hour
