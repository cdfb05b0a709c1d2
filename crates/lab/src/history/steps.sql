-- The step scan: places of a series where the mean of the next k points differs from that of the k before by
-- more than five standard errors and by 2 % or more, for k of 5, 10 and 20, where no neighbour within k is
-- clearer. `least_shift` and `most_shift` say what the queries of the same host did at the same run: four of
-- five moved by more than the first, or by less than the second. Comes after levels.sql.
,
moves AS
(
    SELECT test, query_hash, time, run_id, query_index, host, cpu, row_number() OVER line AS place,
        count() OVER before5 = 5 AND count() OVER after5 = 5 AS whole5,
        count() OVER before10 = 10 AND count() OVER after10 = 10 AS whole10,
        count() OVER before20 = 20 AND count() OVER after20 = 20 AS whole20,
        if(whole5, avg(y) OVER after5 - avg(y) OVER before5, 0) AS step5,
        if(whole10, avg(y) OVER after10 - avg(y) OVER before10, 0) AS step10,
        if(whole20, avg(y) OVER after20 - avg(y) OVER before20, 0) AS step20,
        -- Counters may have no noise at all: what differs by a hundred-thousandth does not differ.
        step5 / sqrt(greatest((varSamp(y) OVER before5 + varSamp(y) OVER after5) / 5, 1e-10)) AS z5,
        step10 / sqrt(greatest((varSamp(y) OVER before10 + varSamp(y) OVER after10) / 10, 1e-10)) AS z10,
        step20 / sqrt(greatest((varSamp(y) OVER before20 + varSamp(y) OVER after20) / 20, 1e-10)) AS z20
    FROM series
    WINDOW
        line AS (PARTITION BY cpu, test, query_hash ORDER BY time, run_id),
        before5 AS (line ROWS BETWEEN 5 PRECEDING AND 1 PRECEDING),
        after5 AS (line ROWS BETWEEN CURRENT ROW AND 4 FOLLOWING),
        before10 AS (line ROWS BETWEEN 10 PRECEDING AND 1 PRECEDING),
        after10 AS (line ROWS BETWEEN CURRENT ROW AND 9 FOLLOWING),
        before20 AS (line ROWS BETWEEN 20 PRECEDING AND 1 PRECEDING),
        after20 AS (line ROWS BETWEEN CURRENT ROW AND 19 FOLLOWING)
),
tops AS
(
    SELECT *,
        max(abs(z5)) OVER (line ROWS BETWEEN 4 PRECEDING AND 4 FOLLOWING) AS top5,
        max(abs(z10)) OVER (line ROWS BETWEEN 9 PRECEDING AND 9 FOLLOWING) AS top10,
        max(abs(z20)) OVER (line ROWS BETWEEN 19 PRECEDING AND 19 FOLLOWING) AS top20,
        countIf(whole5) OVER same AS queries,
        quantileExactIf(0.2)(step5, whole5) OVER same AS least_shift,
        quantileExactIf(0.8)(step5, whole5) OVER same AS most_shift
    FROM moves
    WINDOW
        line AS (PARTITION BY cpu, test, query_hash ORDER BY time, run_id),
        same AS (PARTITION BY host, run_id)
)
SELECT cpu, test, query_hash, query_index,
    run_id, toUnixTimestamp(time) AS seconds, place,
    arraySort(score -> -abs(score.2), arrayFilter(score -> abs(score.2) > 5 AND abs(score.3) >= 0.02,
        [(20, if(abs(z20) = top20, z20, 0), step20), (10, if(abs(z10) = top10, z10, 0), step10),
         (5, if(abs(z5) = top5, z5, 0), step5)])) AS scores,
    scores[1].1 AS points, scores[1].2 AS z, scores[1].3 AS step, queries, least_shift, most_shift
FROM tops
WHERE notEmpty(scores)
ORDER BY cpu, test, query_hash, time, run_id
