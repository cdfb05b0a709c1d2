SELECT
    CASE WHEN Age = 0 THEN 'unknown' WHEN Age < 25 THEN 'young' WHEN Age < 45 THEN 'middle' ELSE 'older' END AS ages,
    CASE WHEN ResolutionWidth < 800 THEN 'small' WHEN ResolutionWidth < 1400 THEN 'medium' ELSE 'large' END AS screen,
    (SearchEngineID = 0 AND AdvEngineID = 0 AND (Referer = '' OR Referer = URL))::INT AS internal,
    count(*) AS views
FROM hits
GROUP BY ages, screen, internal
ORDER BY ages, screen, internal
