-- One row becomes many: the parts of a path.
SELECT arrayJoin(splitByChar('/', URL)) AS step, count() AS views
FROM hits
WHERE CounterID IN (62, 199550, 233773, 122612) AND step NOT IN ('', 'http:', 'https:')
GROUP BY step
ORDER BY views DESC, step
LIMIT 20
