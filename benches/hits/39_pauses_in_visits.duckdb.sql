SELECT count(*) AS visitors, sum(views)::BIGINT AS views, sum(pauses)::BIGINT AS pauses, max(span) AS longest
FROM
(
    SELECT
        UserID, count(*) AS views,
        count(*) FILTER (epoch(EventTime) - epoch(previous) > 1800) AS pauses,
        (epoch(max(EventTime)) - epoch(min(EventTime)))::BIGINT AS span
    FROM
    (
        SELECT UserID, EventTime, lag(EventTime) OVER (PARTITION BY UserID ORDER BY EventTime) AS previous
        FROM hits
        WHERE CounterID IN (122612, 199550, 3922)
    )
    GROUP BY UserID
)
