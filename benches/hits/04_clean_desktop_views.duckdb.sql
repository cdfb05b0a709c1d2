SELECT count(*), sum(SendTiming), max(ResponseEndTiming)
FROM hits
WHERE IsRefresh = 0 AND DontCountHits = 0 AND IsMobile = 0
    AND ResolutionWidth BETWEEN 1024 AND 1920
    AND (OS = 2 OR OS = 44 OR UserAgentMajor > 10)
    AND NOT (TraficSourceID IN (-1, 6))
