-- DISTINCT over several columns, ordered.
SELECT DISTINCT ResolutionWidth, ResolutionHeight, ResolutionDepth
FROM hits
WHERE ResolutionWidth > 0
ORDER BY ResolutionWidth DESC, ResolutionHeight DESC, ResolutionDepth
LIMIT 40
