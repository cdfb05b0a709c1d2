SELECT
    CounterID, max(EventTime) AS latest,
    arg_max(WatchID, (EventTime, WatchID)) AS last_event, arg_min(RegionID, (EventTime, WatchID)) AS first_region
FROM hits
GROUP BY CounterID
ORDER BY latest DESC, CounterID
LIMIT 15
