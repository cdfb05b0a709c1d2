-- Many groups, few of which pass HAVING.
SELECT UserID, count() AS views, uniqExact(EventDate) AS days, min(EventTime) AS first, max(EventTime) AS last
FROM hits
GROUP BY UserID
HAVING days >= 5 AND views BETWEEN 20 AND 5000
ORDER BY days DESC, views DESC, UserID
LIMIT 20
