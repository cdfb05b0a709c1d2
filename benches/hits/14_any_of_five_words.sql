-- Several needles in one sweep.
SELECT RegionID, count() AS views
FROM hits
WHERE multiSearchAny(URL, ['search', 'price', 'photo', 'film', 'auto'])
GROUP BY RegionID
ORDER BY views DESC, RegionID
LIMIT 10
