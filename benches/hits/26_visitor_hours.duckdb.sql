SELECT UserID, hour(EventTime) AS hour, RegionID, count(*) AS views
FROM hits
GROUP BY UserID, hour, RegionID
ORDER BY views DESC, UserID, hour, RegionID
LIMIT 10
