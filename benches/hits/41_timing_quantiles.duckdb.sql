-- compare: none, since the two engines take different neighbours of a quantile
SELECT
    TraficSourceID, count(*) AS views,
    quantile_disc(ResponseEndTiming, [0.5, 0.9, 0.99]) AS response,
    quantile_disc(FetchTiming, 0.5) AS fetch
FROM hits
GROUP BY TraficSourceID
ORDER BY views DESC, TraficSourceID
