CREATE TABLE test_logical_functions_4_1_Nullable_UInt8 ENGINE = Memory AS SELECT toNullable(toUInt8(number % 2)) AS x1, toNullable(toUInt8(number % 3)) AS x2, toNullable(toUInt8(number % 5)) AS x3, toNullable(toUInt8(number % 7)) AS x4 FROM numbers(1000);
CREATE TABLE test_logical_functions_4_1_Nullable_Mixed ENGINE = Memory AS SELECT toNullable(toUInt8(number % 2)) AS x1, toNullable(toInt32(number % 3)) AS x2, toNullable(toFloat64(number % 5)) AS x3, toNullable(toUInt64(number % 7)) AS x4 FROM numbers(1000);
CREATE DATABASE `gh-data`;
CREATE TABLE `gh-data`.commits (sha String, message String, event_time DateTime) ENGINE = Memory;
CREATE TABLE query_metrics_v2 (old_sha String, new_sha String, event_date Date, test String, query_index UInt32, query_display_name String, metric String, old_value Float64, new_value Float64, diff Float64, stat_threshold Float64, pr_number UInt32) ENGINE = MergeTree ORDER BY tuple();
CREATE TABLE run_attributes_v1 (old_sha String, new_sha String, attribute String, value String) ENGINE = Memory;
SET query_profiler_real_time_period_ns = 100000000;
SET metrics_perf_events_enabled = 1;
SYSTEM FLUSH LOGS;

SELECT count() FROM test_logical_functions_4_1_Nullable_UInt8 WHERE NOT ignore(xor(x1, x2, x3, x4));
SELECT count() FROM (SELECT toNullable(materialize(1)) AS x1, toNullable(materialize(1)) AS x2 FROM zeros(1000)) WHERE NOT ignore(xor(x1, x2));
SELECT count() FROM test_logical_functions_4_1_Nullable_Mixed WHERE NOT ignore(xor(x1, x2, x3, x4));
SELECT arrayStringConcat(arrayMap(x -> concat(splitByChar('/', addressToLine(x))[-1], '#', demangle(addressToSymbol(x))), trace), ';') AS stack, count(*) AS samples FROM system.trace_log WHERE trace_type = 'Real' AND query_id = '4aac5305-b27f-4a5a-91c3-61c0cf52ec2a' GROUP BY trace;
WITH 0.05 AS s
SELECT old_sha, new_sha, event_time, message, old_value AS `old server`, new_value AS `new server`,
    before AS `prev 11 runs`, after AS `next 11 runs`, diff AS `diff, ratio`, stat_threshold_historical AS `stat threshold, ratio, historical`,
    stat_threshold AS `stat threshold, ratio, per-run`, cpu_model, query_display_name
FROM
(
    SELECT *, run_attributes_v1.value AS cpu_model,
        median(old_value) OVER (PARTITION BY run_attributes_v1.value, test, query_index, query_display_name ORDER BY event_date ASC ROWS BETWEEN 11 PRECEDING AND CURRENT ROW) AS before,
        median(new_value) OVER (PARTITION BY run_attributes_v1.value, test, query_index, query_display_name ORDER BY event_date ASC ROWS BETWEEN CURRENT ROW AND 11 FOLLOWING) AS after,
        quantileExact(0.95)(abs(diff)) OVER (PARTITION BY run_attributes_v1.value, test, query_index, query_display_name ORDER BY event_date ASC ROWS BETWEEN 37 PRECEDING AND CURRENT ROW) AS stat_threshold_historical
    FROM query_metrics_v2
    LEFT JOIN run_attributes_v1 USING (old_sha, new_sha)
    WHERE (attribute = 'lscpu-model-name') AND (metric = 'client_time') AND (pr_number = 0)
        AND (test = 'logical_functions_medium') AND (query_index = 19)
) AS t
ANY LEFT JOIN `gh-data`.commits ON new_sha = sha
WHERE (((abs(after - before) / if(after > before, after, before)) AS step_height) >= greatest(s, stat_threshold_historical))
    AND (abs(diff) >= greatest(stat_threshold, stat_threshold_historical, s))
    AND (abs(diff) >= (0.7 * step_height));
OPTIMIZE TABLE query_metrics_v2 FINAL;
SYSTEM STOP MERGES;
