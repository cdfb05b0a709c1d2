SELECT count(*), count(DISTINCT CounterID) FROM hits WHERE URL LIKE '%google%'
