-- A key of few values and several aggregates.
SELECT OS, count() AS views, sum(IsRefresh), avg(ResolutionWidth), min(ResolutionHeight), max(FlashMajor)
FROM hits
GROUP BY OS
ORDER BY views DESC, OS
LIMIT 20
