-- A range of the primary key, grouped by day.
SELECT EventDate, count() AS views, uniqExact(UserID) AS visitors, sum(IsRefresh) AS refreshes
FROM hits
WHERE CounterID = 122612 AND EventDate >= '2013-07-05' AND EventDate <= '2013-07-28'
GROUP BY EventDate
ORDER BY EventDate
