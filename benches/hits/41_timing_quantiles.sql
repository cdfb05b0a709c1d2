-- Exact quantiles per group.
SELECT
    TraficSourceID, count() AS views,
    quantilesExact(0.5, 0.9, 0.99)(ResponseEndTiming) AS response,
    quantileExact(0.5)(FetchTiming) AS fetch
FROM hits
GROUP BY TraficSourceID
ORDER BY views DESC, TraficSourceID
