-- The columns of USING that are converted to a common type: the last one need not be equal.
SELECT * FROM (SELECT 'A' AS sym, arrayJoin([3, 7]) AS tm) t ASOF LEFT JOIN (SELECT 'A' AS sym, number * 2 AS tm, number AS px FROM numbers(5)) q USING (sym, tm) ORDER BY ALL;
SELECT sym, tm, px FROM (SELECT 'A' AS sym, arrayJoin([3, 7]) AS tm) t ASOF JOIN (SELECT 'A' AS sym, number * 2 AS tm, number AS px FROM numbers(5)) q USING (sym, tm) ORDER BY ALL;
SELECT sym, tm, t.tm, q.tm FROM (SELECT toLowCardinality('A') AS sym, arrayJoin([3, 7]) AS tm) t ASOF JOIN (SELECT 'A' AS sym, toInt32(number * 2) AS tm FROM numbers(5)) q USING (sym, tm) ORDER BY ALL;
SELECT tm FROM (SELECT 1 AS k, arrayJoin([3, 70]) AS tm) t ASOF LEFT JOIN (SELECT 2 AS k, number * 2 AS tm FROM numbers(5)) q USING (k, tm) ORDER BY ALL;
