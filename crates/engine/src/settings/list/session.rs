//! All other settings that work.

settings! {
    after super::queries::LIST;
    MAX_THREADS, "max_threads", "Most threads that work for one query at a time; 0 means one per processor core.";
    MAX_BLOCK_SIZE, "max_block_size" (= "8192"), "Most rows in a chunk that a table or another source passes on at once.";
    ALLOW_DROP_DETACHED, "allow_drop_detached", "Allows ALTER TABLE ... DROP DETACHED PARTITION.";
    REPLACE_FROM_EMPTY, "allow_replace_partition_from_empty_source",
    "Lets REPLACE PARTITION remove a partition of which the other table has no rows.";
    SUSPICIOUS_CODECS, "allow_suspicious_codecs", "Allows lists of codecs that are probably mistakes.";
    ALP_CODEC, "enable_alp_codec", "Allows the codec ALP.";
    MATERIALIZE_TTL, "materialize_ttl_after_modify", "ALTER TABLE ... MODIFY TTL applies the new rules to existing rows.";
    LIGHTWEIGHT_DELETE, "enable_lightweight_delete", "Allows DELETE FROM.";
    LIGHTWEIGHT_UPDATE, "enable_lightweight_update", "Allows UPDATE ... SET.";
    TRACE_EVENTS, "trace_profile_events", "Records the stack of every increment of a profile event in system.trace_log.";
    TRACE_EVENTS_LIST, "trace_profile_events_list",
    "Names of the profile events that trace_profile_events records, separated by commas; empty means all.";
    SHOW_ZERO_EVENTS, "system_events_show_zero_values", "system.events also lists events whose count is 0.";
    MAX_EXECUTION_TIME, "max_execution_time",
    "Seconds after which a query is stopped with an error; 0 means no limit. Fractions are allowed.";
    MIN_EXECUTION_SPEED, "min_execution_speed", "Fewest rows that are read per second, or the query fails; 0: no bound.";
    MIN_EXECUTION_SPEED_BYTES, "min_execution_speed_bytes", "Fewest bytes that are read per second, or the query fails; 0: no bound.";
    MAX_EXECUTION_SPEED, "max_execution_speed", "Most rows that are read per second; 0: no bound.";
    MAX_EXECUTION_SPEED_BYTES, "max_execution_speed_bytes", "Most bytes that are read per second; 0: no bound.";
    MAX_ESTIMATED_EXECUTION_TIME, "max_estimated_execution_time", "Most seconds that a query may be expected to take; 0: no bound.";
    BEFORE_CHECKING_SPEED, "timeout_before_checking_execution_speed", "Seconds after which limits of speed count.";
    MAX_PARTITIONS_TO_READ, "max_partitions_to_read", "Most partitions that a query reads of one table; -1: no bound.";
    MAX_RESULT_ROWS, "max_result_rows", "Most rows of a result; 0 means no limit.";
    MAX_QUERY_SIZE, "max_query_size", "Most bytes of SQL text that are parsed; the rows of an INSERT do not count.";
    MAX_PARSER_DEPTH, "max_parser_depth", "Deepest nesting of SQL that the parser accepts.";
    MAX_AST_DEPTH, "max_ast_depth", "Deepest nesting of the syntax tree of a query.";
    READONLY, "readonly", "1 refuses writes and changes of settings; 2 refuses writes only; 0 allows both.";
    SESSION_TIMEZONE, "session_timezone", "Time zone for DateTime values whose type names none; empty means the server's time zone.";
    UNION_DEFAULT_MODE, "union_default_mode", "ALL or DISTINCT: how UNION without either word is read; empty means that this is an error.";
    INTERSECT_DEFAULT_MODE, "intersect_default_mode",
    "ALL or DISTINCT: how INTERSECT without either word is read; empty means that this is an error.";
    EXCEPT_DEFAULT_MODE, "except_default_mode",
    "ALL or DISTINCT: how EXCEPT without either word is read; empty means that this is an error.";
    LIMIT, "limit", "Most rows of a result, in addition to the query's own LIMIT; 0 means no limit.";
    OFFSET, "offset", "Number of result rows to skip, in addition to the query's own OFFSET.";
    EXTREMES, "extremes", "Sends the least and the greatest value of each column together with the result.";
    TOTALS_MODE, "totals_mode",
    "Which groups WITH TOTALS adds up: before_having means all of them, other values only those that pass HAVING.";
    GROUP_BY_USE_NULLS, "group_by_use_nulls",
    "Keys that a row of ROLLUP, CUBE or GROUPING SETS does not group by are NULL; 0 gives default values.";
    MAX_RESULT_BYTES, "max_result_bytes", "Most bytes of a result, uncompressed; 0 means no limit.";
    MAX_COLUMNS_TO_READ, "max_columns_to_read", "Most columns that a query may read from one table; 0 means no limit.";
    MAX_SUBQUERY_DEPTH, "max_subquery_depth", "Deepest nesting of subqueries. Values above 100 act like 100.";
    MAX_PARTITIONS, "max_partitions_per_insert_block", "Most partitions that one block of an INSERT may write to; 0 means no limit.";
    THROW_ON_PARTITIONS, "throw_on_max_partitions_per_insert_block",
    "An INSERT beyond max_partitions_per_insert_block is an error; 0 lets it through.";
    EXACT_ROWS_BEFORE_LIMIT, "exact_rows_before_limit", "All rows are read to count those before a LIMIT.";
    TABLE_FILTERS, "additional_table_filters", "Conditions on the rows that are read of tables, by name.";
    RESULT_FILTER, "additional_result_filter", "A condition on the rows of the result.";
    FORCE_PRIMARY_KEY, "force_primary_key", "A query fails if its conditions do not use the primary key of a table.";
    SKIP_INDEXES_IN_FINAL, "use_skip_indexes_if_final", "FINAL skips granules by skipping indices, too.";
    EXACT_SKIP_INDEXES_IN_FINAL, "use_skip_indexes_if_final_exact_mode", "FINAL then reads all rows of the keys that it has found.";
    USE_SKIP_INDEXES, "use_skip_indexes", "Scans skip granules by the skipping indices of a table.";
    IGNORE_INDICES, "ignore_data_skipping_indices", "The names of skipping indices that scans do not use.";
    FORCE_INDICES, "force_data_skipping_indices", "A query fails if it does not use the skipping indices with these names.";
    INDEX_ON_INSERT, "materialize_skip_indexes_on_insert", "INSERTs build skipping indices; 0 leaves it to merges.";
    NO_INDEX_ON_INSERT, "exclude_materialize_skip_indexes_on_insert", "The names of skipping indices that INSERTs do not build.";
    STATISTICS_ON_INSERT, "materialize_statistics_on_insert",
    "INSERTs write the numbers of distinct values and samples of their rows; 0 leaves it to merges.";
    FORCE_INDEX_BY_DATE, "force_index_by_date", "The same of the partition key, if the table has one.";
    STRUCTURE_OF_TARGET, "use_structure_from_insertion_table_in_table_functions",
    "file() in INSERT SELECT has the columns of the table; 0: never, 2: in SELECT * only.";
    AGGREGATES_NULL_FOR_EMPTY, "aggregate_functions_null_for_empty",
    "Aggregate functions return NULL if there are no rows; 0 returns their default value.";
    COUNT_DISTINCT_IMPLEMENTATION, "count_distinct_implementation", "Name of the aggregate function that computes count(DISTINCT x).";
    ENABLE_POSITIONAL_ARGUMENTS, "enable_positional_arguments",
    "Numbers in GROUP BY, ORDER BY and LIMIT BY stand for result columns, counted from 1.";
    FILL_BY_PREFIX, "use_with_fill_by_sorting_prefix",
    "WITH FILL fills groups of rows that are equal in the keys before it for themselves; 0 fills all rows as one group.";
    FINAL, "final", "Reads every table that supports FINAL as if FINAL stood behind its name.";
    DESCRIBE_SUBCOLUMNS, "describe_include_subcolumns",
    "DESCRIBE also lists subcolumns: parts of columns, such as a.size0, that can be read alone.";
    DESCRIBE_COMPACT, "describe_compact_output", "DESCRIBE lists names and types only.";
    DESCRIBE_VIRTUALS, "describe_include_virtual_columns",
    "DESCRIBE also lists virtual columns, such as _part, which a query gets only if it names them.";
    SUSPICIOUS_PRIMARY_KEY, "allow_suspicious_primary_key", "Allows columns of type SimpleAggregateFunction in a sorting key.";
    SUSPICIOUS_INDICES, "allow_suspicious_indices", "Allows an expression twice in a sorting key.";
    OLD_MERGE_TREE, "allow_deprecated_syntax_for_merge_tree", "Allows MergeTree(date, key, granularity) in CREATE TABLE.";
    SUSPICIOUS_VARIANTS, "allow_suspicious_variant_types", "Allows Variant types with similar alternatives, such as UInt32 and Int64.";
    VARIANT_KEYS, "allow_suspicious_types_in_group_by", "Allows GROUP BY over a Variant.";
    VARIANT_ORDER, "allow_suspicious_types_in_order_by", "Allows ORDER BY over a Variant.";
    COMMON_VARIANT, "use_variant_as_common_type",
    "if, multiIf, array and map return a Variant if their arguments have no common type; 0 makes this an error.";
    LOSSY_NUMBERS, "allow_lossy_numeric_supertype",
    "if, coalesce, array and map of a Decimal or a wide integer and a floating-point number return a Float64, which may round.";
    INFER_VARIANT, "cast_string_to_variant_use_inference",
    "A String that is cast to a Variant becomes a number, a date or another alternative if its text can be read as one.";
    VARIANT_MISMATCH, "variant_throw_on_type_mismatch",
    "A function fails for a Variant whose value it cannot take; 0 returns NULL for such rows.";
    MIN_INSERT_BLOCK_SIZE_ROWS, "min_insert_block_size_rows",
    "Rows that an INSERT collects before it writes a part; 0 means no such threshold.";
    MIN_INSERT_BLOCK_SIZE_BYTES, "min_insert_block_size_bytes",
    "Bytes that an INSERT collects before it writes a part; 0 means no such threshold.";
    ASYNC_INSERT, "async_insert",
    "1, if it is set: the rows of small INSERTs are collected and stored together. The default has no effect.";
    WAIT_FOR_ASYNC_INSERT, "wait_for_async_insert", "An asynchronous INSERT is answered when its rows are stored; 0: at once.";
    WAIT_FOR_ASYNC_INSERT_TIMEOUT, "wait_for_async_insert_timeout", "Seconds after which an asynchronous INSERT no longer waits.";
    ASYNC_INSERT_MAX_DATA_SIZE, "async_insert_max_data_size",
    "Bytes of collected INSERTs at which they are stored; a larger INSERT is stored by itself.";
    ASYNC_INSERT_MAX_QUERIES, "async_insert_max_query_number", "Number of collected INSERTs at which they are stored.";
    ASYNC_INSERT_ADAPTIVE, "async_insert_use_adaptive_busy_timeout",
    "Collected INSERTs wait longer the more of them come; 0: always async_insert_busy_timeout_max_ms.";
    ASYNC_INSERT_BUSY_TIMEOUT_MIN, "async_insert_busy_timeout_min_ms", "Shortest time for which INSERTs are collected.";
    ASYNC_INSERT_BUSY_TIMEOUT_MAX, "async_insert_busy_timeout_max_ms", "Longest time for which INSERTs are collected.";
    ASYNC_INSERT_INCREASE, "async_insert_busy_timeout_increase_rate", "By which share that time grows while INSERTs come together.";
    ASYNC_INSERT_DECREASE, "async_insert_busy_timeout_decrease_rate", "By which share that time shrinks while INSERTs come alone.";
    ASYNC_INSERT_DEDUPLICATE, "async_insert_deduplicate",
    "1: INSERTs are not collected, and each is recognised when it is repeated, as without async_insert.";
    VIEW_BLOCK_ROWS, "min_insert_block_size_rows_for_materialized_views",
    "Rows of an INSERT that a materialised view takes at once; 0 means min_insert_block_size_rows.";
    VIEW_BLOCK_BYTES, "min_insert_block_size_bytes_for_materialized_views",
    "Bytes of an INSERT that a materialised view takes at once; 0 means min_insert_block_size_bytes.";
    IGNORE_VIEW_ERRORS, "materialized_views_ignore_errors",
    "An error of a materialised view leaves the view as it is; 0 lets the INSERT fail.";
    DEFAULT_TABLE_ENGINE, "default_table_engine", "Table engine of CREATE TABLE without ENGINE.";
    DEFAULT_FORMAT, "default_format", "Output format of queries without FORMAT; empty means that the client or the interface decides.";
    PRETTY_MAX_VALUE_WIDTH, "output_format_pretty_max_value_width", "Width in characters at which Pretty formats cut values off.";
    PRETTY_ROW_NUMBERS, "output_format_pretty_row_numbers", "Pretty formats print the number of each row at the left.";
    CSV_NULL, "format_csv_null_representation", "Text that stands for NULL in CSV.";
    TSV_NULL, "format_tsv_null_representation", "Text that stands for NULL in TabSeparated.";
    CSV_CRLF, "output_format_csv_crlf_end_of_line", "Lines of CSV output end with CR LF; 0 ends them with LF.";
    TSV_CRLF, "output_format_tsv_crlf_end_of_line", "Lines of TabSeparated output end with CR LF; 0 ends them with LF.";
    CSV_SKIP_LINES, "input_format_csv_skip_first_lines", "Number of lines at the start of CSV input that are skipped.";
    TSV_SKIP_LINES, "input_format_tsv_skip_first_lines", "Number of lines at the start of TabSeparated input that are skipped.";
    QUOTE_64BIT_FLOATS, "output_format_json_quote_64bit_floats", "Writes Float64 values in quotes in JSON formats.";
    QUOTE_DECIMALS, "output_format_json_quote_decimals", "Writes Decimal values in quotes in JSON formats.";
    TIMES, "date_time_output_format",
    "How DateTime values are written: simple (2026-01-31 12:00:00), iso (ISO 8601 in UTC) or unix_timestamp.";
    CSV_DELIMITER, "format_csv_delimiter", "Character between the fields of CSV.";
    NULL_AS_DEFAULT, "input_format_null_as_default",
    "NULL in input becomes the default of a column that is not Nullable; 0 makes it an error.";
    DEFAULTS_FOR_OMITTED, "input_format_defaults_for_omitted_fields",
    "Columns that input leaves out take their DEFAULT expression; 0 gives them the default of their type.";
    CSV_EMPTY_AS_DEFAULT, "input_format_csv_empty_as_default", "An empty field of CSV stands for the default of its column.";
    TSV_EMPTY_AS_DEFAULT, "input_format_tsv_empty_as_default", "An empty field of TabSeparated stands for the default of its column.";
    INSERT_NULL_AS_DEFAULT, "insert_null_as_default",
    "INSERT SELECT turns NULL into the default of a column that is not Nullable; 0 makes it an error.";
    TRUNCATE_FILES, "engine_file_truncate_on_insert", "INSERT into file() replaces the content of the file; 0 appends to it.";
    SKIP_UNKNOWN_FIELDS, "input_format_skip_unknown_fields", "Skips fields of input that the table does not have; 0 makes them an error.";
    QUOTE_64BIT, "output_format_json_quote_64bit_integers", "Writes 64-bit and wider integers in quotes in JSON formats.";
    ARROW_STRINGS, "output_format_arrow_string_as_string", "String columns have the type Utf8 in Arrow output; 0 gives Binary.";
    PARQUET_STRINGS, "output_format_parquet_string_as_string", "String columns have the type UTF8 in Parquet output; 0 gives plain bytes.";
    FORCE_PORTABLE_KERNELS, "force_portable_kernels" (Bool = "0"), "Kernels without intrinsics, for tests; holds for the whole process.";
    ENABLE_HTTP_COMPRESSION, "enable_http_compression", "Answers over HTTP are compressed as Accept-Encoding asks.";
    HTTP_ZLIB_LEVEL, "http_zlib_compression_level", "Compression level of HTTP answers, 1 (fastest) to 9 (smallest).";
    HTTP_PROGRESS, "send_progress_in_http_headers", "Sends X-ClickHouse-Progress headers over HTTP until the first rows of the answer.";
    HTTP_PROGRESS_INTERVAL, "http_headers_progress_interval_ms", "Milliseconds between two X-ClickHouse-Progress headers.";
    HTTP_BUFFER_SIZE, "http_response_buffer_size",
    "Bytes of an HTTP answer that are held back, so that an error can still set the status code; 0 means 1 MiB.";
    WAIT_END_OF_QUERY, "wait_end_of_query" (Bool = "0"), "An answer over HTTP begins when the statement has ended.";
    HTTP_WAIT_END_OF_QUERY, "http_wait_end_of_query", "Acts like wait_end_of_query.";
    CANCEL_ON_CLOSE, "cancel_http_readonly_queries_on_client_close" (= "1"), "A query that just reads ends with its HTTP client.";
    NETWORK_COMPRESSION, "network_compression_method" (= "LZ4"), "Method of blocks under compress=1: LZ4, ZSTD or NONE.";
    LOG_QUERIES, "log_queries", "Records queries in system.query_log, if the server keeps logs.";
    LOG_QUERIES_MIN_TYPE, "log_queries_min_type",
    "Least type of row in system.query_log; QUERY_FINISH, for example, leaves out the starts of queries.";
    LOG_QUERIES_MIN_MS, "log_queries_min_query_duration_ms", "Milliseconds that a query must take to be recorded in system.query_log.";
    LOG_QUERIES_CUT, "log_queries_cut_to_length", "Bytes after which the text of a query is cut off in system.query_log.";
    LOG_QUERY_SETTINGS, "log_query_settings", "Records the changed settings of a query in system.query_log.";
    LOG_QUERY_THREADS, "log_query_threads", "Records each thread that works for a query in system.query_thread_log.";
    LOG_QUERY_VIEWS, "log_query_views", "Records each view that an INSERT fills in system.query_views_log.";
    LOG_FORMATTED, "log_formatted_queries", "Records queries also in formatted form, in the column formatted_query of system.query_log.";
    QUERY_METRICS_MS, "query_metric_log_interval",
    "Milliseconds between a query's rows in system.query_metric_log; -1 means the server's interval, 0 no rows.";
    TRACE_PROBABILITY, "opentelemetry_start_trace_probability",
    "Probability, 0 to 1, that a query is traced although its client did not ask for it.";
    PROFILER_CPU, "query_profiler_cpu_time_period_ns", "Nanoseconds of CPU time between two stack samples of a thread; 0 takes none.";
    PROFILER_REAL, "query_profiler_real_time_period_ns", "Nanoseconds of elapsed time between two stack samples of a thread; 0 takes none.";
    PERF_EVENTS, "metrics_perf_events_enabled", "Adds counters of the processor and the kernel to the ProfileEvents of a query.";
    PERF_EVENTS_LIST, "metrics_perf_events_list",
    "Names of the counters that metrics_perf_events_enabled adds, separated by commas; empty means all.";
    PROFILER_MEMORY_STEP, "memory_profiler_step", "Bytes by which a query's memory grows between two stack samples; 0 takes none.";
    MEMORY_SAMPLE, "memory_profiler_sample_probability",
    "Probability, 0 to 1, that an allocation and its release are recorded in system.trace_log.";
    MEMORY_SAMPLE_MIN, "memory_profiler_sample_min_allocation_size",
    "Bytes of the smallest allocation that memory_profiler_sample_probability applies to.";
    MEMORY_SAMPLE_MAX, "memory_profiler_sample_max_allocation_size",
    "Bytes of the largest allocation that memory_profiler_sample_probability applies to; 0 means no limit.";
    ALLOW_INTROSPECTION, "allow_introspection_functions" (= "1"), "addressToSymbol, addressToLine, demangle may be called.";
    ALLOW_DDL, "allow_ddl", "Allows statements that change the schema, such as CREATE and DROP.";
    FINAL_BY_PARTITION, "do_not_merge_across_partitions_select_final", "FINAL merges only rows of the same partition.";
    RANGE_MAX, "function_range_max_elements_in_block", "Most elements that range() may make for one block of rows.";
    INTERPRET_EXPRESSIONS, "input_format_values_interpret_expressions", "VALUES may contain expressions, not only literals.";
    INSERT_MATERIALIZED, "insert_allow_materialized_columns", "INSERT may name MATERIALIZED columns.";
    DEFAULT_NULLABLE, "data_type_default_nullable", "CREATE TABLE makes columns Nullable unless they are declared NOT NULL.";
    FLATTEN_NESTED, "flatten_nested", "A Nested column of a new table becomes arrays, one per element.";
    ALLOW_ORDINARY, "allow_deprecated_database_ordinary", "CREATE DATABASE accepts ENGINE = Ordinary, which is the same as Atomic.";
    CHECK_SINGLE_VALUE, "check_query_single_value_result", "CHECK TABLE answers one number for the whole table.";
    CHECK_DEPENDENCIES, "check_table_dependencies", "What dictionaries and tables depend on is not dropped or renamed.";
    CREATE_IF_NOT_EXISTS, "create_if_not_exists", "CREATE acts like CREATE IF NOT EXISTS.";
    EMPTY_RESULT, "empty_result_for_aggregation_by_empty_set",
    "An aggregation without keys over no rows returns no row; 0 returns one row.";
    TRANSFORM_NULL_IN, "transform_null_in", "IN compares NULL like any other value, so that NULL IN (NULL) is 1.";
    CAST_KEEP_NULLABLE, "cast_keep_nullable", "CAST of a Nullable value to a type returns the Nullable type.";
    ENABLE_ORDER_BY_ALL, "enable_order_by_all",
        "ORDER BY ALL sorts by all result columns; otherwise by the column `all`.";
    GROUPING_COMPATIBILITY, "force_grouping_standard_compatibility",
    "grouping() returns 1 for keys that a row does not group by, as in the SQL standard; 0 returns the opposite.";
    SPLIT_BY_REST, "splitby_max_substrings_includes_remaining_string",
    "The last element that splitBy functions return contains the rest of the text if max_substrings is reached.";
    LOCATE_ORDER, "function_locate_has_mysql_compatible_argument_order",
    "The arguments of locate are (needle, haystack), as in MySQL; 0 means (haystack, needle).";
    MAX_AST_ELEMENTS, "max_ast_elements", "Most nodes in the syntax tree of a query; 0 means no limit.";
    MAX_EXPANDED_AST_ELEMENTS, "max_expanded_ast_elements",
    "Most nodes in the syntax tree after aliases and asterisks are expanded; 0 means no limit.";
    INSERT_TOKEN, "insert_deduplication_token",
    "Of several INSERTs into a table with the same token, only the first is stored; empty means no token.";
    DEDUPLICATE_INSERT, "deduplicate_insert",
    "Whether repeated INSERTs are stored once: enable, disable or backward_compatible_choice (see insert_deduplicate).";
    DEDUPLICATE_VIEWS, "deduplicate_blocks_in_dependent_materialized_views",
    "A repeated INSERT that is not stored again adds nothing to materialised views either.";
    INSERT_DEDUPLICATE, "insert_deduplicate",
    "Stores repeated INSERTs once; it counts if deduplicate_insert is backward_compatible_choice.";
    CSV_TRIM, "input_format_csv_trim_whitespaces", "Ignores spaces and tabs around unquoted fields of CSV.";
    CSV_DETECT_HEADER, "input_format_csv_detect_header", "Recognises lines of names and types at the start of CSV input.";
    TSV_DETECT_HEADER, "input_format_tsv_detect_header", "Recognises lines of names and types at the start of TabSeparated input.";
    USE_HEADER, "input_format_with_names_use_header",
    "Formats WithNames match columns by the names in the input; 0 matches them by position.";
    USE_TYPES, "input_format_with_types_use_header", "Formats WithNamesAndTypes check that the types in the input are those of the table.";
    ALLOW_ERRORS, "input_format_allow_errors_num", "Most rows of text input that may be skipped because they cannot be parsed.";
    ALLOW_ERRORS_RATIO, "input_format_allow_errors_ratio",
    "Largest share of rows of text input, 0 to 1, that may be skipped because they cannot be parsed.";
    INFER_NAMES, "column_names_for_schema_inference", "Names for the columns of files that contain none, separated by commas.";
    INFER_HINTS, "schema_inference_hints",
    "Names and types of columns that are known before a file is examined, as in 'a UInt8, b String'.";
    INFER_NULLABLE, "schema_inference_make_columns_nullable",
    "Columns found in files are Nullable; 0 makes them Nullable only where schema_inference_hints says so.";
    DATE_TIME_INPUT, "date_time_input_format",
    "How DateTime values are read: basic, best_effort (many notations) or best_effort_us (month first).";
    PARQUET_MISSING, "input_format_parquet_allow_missing_columns",
    "Columns that a Parquet file does not have are filled with defaults; 0 makes them an error.";
    ARROW_MISSING, "input_format_arrow_allow_missing_columns",
    "Columns that an Arrow file does not have are filled with defaults; 0 makes them an error.";
    PARQUET_SKIP_UNSUPPORTED,
    "input_format_parquet_skip_columns_with_unsupported_types_in_schema_inference",
    "Leaves out columns of a Parquet file whose types cannot be read.";
    ARROW_SKIP_UNSUPPORTED, "input_format_arrow_skip_columns_with_unsupported_types_in_schema_inference",
    "Leaves out columns of an Arrow file whose types cannot be read.";
    HIVE_PARTITIONING, "use_hive_partitioning", "Directories of the form key=value in the path of file() become columns.";
    CUSTOM_ESCAPING, "format_custom_escaping_rule", "How CustomSeparated writes and reads fields: Escaped, Raw, CSV, Quoted or JSON.";
    CUSTOM_FIELD, "format_custom_field_delimiter", "Text between two fields of CustomSeparated.";
    CUSTOM_ROW_BEFORE, "format_custom_row_before_delimiter", "Text before each row of CustomSeparated.";
    CUSTOM_ROW_AFTER, "format_custom_row_after_delimiter", "Text after each row of CustomSeparated.";
    CUSTOM_ROW_BETWEEN, "format_custom_row_between_delimiter", "Text between two rows of CustomSeparated.";
    CUSTOM_RESULT_BEFORE, "format_custom_result_before_delimiter", "Text before the first row of CustomSeparated.";
    CUSTOM_RESULT_AFTER, "format_custom_result_after_delimiter", "Text after the last row of CustomSeparated.";
    LOG_COMMENT, "log_comment", "A comment that is recorded with the query in system.query_log.";
    BOOL_TRUE, "bool_true_representation", "Text for true in TabSeparated, CSV, Pretty and Vertical formats and in toString.";
    BOOL_FALSE, "bool_false_representation", "Text for false in TabSeparated, CSV, Pretty and Vertical formats and in toString.";
    DECIMAL_ZEROS, "output_format_decimal_trailing_zeros",
    "Writes Decimal values with all digits of their scale; 0 leaves out zeros at the end.";
    TRIM_FIXED, "output_format_trim_fixed_string", "Leaves out zero bytes at the end of FixedString values in text formats.";
    CSV_ENUM_NUMBER, "input_format_csv_enum_as_number", "Reads Enum values in CSV as numbers only.";
    TSV_ENUM_NUMBER, "input_format_tsv_enum_as_number", "Reads Enum values in TabSeparated and TSKV as numbers only.";
    CSV_FLAT_TUPLES, "output_format_csv_serialize_tuple_into_separate_columns",
    "CSV output has one field for each element of a tuple; 0 writes a tuple as one field.";
    CSV_FLAT_HEADERS, "output_format_csv_header_serialize_tuple_into_separate_columns",
    "The header of CSV output names each element of a tuple that is written as separate fields.";
    CSV_READ_FLAT_TUPLES, "input_format_csv_deserialize_separate_columns_into_tuple",
    "CSV input has one field for each element of a tuple.";
    PRETTY_TIP, "output_format_pretty_single_large_number_tip_threshold",
    "From which number on Pretty formats write it in words, too; 0: never.";
    SQL_INSERT_BATCH, "output_format_sql_insert_max_batch_size", "Rows of one statement of SQLInsert.";
    SQL_INSERT_COLUMNS, "output_format_sql_insert_include_column_names", "SQLInsert writes the names of the columns.";
    SQL_INSERT_QUOTED, "output_format_sql_insert_quote_names", "SQLInsert quotes the names of the columns.";
    SQL_INSERT_REPLACE, "output_format_sql_insert_use_replace", "SQLInsert writes REPLACE instead of INSERT.";
    SQL_INSERT_TABLE, "output_format_sql_insert_table_name", "The name of the table in SQLInsert.";
    JSON_TUPLES, "output_format_json_named_tuples_as_objects", "Writes named tuples as objects in JSON formats; 0 writes arrays.";
    JSON_SLASHES, "output_format_json_escape_forward_slashes", "Writes a backslash before each slash in JSON formats.";
    JSON_VALIDATE, "output_format_json_validate_utf8", "Replaces bytes that are not valid UTF-8 in all JSON formats.";
    JSON_DENORMALS, "output_format_json_quote_denormals", "Writes nan and inf as strings in JSON formats; 0 writes null.";
    JSON_ARRAY, "output_format_json_array_of_rows", "JSONEachRow output is one array of rows; 0 writes rows on lines of their own.";
    JSON_PRETTY, "output_format_json_pretty_print", "Writes nested values over several indented lines in the format JSON.";
    JSON_MAPS, "output_format_json_map_as_array_of_tuples", "Writes maps as arrays of pairs in JSON formats; 0 writes objects.";
    JSON_SKIP_NULLS, "output_format_json_skip_null_value_in_named_tuples",
    "Leaves out elements of named tuples that are NULL in JSON formats.";
    JSON_IN_BOOL_NUMBERS, "input_format_json_read_bools_as_numbers", "Accepts true and false in JSON for Float columns, as 1 and 0.";
    JSON_IN_BOOL_STRINGS, "input_format_json_read_bools_as_strings", "Accepts true and false in JSON for String columns.";
    JSON_IN_NUMBER_STRINGS, "input_format_json_read_numbers_as_strings", "Accepts numbers in JSON for String columns.";
    JSON_IN_ARRAY_STRINGS, "input_format_json_read_arrays_as_strings",
    "Accepts arrays in JSON for String columns; the column holds their text.";
    JSON_IN_OBJECT_STRINGS, "input_format_json_read_objects_as_strings",
    "Accepts objects in JSON for String columns; the column holds their text.";
    JSON_IN_TUPLES, "input_format_json_named_tuples_as_objects", "Reads named tuples from objects in JSON; 0 reads them from arrays.";
    JSON_IN_UNKNOWN, "input_format_json_ignore_unknown_keys_in_named_tuple",
    "Skips keys of a JSON object that the named tuple does not have; 0 makes them an error.";
    JSON_IN_MISSING, "input_format_json_defaults_for_missing_elements_in_named_tuple",
    "Elements of a named tuple that a JSON object lacks get defaults; 0 makes this an error.";
    JSON_IN_MAPS, "input_format_json_map_as_array_of_tuples", "Reads maps from arrays of pairs in JSON; 0 reads them from objects.";
    JSON_IN_EMPTY, "input_format_json_empty_as_default", "An empty string in JSON stands for the default of a column that is not a String.";
    JSON_IN_ESCAPES, "input_format_json_throw_on_bad_escape_sequence",
    "A \\u in JSON without four hexadecimal digits is an error; 0 takes it as text.";
    JSON_IN_VARIABLE, "input_format_json_compact_allow_variable_number_of_columns",
    "Rows of JSONCompactEachRow may have fewer or more values than the table has columns.";
    JSON_IN_NESTED, "input_format_import_nested_json", "Keys of objects in JSONEachRow are columns: a of n is n.a.";
    JSON_IN_TYPES, "input_format_json_validate_types_from_metadata",
    "Checks that the types in the metadata of JSON input are those of the table.";
    WRITE_STATISTICS, "output_format_write_statistics",
    "JSON and XML output ends with the time that the query took and the rows and bytes that it read.";
    IGNORE_AUTO_INCREMENT, "compatibility_ignore_auto_increment_in_create_table",
    "Ignores AUTO_INCREMENT in CREATE TABLE; 0 makes it an error.";
    SETTINGS_AFTER_FORMAT, "allow_settings_after_format_in_insert", "Allows SETTINGS between FORMAT and the data of an INSERT.";
    NEW_FILES, "engine_file_allow_create_multiple_files",
    "INSERT into a file that cannot be appended to writes a new file with a number in its name; 0 makes it an error.";
    SKIP_EMPTY_FILES, "engine_file_skip_empty_files",
    "file() returns no rows for an empty file; 0 makes it an error where the format needs bytes.";
    EMPTY_IF_MISSING, "engine_file_empty_if_not_exists", "file() returns no rows for a file that does not exist; 0 makes it an error.";
    IGNORE_DROPPED_TARGETS, "ignore_materialized_views_with_dropped_target_table",
    "An INSERT leaves out views whose target table does not exist; 0 makes them an error.";
    HTTP_CONNECT_TIMEOUT, "http_connection_timeout", "Seconds that url() waits for a connection.";
    HTTP_RECEIVE_TIMEOUT, "http_receive_timeout", "Seconds that url() waits for the next bytes of an answer.";
    HTTP_REDIRECTS, "max_http_get_redirects", "How many redirects url() follows.";
    HTTP_SKIP_MISSING, "http_skip_not_found_url_for_globs",
    "url() with a pattern leaves out addresses at which there is nothing; 0 makes them an error.";
    PREFER_COLUMN, "prefer_column_name_to_alias", "A name that is both a column and an alias means the column; 0 means the alias.";
    EMPTY_RESULT_CONSTANT, "empty_result_for_aggregation_by_constant_keys_on_empty_set",
    "An aggregation whose keys are all constants over no rows returns no row; 0 returns one row.";
    DECIMAL_OVERFLOW, "decimal_check_overflow", "Overflow in arithmetic with Decimals is an error; 0 lets the value wrap around.";
    EXTENDED_DATES, "enable_extended_results_for_datetime_functions",
    "toStartOf functions return Date32 for Date32 and DateTime64 for DateTime64; 0 returns Date or DateTime.";
    MONTH_NAME, "formatdatetime_parsedatetime_m_is_month_name", "%M of formatDateTime is the name of the month; 0 means the minute.";
    FORMAT_UNPADDED, "formatdatetime_format_without_leading_zeros", "%c, %l and %k of formatDateTime are written without a leading zero.";
    FORMAT_SINGLE_ZERO, "formatdatetime_f_prints_single_zero",
    "%f of formatDateTime is a single 0 for a value without a fraction; 0 writes six zeros.";
    FORMAT_SCALE, "formatdatetime_f_prints_scale_number_of_digits",
    "%f of formatDateTime has as many digits as the scale of a DateTime64; 0 writes six.";
    COMPATIBILITY, "compatibility",
    "A ClickHouse version, such as 26.8: settings that are not set have the defaults of that version. Empty means the newest.";
    INFER_DATES, "input_format_try_infer_dates",
    "Recognises dates when the structure of a file is found; 0 takes them as times at midnight.";
    INFER_DATETIMES, "input_format_try_infer_datetimes", "Recognises times when the structure of a file is found.";
    INFER_DATETIME64, "input_format_try_infer_datetimes_only_datetime64",
    "Times that are found in files always have the type DateTime64; 0 allows DateTime.";
    INFER_INTEGERS, "input_format_try_infer_integers",
    "Recognises integers when the structure of a file is found; 0 takes all numbers as Float64.";
    INFER_EXPONENTS, "input_format_try_infer_exponent_floats",
    "Recognises numbers with an exponent, such as 1e5, when the structure of CSV or TabSeparated is found.";
    INFER_CSV_NUMBERS, "input_format_csv_try_infer_numbers_from_strings",
    "Recognises numbers in quotes when the structure of CSV is found.";
    INFER_JSON_NUMBERS, "input_format_json_try_infer_numbers_from_strings",
    "Recognises numbers in quotes when the structure of JSON is found.";
    INFER_JSON_TUPLES, "input_format_json_try_infer_named_tuples_from_objects",
    "Objects in JSON whose structure is found become named tuples; 0 makes them maps or strings.";
    PRETTY_COLOR, "output_format_pretty_color", "Pretty and Vertical formats use colours; auto uses them on a terminal only.";
    PRETTY_CHARSET, "output_format_pretty_grid_charset", "UTF-8 or ASCII: the characters that draw the frames of Pretty formats.";
    PRETTY_PAD, "output_format_pretty_max_column_pad_width", "Greatest width in characters to which columns of Pretty formats are padded.";
    PRETTY_FOOTER, "output_format_pretty_display_footer_column_names", "Pretty formats repeat the column names below long tables.";
    PRETTY_FOOTER_ROWS, "output_format_pretty_display_footer_column_names_min_rows",
    "Rows that a Pretty table must have for its column names to be repeated below it.";
    PRETTY_VERTICAL, "output_format_pretty_fallback_to_vertical", "Pretty formats show wide tables of few rows in the Vertical form.";
    PRETTY_VERTICAL_COLUMNS, "output_format_pretty_fallback_to_vertical_min_columns",
    "Fewest columns of a table that output_format_pretty_fallback_to_vertical applies to.";
    PRETTY_VERTICAL_WIDTH, "output_format_pretty_fallback_to_vertical_min_table_width",
    "Least width in characters of a table that output_format_pretty_fallback_to_vertical applies to.";
    PRETTY_NAME_WIDTH, "output_format_pretty_max_column_name_width_cut_to",
    "Width in characters at which Pretty formats cut column names off; 0 means that they do not.";
    PRETTY_NAME_SLACK, "output_format_pretty_max_column_name_width_min_chars_to_cut",
    "Pretty formats cut a column name only if they remove at least this many characters.";
    PRETTY_CUT_SINGLE, "output_format_pretty_max_value_width_apply_for_single_value",
    "Applies output_format_pretty_max_value_width also to a value that is the only one of its result.";
    PRETTY_MULTILINE, "output_format_pretty_multiline_fields", "Pretty formats show values with line feeds over several lines.";
    PRETTY_TUPLES, "output_format_pretty_named_tuples_as_json", "Pretty formats show named tuples as JSON objects.";
    PRETTY_DIGITS, "output_format_pretty_highlight_digit_groups",
    "Pretty formats underline groups of three digits in numbers, where colours are used.";
    PRETTY_SPACES, "output_format_pretty_highlight_trailing_spaces",
    "Pretty formats mark spaces at the end of values, where colours are used.";
    STAR_ALIAS, "asterisk_include_alias_columns", "* includes ALIAS columns.";
    STAR_MATERIALIZED, "asterisk_include_materialized_columns", "* includes MATERIALIZED columns.";
    NAMED_TUPLES, "enable_named_columns_in_function_tuple", "tuple(a, b) has elements with the names of its arguments.";
    LEGACY_EXTREMES, "least_greatest_legacy_null_behavior", "least and greatest are NULL if one argument is.";
    REPLACE_RUNNING, "replace_running_query", "A statement stops a running one of the same user with the same query_id.";
    REPLACE_RUNNING_WAIT, "replace_running_query_max_wait_ms",
    "Milliseconds that replace_running_query waits for the running statement to stop.";
    DEFAULT_TEMPORARY_ENGINE, "default_temporary_table_engine", "Engine of CREATE TEMPORARY TABLE without ENGINE.";
    PRETTY_MAX_ROWS, "output_format_pretty_max_rows", "Most rows that Pretty formats print.";
    INFER_ROWS, "input_format_max_rows_to_read_for_schema_inference",
    "Rows of a file that are read to find the names and types of its columns.";
    MARKDOWN_ESCAPE, "output_format_markdown_escape_special_characters", "Writes a backslash before punctuation in Markdown.";
    PRETTY_VERTICAL_ROWS, "output_format_pretty_fallback_to_vertical_max_rows_per_chunk",
    "Most rows of a table that output_format_pretty_fallback_to_vertical applies to.";
}
