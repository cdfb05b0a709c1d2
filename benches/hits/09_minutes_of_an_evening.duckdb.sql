SELECT date_trunc('minute', EventTime) AS minute, count(*) AS views, count(DISTINCT UserID) AS visitors
FROM hits
WHERE EventTime >= '2013-07-28 18:00:00' AND EventTime < '2013-07-28 19:00:00'
GROUP BY minute
ORDER BY minute
