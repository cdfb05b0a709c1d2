SELECT RegionID, count(DISTINCT UserID) AS visitors
FROM hits
GROUP BY RegionID
ORDER BY visitors DESC, RegionID
LIMIT 10
