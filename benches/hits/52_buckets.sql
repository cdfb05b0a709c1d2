-- CASE, multiIf and if as keys.
SELECT
    CASE WHEN Age = 0 THEN 'unknown' WHEN Age < 25 THEN 'young' WHEN Age < 45 THEN 'middle' ELSE 'older' END AS ages,
    multiIf(ResolutionWidth < 800, 'small', ResolutionWidth < 1400, 'medium', 'large') AS screen,
    if(SearchEngineID = 0 AND AdvEngineID = 0, if(Referer = '', URL, Referer) = URL, 0) AS internal,
    count() AS views
FROM hits
GROUP BY ages, screen, internal
ORDER BY ages, screen, internal
