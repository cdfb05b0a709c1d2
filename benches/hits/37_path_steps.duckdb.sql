SELECT step, count(*) AS views
FROM (SELECT unnest(string_split(URL, '/')) AS step FROM hits WHERE CounterID IN (62, 199550, 233773, 122612))
WHERE step NOT IN ('', 'http:', 'https:')
GROUP BY step
ORDER BY views DESC, step
LIMIT 20
