//! Settings of plans and of what a query may use: limits, spilling, joins, rewrites.

settings! {
    after [(); 0];
    MAX_MEMORY_USAGE, "max_memory_usage",
    "Most bytes of memory for one query. 0 means no limit; if not set, half of the server's limit applies.";
    MAX_MEMORY_USAGE_FOR_USER, "max_memory_usage_for_user", "Most bytes of memory for all running queries of one user; 0 means no limit.";
    EXTERNAL_GROUP_BY, "max_bytes_before_external_group_by",
    "Bytes of memory beyond which a GROUP BY writes groups to disk; 0 means no such threshold.";
    EXTERNAL_GROUP_BY_RATIO, "max_bytes_ratio_before_external_group_by",
    "Share of the memory limit in use beyond which GROUP BY writes to disk; 0 means no such threshold.";
    EXTERNAL_SORT, "max_bytes_before_external_sort",
    "Bytes of memory beyond which an ORDER BY writes rows to disk; 0 means no such threshold.";
    EXTERNAL_SORT_RATIO, "max_bytes_ratio_before_external_sort",
    "Share of the memory limit in use beyond which ORDER BY writes to disk; 0 means no such threshold.";
    EXTERNAL_DISTINCT, "max_bytes_before_external_distinct",
    "Bytes of memory beyond which a DISTINCT writes rows to disk; 0 means no such threshold.";
    EXTERNAL_DISTINCT_RATIO, "max_bytes_ratio_before_external_distinct",
    "Share of the memory limit in use beyond which DISTINCT writes to disk; 0 means no such threshold.";
    EXTERNAL_JOIN, "max_bytes_before_external_join",
    "Bytes of memory beyond which a JOIN writes rows of both sides to disk; 0 means no such threshold.";
    EXTERNAL_JOIN_RATIO, "max_bytes_ratio_before_external_join",
    "Share of the memory limit in use beyond which JOIN writes to disk; 0 means no such threshold.";
    JOIN_BUCKETS, "grace_hash_join_initial_buckets",
    "With join_algorithm = 'grace_hash', only one of so many parts of the right side stays in memory in any case.";
    TEMPORARY_CODEC, "temporary_files_codec", "Compression of temporary files: LZ4, ZSTD or NONE.";
    MAX_TEMPORARY_SIZE, "max_temporary_data_on_disk_size_for_query", "Most bytes of temporary files for one query; 0 means no limit.";
    MIN_FREE_SPACE, "min_free_disk_space_for_temporary_data",
    "Free bytes that temporary files must leave on the disk; 0 means that they may fill it.";
    JOIN_USE_NULLS, "join_use_nulls", "Rows of outer joins without a match are filled with NULL; 0 fills them with default values.";
    MAX_GROUPS, "max_rows_to_group_by", "Most groups of an aggregation; 0 means no limit.";
    MAX_DISTINCT, "max_rows_in_distinct", "Most different rows that a DISTINCT may find; 0 means no limit.";
    MAX_BYTES_IN_DISTINCT, "max_bytes_in_distinct", "Most bytes of the different rows that a DISTINCT keeps; 0 means no limit.";
    MAX_ROWS_TO_SORT, "max_rows_to_sort", "Most rows that an ORDER BY or a window function sorts; 0 means no limit.";
    MAX_BYTES_TO_SORT, "max_bytes_to_sort", "Most bytes of the rows that an ORDER BY or a window function sorts; 0 means no limit.";
    MAX_ROWS_IN_JOIN, "max_rows_in_join", "Most rows on the side of a JOIN that is kept in memory; 0 means no limit.";
    MAX_BYTES_IN_JOIN, "max_bytes_in_join", "Most bytes of the side of a JOIN that is kept in memory; 0 means no limit.";
    MAX_ROWS_IN_SET, "max_rows_in_set", "Most different values on the right side of IN; 0 means no limit.";
    MAX_BYTES_IN_SET, "max_bytes_in_set", "Most bytes of the values that a subquery behind IN returns; 0 means no limit.";
    MAX_TEMPORARY_COLUMNS, "max_temporary_columns",
    "Most columns, constants included, that one step of a query may hold; 0 means no limit.";
    MAX_TEMPORARY_NON_CONST_COLUMNS, "max_temporary_non_const_columns",
    "Most columns, without constants, that one step of a query may hold; 0 means no limit.";
    GROUP_BY_OVERFLOW_MODE, "group_by_overflow_mode",
    "What happens beyond max_rows_to_group_by: throw is an error, break ends reading, any goes on with the groups found so far.";
    DISTINCT_OVERFLOW_MODE, "distinct_overflow_mode",
    "What happens beyond max_rows_in_distinct: throw is an error, break returns the rows found so far.";
    READ_OVERFLOW_MODE, "read_overflow_mode",
    "What happens beyond a limit of reading: throw is an error, break answers with the rows read so far.";
    TIMEOUT_OVERFLOW_MODE, "timeout_overflow_mode",
    "What happens after max_execution_time: throw is an error, break answers with the rows read so far.";
    RESULT_OVERFLOW_MODE, "result_overflow_mode",
    "What happens beyond max_result_rows: throw is an error, break returns the rows made so far.";
    SORT_OVERFLOW_MODE, "sort_overflow_mode", "break: ORDER BY sorts what it has when a limit of sorting is passed.";
    JOIN_OVERFLOW_MODE, "join_overflow_mode", "break: a JOIN uses what it has when a limit of joins is passed.";
    SET_OVERFLOW_MODE, "set_overflow_mode", "break: IN uses what it has when a limit of sets is passed.";
    DIRECT_READ_FROM_TEXT_INDEX, "query_plan_direct_read_from_text_index",
    "Rows are found by a text index alone, where it decides a condition, without reading the text.";
    USE_PROJECTIONS, "optimize_use_projections", "Queries read projections instead of tables where that is less work.";
    FORCE_PROJECTION, "force_optimize_projection", "A query fails if it reads tables and uses no projection.";
    FORCE_PROJECTION_NAME, "force_optimize_projection_name", "A query fails if it does not use the projection of this name.";
    PREFERRED_PROJECTION, "preferred_optimize_projection_name", "A projection that is used wherever it can be, whatever it costs.";
    REQUIRES_ALIAS, "joined_subquery_requires_alias", "Subqueries and table functions in a JOIN must have aliases.";
    UNALIGNED_ARRAY_JOIN, "enable_unaligned_array_join",
    "ARRAY JOIN fills shorter arrays with default values; 0 makes different lengths an error.";
    MAX_RECURSIVE_DEPTH, "max_recursive_cte_evaluation_depth", "Most steps of a recursive common table expression (WITH RECURSIVE).";
    ENABLE_OPTIMIZATIONS, "query_plan_enable_optimizations",
    "Optimises query plans; 0 runs plans as they are written, which is meant for tests.";
    JOIN_ORDER_LIMIT, "query_plan_optimize_join_order_limit", "Most tables of which all orders are compared; 0: as the query says.";
    JOIN_ORDER_PLANS, "query_plan_optimize_join_order_max_searched_plans" (= "10000"), "Most joins that are compared; 0: no bound.";
    JOIN_ORDER_RANDOM, "query_plan_optimize_join_order_randomize", "1: a random order of joins, for tests; more: the seed of the order.";
    JOIN_SWAP_TABLE, "query_plan_join_swap_table", "0: joins build a hash table of the right side, 1: of the left, auto: of the smaller.";
    JOIN_ALGORITHM, "join_algorithm",
    "Which algorithms joins may use, the preferred one first; grace_hash writes to disk beyond max_rows_in_join and max_bytes_in_join.";
    JOIN_FILTERS, "enable_join_runtime_filters", "The keys of one side of a JOIN filter the tables of the other side while they are read.";
    IN_TO_JOIN, "rewrite_in_to_join", "Every x IN (SELECT ...) becomes a SEMI JOIN; 0: only where the set would be large.";
    OUTER_TO_INNER, "query_plan_convert_outer_join_to_inner_join", "Outer joins become inner joins below conditions that allow it.";
    FUNCTIONS_TO_SUBCOLUMNS, "optimize_functions_to_subcolumns",
    "Calls such as length(array) and isNull(x) read only the part of the column that they need.";
    LATE_READING, "query_plan_optimize_lazy_materialization",
    "Columns that ORDER BY ... LIMIT or joins only hand on are read for the rows that are left, where that is less work.";
    LATE_READING_OF_FILES, "query_plan_optimize_lazy_materialization_for_file", "This is done for Parquet files, too.";
    LATE_READING_MAX_LIMIT, "query_plan_max_limit_for_lazy_materialization", "The greatest LIMIT for which this is done; 0: no bound.";
    AGGREGATION_IN_ORDER, "optimize_aggregation_in_order",
    "A GROUP BY over the first columns of the sorting key reads rows in that order and needs less memory.";
    COUNT_DISTINCT_TWICE, "count_distinct_optimization",
    "Every uniqExact(x) counts groups of x; 0: only where that is expected to need less time or memory.";
    MAX_ROWS_TO_READ, "max_rows_to_read", "Most rows that a query may read from tables; 0 means no limit.";
    MAX_BYTES_TO_READ, "max_bytes_to_read", "Most uncompressed bytes that a query may read from tables; 0 means no limit.";
    MAX_ROWS_TO_READ_LEAF, "max_rows_to_read_leaf", "Most rows that a query may read from tables of this server; 0 means no limit.";
    MAX_BYTES_TO_READ_LEAF, "max_bytes_to_read_leaf", "Most bytes that a query may read from tables of this server; 0 means no limit.";
    OPTIMIZE_ON_INSERT, "optimize_on_insert", "INSERT merges rows of equal keys at once, if the engine of the table merges such rows.";
    JOIN_DEFAULT_STRICTNESS, "join_default_strictness",
    "ALL or ANY: how JOIN without either word is read; empty means that this is an error.";
    ANY_JOIN_DISTINCT, "any_join_distinct_right_table_keys", "ANY INNER JOIN acts like SEMI LEFT JOIN.";
    JOIN_TAKE_LAST, "join_any_take_last_row",
    "ANY and SEMI JOIN use the last of several matching rows of the right side; 0 uses the first.";
}
