SELECT list_sort(systems) AS set, count(*) AS regions, sum(views)::BIGINT AS views
FROM
(
    SELECT
        RegionID, count(*) AS views,
        list_filter(list_distinct(list(OS)), lambda x: x IN (2, 3, 44, 50)) AS systems,
        list(IsMobile) AS flags
    FROM hits
    GROUP BY RegionID
    HAVING list_contains(list(IsMobile), 1) OR len(list_distinct(list(IsMobile))) = 1
)
GROUP BY set
ORDER BY views DESC, set
LIMIT 20
