-- Two aggregates of the same table joined with each other.
SELECT m.RegionID, m.views AS mobile, d.views AS desktop, round(m.views / d.views, 4) AS ratio
FROM (SELECT RegionID, count() AS views FROM hits WHERE IsMobile = 1 GROUP BY RegionID) AS m
INNER JOIN (SELECT RegionID, count() AS views FROM hits WHERE IsMobile = 0 GROUP BY RegionID) AS d
    ON m.RegionID = d.RegionID
WHERE d.views > 50
ORDER BY ratio DESC, m.RegionID
LIMIT 20
