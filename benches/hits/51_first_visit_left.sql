-- Every advertised event with its visitor's total: a left join onto a large aggregate.
SELECT multiIf(t.views = 0, 'none', t.views < 10, 'few', t.views < 100, 'some', 'many') AS habit, count() AS events, max(t.views) AS most
FROM (SELECT UserID, WatchID FROM hits WHERE AdvEngineID != 0) AS a
LEFT JOIN (SELECT UserID, count() AS views FROM hits WHERE IsRefresh = 0 GROUP BY UserID) AS t USING (UserID)
GROUP BY habit
ORDER BY habit
