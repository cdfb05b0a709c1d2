-- Scalar subqueries and a common expression: counters above their mean.
WITH
    (SELECT count() / uniqExact(CounterID) FROM hits) AS mean_views,
    per_counter AS (SELECT CounterID, count() AS views, sum(IsNotBounce) AS kept FROM hits GROUP BY CounterID)
SELECT count() AS counters, sum(views) AS events, round(mean_views, 3) AS mean, max(kept) AS most_kept
FROM per_counter
WHERE views > mean_views
