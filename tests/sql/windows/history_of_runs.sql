-- Timings of two builds over 120 days; on one day the new build of one test becomes slower for good.
CREATE DATABASE history;
CREATE TABLE history.commits (sha String, event_time DateTime('UTC'), message String) ENGINE = Memory;
CREATE TABLE metrics (event_date Date, old_sha String, new_sha String, pr_number UInt32, test LowCardinality(String), query_index Int32, query_display_name String, metric LowCardinality(String), old_value Float32, new_value Float32, diff Float32, stat_threshold Float32) ENGINE = Memory;
CREATE TABLE attributes (old_sha String, new_sha String, attribute LowCardinality(String), value String) ENGINE = Memory;
INSERT INTO history.commits SELECT concat('c', toString(number)), toDateTime('2021-01-01 00:00:00', 'UTC') + number * 86400, concat('Change ', toString(number)) FROM numbers(1, 120);
INSERT INTO attributes SELECT concat('c', toString(number - 1)), concat('c', toString(number)), attribute, if(attribute = 'model', if(number % 2 = 0, 'CPU A', 'CPU B'), 'x') FROM numbers(1, 120) ARRAY JOIN ['model', 'sockets'] AS attribute;
-- A level of 256 ms, noise of up to 3/256, and from change 60 on a level of 384 ms.
INSERT INTO metrics SELECT toDate('2021-01-01') + number AS event_date, concat('c', toString(number - 1)), concat('c', toString(number)), 0, test, q, concat('SELECT ', toString(q)), metric, (if(step AND number > 60, 384, 256) + number * 7 % 3) / 1024 AS old_value, (if(step AND number >= 60, 384, 256) + number * 11 % 3) / 1024 AS new_value, round((new_value - old_value) / old_value, 3), 0.0625 FROM (SELECT number, test, q, metric, test = 'slow' AND q = 19 AS step FROM numbers(1, 120) ARRAY JOIN ['slow', 'slow', 'calm'] AS test, [19, 20, 19] AS q, ['client_time', 'client_time', 'client_time'] AS metric);
-- { echoOn }
SELECT count(), uniqExact(test, query_index) FROM metrics;

WITH 0.05 AS s
SELECT old_sha, new_sha, event_time, message, old_value AS `old server`, new_value AS `new server`, before AS `prev 11 runs`, after AS `next 11 runs`, diff AS `diff, ratio`, stat_threshold_historical AS `stat threshold, ratio, historical`, stat_threshold AS `stat threshold, ratio, per-run`, cpu_model, query_display_name
FROM
    (SELECT *, attributes.value AS cpu_model,
        median(old_value) OVER (PARTITION BY attributes.value, test, query_index, query_display_name ORDER BY event_date ASC ROWS BETWEEN 11 PRECEDING AND CURRENT ROW) AS before,
        median(new_value) OVER (PARTITION BY attributes.value, test, query_index, query_display_name ORDER BY event_date ASC ROWS BETWEEN CURRENT ROW AND 11 FOLLOWING) AS after,
        quantileExact(0.95)(abs(diff)) OVER (PARTITION BY attributes.value, test, query_index, query_display_name ORDER BY event_date ASC ROWS BETWEEN 37 PRECEDING AND CURRENT ROW) AS stat_threshold_historical
    FROM metrics
    LEFT JOIN attributes USING (old_sha, new_sha)
    WHERE (attribute = 'model') AND (metric = 'client_time') AND (pr_number = 0) AND (test = 'slow') AND (query_index = 19)
    ) AS t
ANY LEFT JOIN `history`.commits ON new_sha = sha
WHERE (((abs(after - before) / if(after > before, after, before)) AS step_height) >= greatest(s, stat_threshold_historical))
    AND (abs(diff) >= greatest(stat_threshold, stat_threshold_historical, s))
    AND (abs(diff) >= (0.7 * step_height));

-- The same of all queries, all rows of the windows.
SELECT cpu_model, test, query_index, event_date, before, after, historical
FROM
    (SELECT *, attributes.value AS cpu_model,
        median(old_value) OVER w_before AS before,
        median(new_value) OVER (w ORDER BY event_date ROWS BETWEEN CURRENT ROW AND 11 FOLLOWING) AS after,
        quantileExact(0.95)(abs(diff)) OVER (w ORDER BY event_date ROWS BETWEEN 37 PRECEDING AND CURRENT ROW) AS historical
    FROM metrics LEFT JOIN attributes USING (old_sha, new_sha)
    WHERE attribute = 'model'
    WINDOW w AS (PARTITION BY attributes.value, test, query_index, query_display_name), w_before AS (w ORDER BY event_date ROWS BETWEEN 11 PRECEDING AND CURRENT ROW)
    ) AS t
WHERE event_date BETWEEN '2021-02-24' AND '2021-03-06'
ORDER BY cpu_model, test, query_index, event_date;

SELECT test, query_index, argMax(event_date, abs(after - before)) AS day, max(abs(after - before)) AS height
FROM
    (SELECT test, query_index, event_date,
        median(new_value) OVER (PARTITION BY test, query_index ORDER BY event_date ROWS BETWEEN 11 PRECEDING AND 1 PRECEDING) AS before,
        median(new_value) OVER (PARTITION BY test, query_index ORDER BY event_date ROWS BETWEEN CURRENT ROW AND 10 FOLLOWING) AS after,
        row_number() OVER (PARTITION BY test, query_index ORDER BY event_date) AS n
    FROM metrics)
WHERE n > 11 AND n < 110
GROUP BY test, query_index HAVING height > 0.05 ORDER BY test, query_index;

DROP DATABASE history;
