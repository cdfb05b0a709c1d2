-- The first rows of every group of an ordered result.
SELECT CounterID, URL, views
FROM
(
    SELECT CounterID, URL, count() AS views
    FROM hits
    WHERE CounterID % 7 = 0
    GROUP BY CounterID, URL
)
ORDER BY CounterID, views DESC, URL
LIMIT 2 BY CounterID
LIMIT 60
