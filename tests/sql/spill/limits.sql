-- { configs: default }
-- Within a memory limit that what is grouped or sorted does not fit into.
SELECT count(), sum(k), sum(s), max(c) FROM (SELECT number AS k, sum(number) AS s, count() AS c FROM numbers_mt(4000000) GROUP BY k) SETTINGS max_memory_usage = 80000000, max_bytes_before_external_group_by = 10000000;
SELECT count(), sum(k), sum(s), max(c) FROM (SELECT number AS k, sum(number + 1) AS s, max(number + 2) AS c FROM numbers_mt(4000000) GROUP BY k) SETTINGS max_memory_usage = 80000000, max_bytes_ratio_before_external_group_by = 0; -- { serverError MEMORY_LIMIT_EXCEEDED }
SELECT count(), sum(k), min(x) FROM (SELECT number AS k, cityHash64(number) AS x FROM numbers_mt(4000000) ORDER BY x LIMIT 3999999) SETTINGS max_memory_usage = 80000000, max_bytes_before_external_sort = 10000000;

SELECT number FROM numbers(3) GROUP BY number SETTINGS max_bytes_ratio_before_external_group_by = 1; -- { serverError BAD_ARGUMENTS }
SELECT number FROM numbers(1000000) ORDER BY cityHash64(number) FORMAT Null SETTINGS max_bytes_ratio_before_external_sort = -1; -- { serverError BAD_ARGUMENTS }
SELECT number, count() FROM numbers(3000000) GROUP BY number FORMAT Null SETTINGS max_bytes_before_external_group_by = 1000000, min_free_disk_space_for_temporary_data = 100000000000000; -- { serverError NOT_ENOUGH_SPACE }
SELECT name, default FROM system.settings WHERE name IN ('max_bytes_before_external_group_by', 'max_bytes_ratio_before_external_group_by', 'max_bytes_before_external_sort', 'max_bytes_ratio_before_external_sort', 'temporary_files_codec', 'max_temporary_data_on_disk_size_for_query', 'min_free_disk_space_for_temporary_data') ORDER BY name;
