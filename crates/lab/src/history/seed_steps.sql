-- The step query of the founding document (seed 004), on our tables. A run stands out if the medians over it
-- and the 11 runs before (old side) and after (new side) differ by 5 % and by more than runs of the last 37
-- usually do (95th percentile), and if the run's own difference is beyond both thresholds, its own one, and
-- most of the step. Wants runs that compare each commit with the one before. Parameter: metric.
--
-- Differences from the seed: sides are medians of raw values, the key is the hash of the query's text in place
-- of its index and name, processors come with the run, and a commit's message is not stored, so its hash is
-- shown. The threshold of the run (`s`) is that of its verdict; 0 if it has none. Runs whose two sides differ in
-- settings or text are left out, as are those with another engine or a running server, and planted slowdowns.
WITH
pairs AS
(
    SELECT test, query_hash, any(query_index) AS query_index, time, run_id,
        quantileExactInclusiveIf(0.5)(value, side = 'old') AS old_value,
        quantileExactInclusiveIf(0.5)(value, side = 'new') AS new_value,
        (new_value - old_value) / old_value AS diff
    FROM lab.measure
    WHERE metric = {metric:String}
    GROUP BY test, query_hash, time, run_id
    HAVING old_value > 0 AND new_value > 0
),
windows AS
(
    SELECT cpu, test, query_hash, query_index, time, run_id, old_commit, new_commit, old_value, new_value, diff,
        quantileExactInclusive(0.5)(old_value) OVER (line ROWS BETWEEN 11 PRECEDING AND CURRENT ROW) AS before,
        quantileExactInclusive(0.5)(new_value) OVER (line ROWS BETWEEN CURRENT ROW AND 11 FOLLOWING) AS after,
        quantileExact(0.95)(abs(diff)) OVER (line ROWS BETWEEN 37 PRECEDING AND CURRENT ROW) AS usual
    FROM pairs
    INNER JOIN
    (
        SELECT run_id, cpu, old_commit, new_commit
        FROM lab.run FINAL
        WHERE kind IN ('compare', 'aa')
            AND NOT arrayExists(word -> match(word, '^--(left-settings|right-settings|versus)'), arguments)
            AND NOT arrayExists(side -> match(side, '^((chdb|duckdb)( |$)|driver:|http://)'), [old, new])
    ) AS runs USING (run_id)
    WINDOW line AS (PARTITION BY cpu, test, query_hash ORDER BY time, run_id)
)
SELECT cpu, test, query_index, query_hash, time,
    run_id, old_commit, new_commit, old_value, new_value, before, after, diff, usual,
    s AS own, abs(after - before) / greatest(after, before) AS height
FROM windows
ANY LEFT JOIN
(
    SELECT run_id, test, query_hash, s
    FROM lab.verdict FINAL
    WHERE metric = {metric:String}
) AS verdicts USING (run_id, test, query_hash)
WHERE height >= greatest(0.05, usual) AND abs(diff) >= greatest(0.05, usual, own) AND abs(diff) >= 0.7 * height
ORDER BY test, query_hash, time
