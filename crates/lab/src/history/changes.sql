-- What E-divisive says of each series of the given queries: changes as (number of the first point after it, from
-- 1; mean before; mean after; p), segments of 3 points or more, steps of 2 % or more. For who has no other
-- program at hand than the database. Comes after levels.sql; one more parameter: hashes, the queries.
SELECT cpu, test, query_hash, eDivisive(0.001, 3, 0.02)(y, place) AS changes
FROM
(
    SELECT cpu, test, query_hash, y,
        row_number() OVER (PARTITION BY cpu, test, query_hash ORDER BY time, run_id) AS place
    FROM series
    WHERE has({hashes:Array(UInt64)}, query_hash)
)
GROUP BY cpu, test, query_hash
