SELECT CounterID, URL, views
FROM
(
    SELECT CounterID, URL, count(*) AS views
    FROM hits
    WHERE CounterID % 7 = 0
    GROUP BY CounterID, URL
)
QUALIFY row_number() OVER (PARTITION BY CounterID ORDER BY views DESC, URL) <= 2
ORDER BY CounterID, views DESC, URL
LIMIT 60
