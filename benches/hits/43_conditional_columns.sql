-- A report with a condition for each column.
SELECT
    toStartOfWeek(EventDate) AS week,
    countIf(IsMobile = 1) AS mobile,
    sumIf(ResolutionWidth, IsMobile = 0) AS desktop_width,
    avgIf(SendTiming, SendTiming > 0) AS sending,
    uniqIf(UserID, AdvEngineID != 0) AS advertised,
    maxIf(EventTime, IsDownload = 1) AS download,
    countIf(HTTPError >= 400 OR IsArtifical = 1) AS bad
FROM hits
GROUP BY week
ORDER BY week
