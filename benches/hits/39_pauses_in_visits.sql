-- Arrays of each visitor's times, sorted and differenced, summed up again.
SELECT
    count() AS visitors,
    sum(length(times)) AS views,
    sum(arrayCount(d -> d > 1800, arrayDifference(arrayMap(t -> toInt64(toUnixTimestamp(t)), times)))) AS pauses,
    max(times[-1] - times[1]) AS longest
FROM
(
    SELECT UserID, arraySort(groupArray(EventTime)) AS times
    FROM hits
    WHERE CounterID IN (122612, 199550, 3922)
    GROUP BY UserID
)
