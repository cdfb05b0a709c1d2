SELECT RegionID, count(*) AS views
FROM hits
WHERE contains(URL, 'search') OR contains(URL, 'price') OR contains(URL, 'photo')
    OR contains(URL, 'film') OR contains(URL, 'auto')
GROUP BY RegionID
ORDER BY views DESC, RegionID
LIMIT 10
