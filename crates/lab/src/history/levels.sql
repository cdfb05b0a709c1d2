-- The series of a metric, for statements that begin with WITH. A point is one comparison that measured the
-- query: the new side's value, as the median over processes of the median over a process's runs (runs of one
-- process share its memory layout, so they count once). `level` is its logarithm; `y` is, of times, the level less
-- what the calibration queries of the same run say of the machine (nothing, where no test is named `calibration`):
-- how far they are from the median of nine runs around. What stays for five runs is in that median and so in `y`,
-- since it may be the code's: a change that makes everything faster makes the calibration faster, too.
--
-- Parameters: metric; test (all of them if empty); query_hash (all of them if 0).
-- Runs whose two sides differ in settings or text are no points of a history, nor are those with a side that is
-- another engine or a running server, nor planted slowdowns.
runs AS
(
    SELECT run_id, host, cpu, old_commit, new_commit
    FROM lab.run FINAL
    WHERE kind IN ('compare', 'aa')
        AND NOT arrayExists(word -> match(word, '^--(left-settings|right-settings|versus)'), arguments)
        AND NOT arrayExists(side -> match(side, '^((chdb|duckdb)( |$)|driver:|http://)'), [old, new])
),
processes AS
(
    SELECT test, query_hash, time, run_id, process, any(query_index) AS query_index,
        quantileExactInclusive(0.5)(value) AS middle
    FROM lab.measure
    WHERE metric = {metric:String} AND side = 'new' AND value > 0
        AND ({test:String} = '' OR test IN ({test:String}, 'calibration'))
        AND ({query_hash:UInt64} = 0 OR query_hash = {query_hash:UInt64} OR test = 'calibration')
    GROUP BY test, query_hash, time, run_id, process
),
levels AS
(
    SELECT test, query_hash, time, run_id, any(query_index) AS query_index, arraySort(groupArray(middle)) AS values,
        log(quantileExactInclusive(0.5)(middle)) AS level
    FROM processes
    GROUP BY test, query_hash, time, run_id
),
measured AS
(
    SELECT test, query_hash, time, run_id, query_index, values, level, host, cpu, old_commit, new_commit
    FROM levels
    INNER JOIN runs USING (run_id)
),
machine AS
(
    SELECT run_id, avg(level - usual) AS drift
    FROM
    (
        SELECT run_id, level, quantileExactInclusive(0.5)(level) OVER
            (PARTITION BY host, query_hash ORDER BY time, run_id ROWS BETWEEN 4 PRECEDING AND 4 FOLLOWING) AS usual
        FROM measured
        WHERE test = 'calibration' AND {metric:String} IN ('client_time', 'server_time', 'cpu_time')
    )
    GROUP BY run_id
),
series AS
(
    SELECT test, query_hash, time, run_id, query_index, values, level, host, cpu, old_commit, new_commit,
        level - drift AS y
    FROM measured
    LEFT JOIN machine USING (run_id)
)
