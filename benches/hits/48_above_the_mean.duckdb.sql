WITH per_counter AS (SELECT CounterID, count(*) AS views, sum(IsNotBounce) AS kept FROM hits GROUP BY CounterID)
SELECT count(*) AS counters, sum(views)::BIGINT AS events,
    round((SELECT count(*) / count(DISTINCT CounterID) FROM hits), 3) AS mean, max(kept) AS most_kept
FROM per_counter
WHERE views > (SELECT count(*) / count(DISTINCT CounterID) FROM hits)
