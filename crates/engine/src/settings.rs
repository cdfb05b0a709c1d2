//! The settings: one row each with name, type, default and meaning.
//!
//! Names and meanings are the reference's where the thing is the same. Names of the reference that
//! change nothing here are listed apart, so that clients which send them are served; they are kept
//! and shown, and have no effect.

use std::sync::{Arc, LazyLock};

use entasis_analyze::names::{add_hint, near};
use entasis_base::{Error, Result, codes};
use entasis_types::Value;

/// What values a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number, not negative.
    UInt64,
    /// 0, 1, false, true.
    Bool,
    /// A whole number.
    Int64,
    /// A number with a fraction.
    Float,
    /// Text.
    String,
}

impl Kind {
    /// The type's name as the reference lists it.
    pub fn name(self) -> &'static str {
        match self {
            Self::UInt64 => "UInt64",
            Self::Bool => "Bool",
            Self::Int64 => "Int64",
            Self::Float => "Float",
            Self::String => "String",
        }
    }
}

/// A setting with its value, for lists.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct SettingRow {
    pub name: &'static str,
    pub kind: Kind,
    pub value: String,
    pub default: &'static str,
    pub changed: bool,
    pub description: &'static str,
}

/// A setting as data.
#[derive(Debug)]
pub struct SettingDef {
    /// Name.
    pub name: &'static str,
    /// Type.
    pub kind: Kind,
    /// Default, as text.
    pub default: &'static str,
    /// What it does.
    pub description: &'static str,
}

/// A setting's place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting(usize);

macro_rules! settings {
    ($($constant:ident, $name:literal, $kind:ident, $default:literal, $description:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($constant),* }
        $(
            #[doc = $description]
            pub const $constant: Setting = Setting(Index::$constant as usize);
        )*
        /// Every setting that has an effect.
        pub const SETTINGS: &[SettingDef] = &[$(SettingDef {
            name: $name, kind: Kind::$kind, default: $default, description: $description,
        }),*];
    };
}

settings! {
    MAX_THREADS, "max_threads", UInt64, "0", "Most workers for one query; 0 means one per core.";
    MAX_BLOCK_SIZE, "max_block_size", UInt64, "8192", "Most rows per chunk that a source makes.";
    MAX_MEMORY_USAGE, "max_memory_usage", UInt64, "0", "Most bytes that one query may reserve; 0 means no limit.";
    MAX_MEMORY_USAGE_FOR_USER, "max_memory_usage_for_user", UInt64, "0", "Most bytes for all queries of one user; 0 means no limit.";
    EXTERNAL_GROUP_BY, "max_bytes_before_external_group_by", UInt64, "0", "Bytes after which it goes to disk; 0: no bound.";
    EXTERNAL_GROUP_BY_RATIO, "max_bytes_ratio_before_external_group_by", Float, "0.5", "The same as a part of the memory limit.";
    EXTERNAL_SORT, "max_bytes_before_external_sort", UInt64, "0", "Bytes after which it goes to disk; 0: no bound.";
    EXTERNAL_SORT_RATIO, "max_bytes_ratio_before_external_sort", Float, "0.5", "The same as a part of the memory limit.";
    TEMPORARY_CODEC, "temporary_files_codec", String, "LZ4", "Compression of temporary files: LZ4, ZSTD or NONE.";
    MAX_TEMPORARY_SIZE, "max_temporary_data_on_disk_size_for_query", UInt64, "0", "Most bytes of a statement's; 0: no limit.";
    MIN_FREE_SPACE, "min_free_disk_space_for_temporary_data", UInt64, "0", "Bytes that temporary files leave free on the disk.";
    TRACE_EVENTS, "trace_profile_events", Bool, "0", "Every increment of a profile event is reported to the profiler.";
    TRACE_EVENTS_LIST, "trace_profile_events_list", String, "", "Events to trace, with commas between them; empty: all.";
    SHOW_ZERO_EVENTS, "system_events_show_zero_values", Bool, "0", "system.events shows events that have not happened too.";
    MAX_EXECUTION_TIME, "max_execution_time", Float, "0", "Seconds after which a query is stopped; 0 means no limit.";
    MAX_RESULT_ROWS, "max_result_rows", UInt64, "0", "Most rows in a result; 0 means no limit.";
    MAX_QUERY_SIZE, "max_query_size", UInt64, "262144", "Most bytes of a query's text that are parsed.";
    MAX_PARSER_DEPTH, "max_parser_depth", UInt64, "1000", "Deepest nesting the parser follows.";
    MAX_AST_DEPTH, "max_ast_depth", UInt64, "1000", "Deepest nesting of expressions.";
    READONLY, "readonly", UInt64, "0", "1 refuses writes and settings, 2 refuses writes.";
    SESSION_TIMEZONE, "session_timezone", String, "", "Zone of DateTime without a zone of its own; empty means the server's.";
    JOIN_USE_NULLS, "join_use_nulls", Bool, "0", "Missing sides of outer joins are NULL instead of defaults.";
    UNION_DEFAULT_MODE, "union_default_mode", String, "", "What UNION without ALL or DISTINCT means.";
    INTERSECT_DEFAULT_MODE, "intersect_default_mode", String, "ALL", "What INTERSECT without ALL or DISTINCT means.";
    EXCEPT_DEFAULT_MODE, "except_default_mode", String, "ALL", "What EXCEPT without ALL or DISTINCT means.";
    LIMIT, "limit", UInt64, "0", "Most rows of a result, whatever its own LIMIT; 0 means no limit.";
    OFFSET, "offset", UInt64, "0", "Rows of a result that are skipped, besides its own OFFSET.";
    EXTREMES, "extremes", Bool, "0", "Least and greatest values of all columns beside the result.";
    TOTALS_MODE, "totals_mode", String, "after_having_exclusive", "before_having: totals of all groups, else of those that HAVING keeps.";
    GROUP_BY_USE_NULLS, "group_by_use_nulls", Bool, "0", "Keys that a grouping set leaves out are NULL instead of defaults.";
    MAX_GROUPS, "max_rows_to_group_by", UInt64, "0", "Most groups of an aggregation; 0 means no limit.";
    MAX_DISTINCT, "max_rows_in_distinct", UInt64, "0", "Most rows of a DISTINCT; 0 means no limit.";
    GROUP_BY_OVERFLOW_MODE, "group_by_overflow_mode", String, "throw", "What happens beyond max_rows_to_group_by.";
    DISTINCT_OVERFLOW_MODE, "distinct_overflow_mode", String, "throw", "What happens beyond max_rows_in_distinct.";
    RESULT_OVERFLOW_MODE, "result_overflow_mode", String, "throw", "What happens beyond max_result_rows.";
    UNALIGNED_ARRAY_JOIN, "enable_unaligned_array_join", Bool, "0", "Arrays of ARRAY JOIN may have different lengths.";
    AGGREGATES_NULL_FOR_EMPTY, "aggregate_functions_null_for_empty", Bool, "0", "Aggregates of no rows are NULL instead of a default.";
    MAX_RECURSIVE_DEPTH, "max_recursive_cte_evaluation_depth", UInt64, "1000", "Most steps of a recursive common table expression.";
    COUNT_DISTINCT_IMPLEMENTATION, "count_distinct_implementation", String, "uniqExact", "The aggregate that count(DISTINCT) stands for.";
    ENABLE_POSITIONAL_ARGUMENTS, "enable_positional_arguments", Bool, "1", "Numbers in GROUP BY, ORDER BY, LIMIT BY mean result columns.";
    ENABLE_OPTIMIZATIONS, "query_plan_enable_optimizations", Bool, "1", "Whether plans are optimised; 0 is for tests.";
    FINAL, "final", Bool, "0", "FINAL behind every table that supports it.";
    AGGREGATION_IN_ORDER, "optimize_aggregation_in_order", Bool, "0", "GROUP BY over first columns of a sorting key reads in its order.";
    SUSPICIOUS_PRIMARY_KEY, "allow_suspicious_primary_key", Bool, "0", "SimpleAggregateFunction may be in a sorting key.";
    MIN_INSERT_BLOCK_SIZE_ROWS, "min_insert_block_size_rows", UInt64, "1048449", "Rows that INSERT gathers before it writes a part.";
    MIN_INSERT_BLOCK_SIZE_BYTES, "min_insert_block_size_bytes", UInt64, "268402944", "Bytes that INSERT gathers before it writes a part.";
    INSERT_TOKEN, "insert_deduplication_token", String, "", "INSERTs of one table with the same token are stored once.";
    DEDUPLICATE_INSERT, "deduplicate_insert", String, "enable", "disable: never; backward_compatible_choice: see insert_deduplicate.";
    INSERT_DEDUPLICATE, "insert_deduplicate", Bool, "1", "INSERTs that come again are stored once, under backward_compatible_choice.";
    DEFAULT_TABLE_ENGINE, "default_table_engine", String, "MergeTree", "Engine of CREATE TABLE without ENGINE.";
    DEFAULT_FORMAT, "default_format", String, "", "Format of a result that names none.";
    PRETTY_MAX_ROWS, "output_format_pretty_max_rows", UInt64, "1000", "Rows after which Pretty formats stop.";
    CSV_DELIMITER, "format_csv_delimiter", String, ",", "Field delimiter of CSV.";
    NULL_AS_DEFAULT, "input_format_null_as_default", Bool, "1", "NULL in input for a column that is not Nullable becomes its default.";
    DEFAULTS_FOR_OMITTED, "input_format_defaults_for_omitted_fields", Bool, "1", "What input leaves out is the column's DEFAULT.";
    CSV_EMPTY_AS_DEFAULT, "input_format_csv_empty_as_default", Bool, "1", "An empty field of CSV stands for the column's default.";
    TSV_EMPTY_AS_DEFAULT, "input_format_tsv_empty_as_default", Bool, "0", "An empty field of TSV stands for the column's default.";
    INSERT_NULL_AS_DEFAULT, "insert_null_as_default", Bool, "1", "NULL of INSERT SELECT becomes the default of a plain column.";
    TRUNCATE_FILES, "engine_file_truncate_on_insert", Bool, "0", "INSERT into file() replaces the file; 0: writes at its end.";
    SKIP_UNKNOWN_FIELDS, "input_format_skip_unknown_fields", Bool, "1", "Unknown names in input are skipped.";
    QUOTE_64BIT, "output_format_json_quote_64bit_integers", Bool, "0", "64-bit integers in quotes in JSON.";
    ARROW_STRINGS, "output_format_arrow_string_as_string", Bool, "1", "Strings are text in Arrow; 0 declares them as bytes.";
    PARQUET_STRINGS, "output_format_parquet_string_as_string", Bool, "1", "Strings are text in Parquet; 0 declares them as bytes.";
    FORCE_PORTABLE_KERNELS, "force_portable_kernels", Bool, "0", "Kernels without intrinsics, for tests; holds for the whole process.";
    ENABLE_HTTP_COMPRESSION, "enable_http_compression", Bool, "0", "Answers over HTTP are compressed as Accept-Encoding asks.";
    HTTP_ZLIB_LEVEL, "http_zlib_compression_level", UInt64, "3", "Level of gzip and zstd for answers over HTTP, 1 to 9.";
    HTTP_PROGRESS, "send_progress_in_http_headers", Bool, "0", "X-ClickHouse-Progress headers, one per interval until the answer begins.";
    HTTP_PROGRESS_INTERVAL, "http_headers_progress_interval_ms", UInt64, "100", "Interval of X-ClickHouse-Progress headers.";
    HTTP_BUFFER_SIZE, "http_response_buffer_size", UInt64, "0", "Bytes held back, so that errors still set the status; 0 means 1 MiB.";
    WAIT_END_OF_QUERY, "wait_end_of_query", Bool, "0", "An answer over HTTP begins when the statement has ended.";
    HTTP_WAIT_END_OF_QUERY, "http_wait_end_of_query", Bool, "0", "As wait_end_of_query.";
    CANCEL_ON_CLOSE, "cancel_http_readonly_queries_on_client_close", Bool, "1", "A query that just reads ends with its HTTP client.";
    NETWORK_COMPRESSION, "network_compression_method", String, "LZ4", "Method of blocks under compress=1: LZ4, ZSTD or NONE.";
    LOG_QUERIES, "log_queries", Bool, "1", "Statements are written to system.query_log, where logs are kept.";
    LOG_QUERIES_MIN_TYPE, "log_queries_min_type", String, "QUERY_START", "Least type of row that is logged.";
    LOG_QUERIES_MIN_MS, "log_queries_min_query_duration_ms", UInt64, "0", "Shorter statements are not logged.";
    LOG_QUERIES_CUT, "log_queries_cut_to_length", UInt64, "100000", "Bytes of a statement's text that the log keeps.";
    LOG_QUERY_SETTINGS, "log_query_settings", Bool, "1", "Changed settings are logged with the statement.";
    LOG_QUERY_THREADS, "log_query_threads", Bool, "0", "Threads that work for a statement are written to system.query_thread_log.";
    LOG_FORMATTED, "log_formatted_queries", Bool, "0", "The statement in its printed form is logged with it.";
    QUERY_METRICS_MS, "query_metric_log_interval", Int64, "-1", "Milliseconds between rows of query_metric_log; -1: as the server says.";
    TRACE_PROBABILITY, "opentelemetry_start_trace_probability", Float, "0", "Chance of a statement to be traced though no client asks.";
    PROFILER_CPU, "query_profiler_cpu_time_period_ns", UInt64, "1000000000", "CPU time between samples of a stack; 0: none.";
    PROFILER_REAL, "query_profiler_real_time_period_ns", UInt64, "1000000000", "Time between samples of a stack; 0: none.";
    PERF_EVENTS, "metrics_perf_events_enabled", Bool, "0", "What processor and kernel count goes to the statement's ProfileEvents.";
    PERF_EVENTS_LIST, "metrics_perf_events_list", String, "", "Counters to count, with commas between them; empty: all.";
    PROFILER_MEMORY_STEP, "memory_profiler_step", UInt64, "4194304", "Growth of memory between samples of a stack; 0: none.";
    MEMORY_SAMPLE, "memory_profiler_sample_probability", Float, "0", "Chance of an allocation and its release to be sampled.";
    MEMORY_SAMPLE_MIN, "memory_profiler_sample_min_allocation_size", UInt64, "0", "Bytes of the least allocation that is sampled.";
    MEMORY_SAMPLE_MAX, "memory_profiler_sample_max_allocation_size", UInt64, "0", "Bytes of the largest one; 0: no limit.";
    ALLOW_INTROSPECTION, "allow_introspection_functions", Bool, "1", "addressToSymbol, addressToLine, demangle may be called.";
    PLANT_STEP, "plant_step", String, "", "Planted costs are where a step, or Output, begins so; empty: anywhere (entasis lab power).";
    PLANT_TIME, "plant_time_percent", Float, "0", "Time that is burnt, over what the work took, in percent.";
    PLANT_ALLOCATION, "plant_allocation_percent", Float, "0", "Bytes allocated and freed over what the work allocated, percent.";
    PLANT_PEAK, "plant_peak_percent", Float, "0", "What the statement's peak of memory is raised by at its end, in percent.";
    LOG_COMMENT, "log_comment", String, "", "A remark that is kept with the query in the logs.";
}

/// Settings of the reference that change nothing here, with their defaults.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("allow_experimental_analyzer", "1"),
    ("allow_suspicious_low_cardinality_types", "0"),
    ("async_insert", "0"),
    ("async_insert_deduplicate", "0"),
    ("compile_aggregate_expressions", "1"),
    ("compile_expressions", "1"),
    ("date_time_input_format", "best_effort"),
    ("deduplicate_insert_select", "enable_when_possible"),
    ("enable_analyzer", "1"),
    ("enable_optimize_predicate_expression", "1"),
    ("group_by_two_level_threshold", "100000"),
    ("join_algorithm", "hash"),
    ("load_balancing", "random"),
    ("max_insert_block_size", "1048449"),
    ("max_insert_threads", "0"),
    ("max_read_buffer_size", "1048576"),
    ("min_bytes_to_use_direct_io", "0"),
    ("network_zstd_compression_level", "1"),
    ("optimize_move_to_prewhere", "1"),
    ("optimize_read_in_order", "1"),
    // The block is never written: its numbers change from run to run.
    ("output_format_write_statistics", "0"),
    ("priority", "0"),
    ("use_query_cache", "0"),
    ("use_query_condition_cache", "0"),
    ("use_uncompressed_cache", "0"),
    ("wait_for_async_insert", "1"),
];

/// Defaults of all settings, by place: statements look some dozens up.
static DEFAULTS: LazyLock<Vec<Value>> =
    LazyLock::new(|| SETTINGS.iter().map(default_value).collect());

/// Values of all settings. Cheap to clone until changed.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Changed ones only, by place; the second list holds those without effect.
    changed: Arc<Vec<(usize, Value)>>,
    without_effect: Arc<Vec<(&'static str, String)>>,
}

impl Settings {
    fn get(&self, setting: Setting) -> &Value {
        let found = self.changed.iter().find(|(i, _)| *i == setting.0);
        found.map_or_else(|| &DEFAULTS[setting.0], |(_, value)| value)
    }

    /// A whole number.
    pub fn u64(&self, setting: Setting) -> u64 {
        self.get(setting).as_u64().unwrap_or(0)
    }

    /// A whole number that may be negative.
    pub fn i64(&self, setting: Setting) -> i64 {
        self.get(setting).as_i64().unwrap_or(0)
    }

    /// A flag.
    pub fn flag(&self, setting: Setting) -> bool {
        self.u64(setting) != 0
    }

    /// A number.
    pub fn f64(&self, setting: Setting) -> f64 {
        self.get(setting).as_f64().unwrap_or(0.0)
    }

    /// A text.
    pub fn text(&self, setting: Setting) -> String {
        String::from_utf8_lossy(self.get(setting).as_bytes().unwrap_or_default()).into_owned()
    }

    /// Whether nothing has been changed.
    pub fn is_default(&self) -> bool {
        self.changed.is_empty() && self.without_effect.is_empty()
    }

    /// Names and values of what has been changed.
    pub fn changed(&self) -> Vec<(&'static str, String)> {
        let own = self.changed.iter().map(|(i, value)| (SETTINGS[*i].name, text_of(value)));
        own.chain(self.without_effect.iter().cloned()).collect()
    }

    /// The value of a setting by name; `None` for an unknown name.
    pub fn by_name(&self, name: &str) -> Option<Value> {
        if let Some(i) = SETTINGS.iter().position(|s| s.name == name) {
            return Some(self.get(Setting(i)).clone());
        }
        let (_, default) = WITHOUT_EFFECT.iter().find(|(n, _)| *n == name)?;
        let set = self.without_effect.iter().find(|(n, _)| *n == name);
        Some(Value::from(set.map_or(*default, |(_, v)| v.as_str())))
    }

    /// Sets a setting for a user (`None`: puts it back), unless `readonly` forbids it: 1 forbids
    /// every change, 2 that of `readonly` itself.
    pub fn change(&mut self, name: &str, value: Option<&Value>) -> Result<()> {
        let level = self.u64(READONLY);
        let same =
            || value.is_some_and(|v| Some(text_of(v)) == self.by_name(name).map(|v| text_of(&v)));
        if (level == 1 || level == 2 && name == "readonly") && !same() {
            let message = format!("Cannot modify '{name}' setting in readonly mode");
            return Err(Error::new(codes::READONLY, message));
        }
        match value {
            Some(value) => self.set(name, value),
            None => self.reset(name),
        }
    }

    /// Sets a setting by name from a literal (a number, or text as in a URL). Fails with
    /// UNKNOWN_SETTING, with near names as a hint, or if the value is not of the setting's type.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        if let Some(i) = SETTINGS.iter().position(|s| s.name == name) {
            let value = convert(&SETTINGS[i], value)?;
            let changed = Arc::make_mut(&mut self.changed);
            changed.retain(|(at, _)| *at != i);
            changed.push((i, value));
            return Ok(());
        }
        let Some((known, _)) = WITHOUT_EFFECT.iter().find(|(n, _)| *n == name) else {
            return Err(unknown(name));
        };
        let others = Arc::make_mut(&mut self.without_effect);
        others.retain(|(n, _)| n != known);
        others.push((known, text_of(value)));
        Ok(())
    }

    /// [`Settings::set`] from text, as in a file or a URL.
    pub fn set_text(&mut self, name: &str, value: &str) -> Result<()> {
        self.set(name, &Value::from(value))
    }

    /// Puts a setting back to its default.
    pub fn reset(&mut self, name: &str) -> Result<()> {
        if self.by_name(name).is_none() {
            return Err(unknown(name));
        }
        Arc::make_mut(&mut self.changed).retain(|(i, _)| SETTINGS[*i].name != name);
        Arc::make_mut(&mut self.without_effect).retain(|(n, _)| *n != name);
        Ok(())
    }

    /// Every setting, sorted by name.
    pub fn all(&self) -> Vec<SettingRow> {
        let mut rows: Vec<_> = SETTINGS
            .iter()
            .enumerate()
            .map(|(i, s)| {
                let changed = self.changed.iter().any(|(at, _)| *at == i);
                SettingRow {
                    name: s.name,
                    kind: s.kind,
                    value: text_of(self.get(Setting(i))),
                    default: s.default,
                    changed,
                    description: s.description,
                }
            })
            .collect();
        for (name, default) in WITHOUT_EFFECT {
            let set = self.without_effect.iter().find(|(n, _)| n == name);
            let value = set.map_or(*default, |(_, v)| v.as_str()).to_string();
            rows.push(SettingRow {
                name,
                kind: Kind::String,
                value,
                default,
                changed: set.is_some(),
                description: "Kept for clients; no effect.",
            });
        }
        rows.sort_by_key(|r| r.name);
        rows
    }
}

fn default_value(def: &SettingDef) -> Value {
    match def.kind {
        Kind::UInt64 | Kind::Bool => Value::UInt(def.default.parse().unwrap_or(0)),
        Kind::Int64 => Value::Int(def.default.parse().unwrap_or(0)),
        Kind::Float => Value::Float(def.default.parse().unwrap_or(0.0)),
        Kind::String => Value::from(def.default),
    }
}

/// A setting's value as text.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => entasis_types::name::literal(other).trim_end_matches('.').to_string(),
    }
}

fn convert(def: &SettingDef, value: &Value) -> Result<Value> {
    let text = text_of(value);
    let converted = match def.kind {
        Kind::String => Some(Value::from(text.as_str())),
        Kind::Int64 => value.as_i64().or_else(|| text.parse().ok()).map(Value::Int),
        Kind::Float => text.parse().ok().map(Value::Float),
        Kind::Bool => match text.to_ascii_lowercase().as_str() {
            "1" | "true" => Some(Value::UInt(1)),
            "0" | "false" => Some(Value::UInt(0)),
            _ => None,
        },
        Kind::UInt64 if text == "auto" => Some(Value::UInt(0)),
        Kind::UInt64 => value.as_u64().or_else(|| text.parse().ok()).map(Value::UInt),
    };
    converted.ok_or_else(|| {
        let message = format!("Cannot parse `{text}` as the value of setting {}", def.name);
        Error::new(codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, message)
    })
}

#[cold]
fn unknown(name: &str) -> Error {
    let known = SETTINGS.iter().map(|s| s.name).chain(WITHOUT_EFFECT.iter().map(|s| s.0));
    let mut message = format!("Unknown setting '{name}'");
    add_hint(&mut message, &near(name, known));
    Error::new(codes::UNKNOWN_SETTING, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_names_agree() {
        assert_eq!(SETTINGS[MAX_THREADS.0].name, "max_threads");
        assert_eq!(SETTINGS[LOG_COMMENT.0].name, "log_comment");
        for setting in SETTINGS {
            assert!(convert(setting, &Value::from(setting.default)).is_ok(), "{}", setting.name);
            assert!(WITHOUT_EFFECT.iter().all(|(n, _)| *n != setting.name), "{}", setting.name);
        }
    }

    #[test]
    fn unknown_names_get_a_hint() {
        let error = Settings::default().set("max_threds", &Value::UInt(1)).unwrap_err();
        assert_eq!(error.code(), codes::UNKNOWN_SETTING);
        assert!(error.message().contains("'max_threads'"), "{error}");
    }

    #[test]
    fn values_are_checked_and_reset() {
        let mut settings = Settings::default();
        assert!(settings.set("max_threads", &Value::from("x")).is_err());
        settings.set("max_threads", &Value::from("3")).unwrap();
        settings.set("optimize_read_in_order", &Value::UInt(0)).unwrap();
        assert_eq!(settings.u64(MAX_THREADS), 3);
        settings.reset("max_threads").unwrap();
        assert_eq!(settings.u64(MAX_THREADS), 0);
    }
}
