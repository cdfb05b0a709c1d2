SELECT RegionID, count(*) AS views, count(DISTINCT UserID) AS visitors
FROM hits
WHERE UserID IN (SELECT UserID FROM hits WHERE AdvEngineID IN (2, 27, 13))
    AND UserID NOT IN (SELECT UserID FROM hits WHERE IsMobile = 1)
GROUP BY RegionID
ORDER BY views DESC, RegionID
LIMIT 10
