-- { configs: default }
SELECT toTypeName(event), toTypeName(value), toTypeName(description) FROM system.events LIMIT 1;
SELECT event, value > 0 FROM system.events WHERE event IN ('Query', 'SelectQuery', 'QueryTimeMicroseconds') ORDER BY event;
SELECT count() FROM system.events WHERE value = 0;
SELECT count() > 0 FROM system.events WHERE value = 0 SETTINGS system_events_show_zero_values = 1;
SELECT event, length(description) > 10 FROM system.events WHERE event IN ('FailedInsertQuery', 'SelectedRows', 'FileSync', 'HardPageFaults') ORDER BY event SETTINGS system_events_show_zero_values = 1;
SELECT toTypeName(metric), toTypeName(value), toTypeName(description) FROM system.metrics LIMIT 1;
SELECT metric, value >= 1 FROM system.metrics WHERE metric = 'Query';
SELECT metric FROM system.metrics WHERE metric IN ('Query', 'Merge', 'HTTPConnection', 'OpenFileForRead', 'OpenFileForWrite', 'MemoryTracking', 'PartsActive', 'AttachedTable', 'AttachedDatabase') ORDER BY metric;
SELECT toTypeName(ProfileEvents), ProfileEvents['SelectQuery'] AS one, peak_memory_usage >= 0 FROM system.processes WHERE query LIKE '%AS one%';
SELECT name FROM system.settings WHERE name IN ('max_memory_usage_for_user', 'trace_profile_events', 'trace_profile_events_list', 'system_events_show_zero_values') ORDER BY name;
SELECT 1 SETTINGS trace_profile_events = 1;
SELECT 2 SETTINGS trace_profile_events = 1, trace_profile_events_list = 'SelectedRows,Query';
SELECT sum(number) FROM numbers(100000) SETTINGS max_memory_usage_for_user = 1000000000;
