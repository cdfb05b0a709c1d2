-- Top-N by a long string.
SELECT Title, EventTime, WatchID FROM hits WHERE Title != '' ORDER BY Title DESC, EventTime, WatchID LIMIT 10
