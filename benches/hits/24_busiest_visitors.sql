-- Top of a key of a great many values.
SELECT UserID, count() AS views FROM hits GROUP BY UserID ORDER BY views DESC, UserID LIMIT 10
