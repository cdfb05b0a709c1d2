SELECT UserID, count(*) AS views, count(DISTINCT EventDate) AS days, min(EventTime) AS first, max(EventTime) AS last
FROM hits
GROUP BY UserID
HAVING count(DISTINCT EventDate) >= 5 AND count(*) BETWEEN 20 AND 5000
ORDER BY days DESC, views DESC, UserID
LIMIT 20
