-- Exact distinct visitors for each of many groups.
SELECT RegionID, count(DISTINCT UserID) AS visitors
FROM hits
GROUP BY RegionID
ORDER BY visitors DESC, RegionID
LIMIT 10
