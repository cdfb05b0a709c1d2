-- A few ranges of the primary key and a string key.
SELECT URL, count() AS views
FROM hits
WHERE CounterID IN (62, 3922, 122612, 199550) AND EventDate BETWEEN '2013-07-10' AND '2013-07-24'
    AND DontCountHits = 0 AND URL != ''
GROUP BY URL
ORDER BY views DESC, URL
LIMIT 15
