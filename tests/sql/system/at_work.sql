-- Tables of what is at work: their columns, and what is sure of their rows.

SELECT table, name, type FROM system.columns
WHERE database = 'system' AND table IN ('merges', 'mutations', 'stack_trace', 'warnings', 'errors')
ORDER BY table, position;

SELECT count() FROM system.mutations;
SELECT countIf(num_parts = 0) FROM system.merges;
SELECT count() > 0, countIf(length(trace) > 0) > 0, uniqExact(thread_id) = count() FROM system.stack_trace;
SELECT countIf(message = '') FROM system.warnings;
SELECT value FROM system.settings WHERE name IN ('log_query_threads', 'query_metric_log_interval', 'opentelemetry_start_trace_probability') ORDER BY name;
