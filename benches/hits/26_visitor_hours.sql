-- Three keys, one of them computed.
SELECT UserID, toHour(EventTime) AS hour, RegionID, count() AS views
FROM hits
GROUP BY UserID, hour, RegionID
ORDER BY views DESC, UserID, hour, RegionID
LIMIT 10
