-- A window in time that the primary key does not help with, by minute.
SELECT toStartOfMinute(EventTime) AS minute, count() AS views, uniqExact(UserID) AS visitors
FROM hits
WHERE EventTime >= toDateTime('2013-07-28 18:00:00') AND EventTime < '2013-07-28 19:00:00'
GROUP BY minute
ORDER BY minute
