SELECT CASE WHEN coalesce(t.views, 0) = 0 THEN 'none' WHEN t.views < 10 THEN 'few' WHEN t.views < 100 THEN 'some' ELSE 'many' END AS habit,
    count(*) AS events, max(coalesce(t.views, 0)) AS most
FROM (SELECT UserID, WatchID FROM hits WHERE AdvEngineID != 0) AS a
LEFT JOIN (SELECT UserID, count(*) AS views FROM hits WHERE IsRefresh = 0 GROUP BY UserID) AS t USING (UserID)
GROUP BY habit
ORDER BY habit
