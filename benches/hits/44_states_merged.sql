-- Daily states, merged into one figure for each week day.
SELECT toDayOfWeek(day) AS weekday, uniqMerge(visitors) AS visitors, sumMerge(width) AS width, avgMerge(height) AS height
FROM
(
    SELECT EventDate AS day, uniqState(UserID) AS visitors, sumState(ResolutionWidth) AS width, avgState(ResolutionHeight) AS height
    FROM hits
    GROUP BY day
)
GROUP BY weekday
ORDER BY weekday
