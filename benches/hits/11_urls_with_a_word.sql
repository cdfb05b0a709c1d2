-- A substring search over the widest column.
SELECT count(), uniqExact(CounterID) FROM hits WHERE URL LIKE '%google%'
