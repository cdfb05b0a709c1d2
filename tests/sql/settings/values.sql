-- { configs: default }
-- How texts and literals become values of settings.
SET max_bytes_to_transfer = '1G'; SELECT getSetting('max_bytes_to_transfer');
SET max_bytes_to_transfer = '10Ki'; SELECT getSetting('max_bytes_to_transfer'), toTypeName(getSetting('max_bytes_to_transfer'));
SET max_bytes_to_transfer = '1k'; SELECT getSetting('max_bytes_to_transfer');
SET max_bytes_to_transfer = '1M'; SELECT getSetting('max_bytes_to_transfer');
SET max_bytes_to_transfer = '1Mi'; SELECT getSetting('max_bytes_to_transfer');
SET max_bytes_to_transfer = '1T'; SELECT getSetting('max_bytes_to_transfer');
SET max_bytes_to_transfer = '+5000000000'; SELECT getSetting('max_bytes_to_transfer');
SET max_bytes_to_transfer = '0070000000000'; SELECT getSetting('max_bytes_to_transfer');
SET max_bytes_to_transfer = 1e10; SELECT getSetting('max_bytes_to_transfer');
SET max_bytes_to_transfer = 10000000000.7; SELECT getSetting('max_bytes_to_transfer');
SET max_bytes_to_transfer = '1.5G'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SET max_bytes_to_transfer = '1GB'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SET max_bytes_to_transfer = '1g'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SET max_bytes_to_transfer = '1 G'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SET max_bytes_to_transfer = 'abc'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SET max_bytes_to_transfer = ''; -- { serverError ATTEMPT_TO_READ_AFTER_EOF }
SET max_bytes_to_transfer = '-1'; -- { serverError CANNOT_PARSE_NUMBER }
SET max_bytes_to_transfer = -1; -- { serverError CANNOT_CONVERT_TYPE }
SET max_bytes_to_transfer = NULL; -- { serverError CANNOT_CONVERT_TYPE }
SELECT value, default, changed FROM system.settings WHERE name = 'max_bytes_to_transfer';
SET max_bytes_to_transfer = DEFAULT;
SELECT value, default, changed FROM system.settings WHERE name = 'max_bytes_to_transfer';

SET extremes = 'true'; SELECT getSetting('extremes'), toTypeName(getSetting('extremes')) SETTINGS extremes = 0;
SET extremes = 'FALSE'; SELECT value, changed FROM system.settings WHERE name = 'extremes';
SET extremes = 0.0; SELECT value FROM system.settings WHERE name = 'extremes';
SET extremes = 'yes'; -- { serverError CANNOT_PARSE_BOOL }
SET extremes = 2; -- { serverError CANNOT_CONVERT_TYPE }
SET extremes = '2'; -- { serverError CANNOT_PARSE_BOOL }
SET extremes = -1; -- { serverError CANNOT_CONVERT_TYPE }
SET extremes = 1.5; -- { serverError CANNOT_CONVERT_TYPE }
SET extremes = ''; -- { serverError CANNOT_PARSE_BOOL }
SET use_uncompressed_cache; SELECT getSetting('use_uncompressed_cache');
SET max_threads; -- { serverError TYPE_MISMATCH }

SET max_threads = 'auto'; SELECT getSetting('max_threads') > 0;
SET max_threads = 'auto(5)'; SELECT value = default, changed FROM system.settings WHERE name = 'max_threads';
SET max_threads = 3; SELECT getSetting('max_threads'), value FROM system.settings WHERE name = 'max_threads';
SET max_threads = 'x'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SET max_threads = '1K'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SET max_threads = -1; -- { serverError CANNOT_CONVERT_TYPE }

SET receive_timeout = 1.5; SELECT getSetting('receive_timeout'), toTypeName(getSetting('receive_timeout'));
SET receive_timeout = '2.5'; SELECT value FROM system.settings WHERE name = 'receive_timeout';
SET receive_timeout = 7; SELECT value FROM system.settings WHERE name = 'receive_timeout';
SET receive_timeout = 0.0000001; SELECT value FROM system.settings WHERE name = 'receive_timeout';
SET receive_timeout = '1500ms'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SET receive_timeout = '1K'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SET receive_timeout = 1e30; -- { serverError BAD_ARGUMENTS }
SET connect_timeout_with_failover_ms = 100.7; SELECT getSetting('connect_timeout_with_failover_ms');
SET connect_timeout_with_failover_ms = '100.5'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SET connect_timeout_with_failover_ms = -5; -- { serverError CANNOT_CONVERT_TYPE }

SET query_metric_log_interval = -5; SELECT getSetting('query_metric_log_interval');
SET query_metric_log_interval = '-7'; SELECT getSetting('query_metric_log_interval');
SET query_metric_log_interval = '1K'; SELECT getSetting('query_metric_log_interval');
SET os_threads_nice_value_query = 99999999999; -- { serverError CANNOT_CONVERT_TYPE }
SET max_block_size = 0; -- { serverError BAD_ARGUMENTS }
SET max_block_size = '1K'; SELECT getSetting('max_block_size');
SET insert_quorum = 'auto'; SELECT getSetting('insert_quorum'), toTypeName(getSetting('insert_quorum'));
SET insert_quorum = 2; SELECT getSetting('insert_quorum');
SET dictionary_lazy_load = 1; SELECT getSetting('dictionary_lazy_load'), toTypeName(getSetting('dictionary_lazy_load'));
SET totals_auto_threshold = '0.1'; SELECT value, getSetting('totals_auto_threshold') FROM system.settings WHERE name = 'totals_auto_threshold';
SET totals_auto_threshold = 'x'; -- { serverError CANNOT_PARSE_NUMBER }
SET max_bytes_ratio_before_external_sort = 0.1; SELECT getSetting('max_bytes_ratio_before_external_sort');

SET format_csv_delimiter = '\t'; SELECT value FROM system.settings WHERE name = 'format_csv_delimiter';
SET format_csv_delimiter = 'ab'; -- { serverError SIZE_OF_FIXED_STRING_DOESNT_MATCH }
SET format_csv_delimiter = 1; -- { serverError BAD_GET }
SET log_comment = 12; -- { serverError BAD_GET }
SET log_comment = NULL; -- { serverError BAD_GET }

SET totals_mode = 'before_having'; SELECT getSetting('totals_mode');
SET totals_mode = 'x'; -- { serverError UNKNOWN_TOTALS_MODE }
SET totals_mode = 1; -- { serverError BAD_GET }
SET read_overflow_mode = 'x'; -- { serverError UNKNOWN_OVERFLOW_MODE }
SET join_algorithm = 'hash, partial_merge'; SELECT value FROM system.settings WHERE name = 'join_algorithm';
SET join_algorithm = 'hash,x'; -- { serverError UNKNOWN_JOIN }
SET union_default_mode = 'all'; -- { serverError UNKNOWN_UNION }
SET load_balancing = 'x'; -- { serverError UNKNOWN_LOAD_BALANCING }
SET date_time_input_format = 'x'; -- { serverError BAD_ARGUMENTS }
SET session_timezone = 'Nowhere/x'; -- { serverError BAD_ARGUMENTS }
SET session_timezone = 'Europe/Berlin'; SELECT getSetting('session_timezone');
SET additional_table_filters = 'zz'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SET additional_table_filters = {}; SELECT value FROM system.settings WHERE name = 'additional_table_filters';
