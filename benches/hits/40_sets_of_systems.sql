-- Distinct values gathered into arrays, which then are keys.
SELECT arraySort(systems) AS set, count() AS regions, sum(views) AS views
FROM
(
    SELECT
        RegionID, count() AS views,
        arrayFilter(x -> x IN (2, 3, 44, 50), groupUniqArray(OS)) AS systems,
        groupArray(IsMobile) AS flags
    FROM hits
    GROUP BY RegionID
    HAVING has(flags, 1) OR length(arrayDistinct(flags)) = 1
)
GROUP BY set
ORDER BY views DESC, set
LIMIT 20
