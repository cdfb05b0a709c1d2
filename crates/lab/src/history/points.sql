-- The points of series. The interval of a point holds the median of all processes with 95 % or more (order
-- statistics, the sign test's interval); six processes are the fewest that tell, so others have none.
-- `ratio` is the paired log ratio of the run, new over old side: the median over pairs of processes. Comes after levels.sql.
,
pairs AS
(
    SELECT test, query_hash, run_id, toNullable(quantileExactInclusive(0.5)(own)) AS ratio
    FROM
    (
        SELECT test, query_hash, run_id, process,
            log(quantileExactInclusiveIf(0.5)(value, side = 'new') / quantileExactInclusiveIf(0.5)(value, side = 'old')) AS own
        FROM lab.measure
        WHERE metric = {metric:String} AND value > 0 AND ({test:String} = '' OR test = {test:String})
            AND ({query_hash:UInt64} = 0 OR query_hash = {query_hash:UInt64})
        GROUP BY test, query_hash, run_id, process
    )
    WHERE isFinite(own)
    GROUP BY test, query_hash, run_id
)
SELECT cpu, test, query_hash, query_index,
    run_id, toUnixTimestamp(time) AS seconds, formatDateTime(time, '%Y-%m-%d %H:%i', 'UTC') AS date, host, old_commit, new_commit,
    y, exp(level) AS value, length(values) AS processes,
    multiIf(processes >= 12, 3, processes >= 9, 2, 1) AS rank,
    if(processes >= 6, toFloat64(values[rank]), NULL) AS low,
    if(processes >= 6, toFloat64(values[processes + 1 - rank]), NULL) AS high,
    ratio
FROM series
LEFT JOIN pairs USING (test, query_hash, run_id)
WHERE ({test:String} = '' OR test = {test:String}) AND ({query_hash:UInt64} = 0 OR query_hash = {query_hash:UInt64})
ORDER BY cpu, test, query_hash, time, run_id
