-- A self-join of rows: visitors who searched and also came by an advertisement on the same day.
SELECT s.EventDate AS day, count() AS pairs, uniqExact(s.UserID) AS visitors
FROM (SELECT UserID, EventDate, EventTime FROM hits WHERE SearchPhrase != '') AS s
INNER JOIN (SELECT UserID, EventDate, EventTime FROM hits WHERE AdvEngineID != 0) AS a
    ON s.UserID = a.UserID AND s.EventDate = a.EventDate
WHERE s.EventTime <= a.EventTime
GROUP BY day
ORDER BY day
