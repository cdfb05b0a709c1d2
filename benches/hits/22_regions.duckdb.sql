-- compare: none, since the estimates differ by algorithm
SELECT
    RegionID, sum(AdvEngineID) AS adverts, count(*) AS views, avg(ResolutionWidth), approx_count_distinct(UserID) AS visitors
FROM hits
GROUP BY RegionID
ORDER BY views DESC, RegionID
LIMIT 10
