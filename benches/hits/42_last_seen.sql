-- The values that go with a group's latest and earliest event.
SELECT
    CounterID, max(EventTime) AS latest,
    argMax(WatchID, (EventTime, WatchID)) AS last_event, argMin(RegionID, (EventTime, WatchID)) AS first_region
FROM hits
GROUP BY CounterID
ORDER BY latest DESC, CounterID
LIMIT 15
