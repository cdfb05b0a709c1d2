-- A key of thousands of values with mixed aggregates.
SELECT
    RegionID, sum(AdvEngineID) AS adverts, count() AS views, avg(ResolutionWidth), uniq(UserID) AS visitors
FROM hits
GROUP BY RegionID
ORDER BY views DESC, RegionID
LIMIT 10
