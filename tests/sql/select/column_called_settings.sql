-- A column called settings, which is also the beginning of a clause.
SELECT x, settings FROM (SELECT 1 AS settings, 2 AS x);
SELECT x, Settings['a'], Settings AS s FROM (SELECT map('a', 1) AS Settings, 2 AS x);
SELECT settings, x FROM (SELECT 1 AS settings, 2 AS x) SETTINGS max_threads = 1;
SELECT settings.1, settings FROM (SELECT (1, 2) AS settings);
