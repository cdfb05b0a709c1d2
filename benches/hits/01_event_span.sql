-- How many events, over which span of time.
SELECT count(), min(EventTime), max(EventTime), min(EventDate), max(EventDate) FROM hits
