-- Top-N of whole rows after a substring search: all columns for ten rows.
SELECT * FROM hits WHERE URL LIKE '%google%' ORDER BY EventTime, WatchID LIMIT 10
