//! `system.query_log`: a row when a statement starts, and one when it has ended.
//!
//! Columns about features that this engine does not have (roles, dictionaries, shards) keep their
//! defaults.

use std::sync::Arc;
use std::time::Duration;

use entasis_sql::FormatOptions;
use entasis_types::Value;

use super::common::{COUNTS, Dated, OfStatement, TEXT, TEXTS, count_map, list, text_map};
use super::log::{Columns, Spec};
use super::log_entry::QueryLogEntry;
use super::used::{self, Used};
use crate::settings;

/// The kind of row; the numbers are those of the column `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Type {
    QueryStart = 1,
    QueryFinish = 2,
    ExceptionBeforeStart = 3,
    ExceptionWhileProcessing = 4,
}

impl Type {
    /// The kind with this name in the setting `log_queries_min_type`.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "QUERY_FINISH" => Self::QueryFinish,
            "EXCEPTION_BEFORE_START" => Self::ExceptionBeforeStart,
            "EXCEPTION_WHILE_PROCESSING" => Self::ExceptionWhileProcessing,
            _ => Self::QueryStart,
        }
    }
}

/// The work that a statement has done when it has ended; empty when it starts. Pairs are rows and
/// bytes.
#[derive(Default)]
pub(super) struct Done {
    pub elapsed: Duration,
    pub read: (u64, u64),
    pub written: (u64, u64),
    pub result: (u64, u64),
    pub memory: u64,
    pub events: Vec<(&'static str, u64)>,
    pub thread_ids: Vec<u32>,
    pub threads_peak: usize,
}

/// A row of the log.
pub(super) struct QueryRow {
    pub kind: Type,
    /// Time since 1970.
    pub at: Duration,
    pub done: Done,
    pub log_entry: Arc<QueryLogEntry>,
}

impl Dated for QueryRow {
    fn at(&self) -> Duration {
        self.at
    }
}

impl OfStatement for QueryRow {
    fn log_entry(&self) -> &QueryLogEntry {
        &self.log_entry
    }
}

/// The text of a statement, cut to the length that the setting says.
pub(super) fn text_of(log_entry: &QueryLogEntry) -> Value {
    let query = &log_entry.query;
    let most = log_entry.gathered(|g| g.settings.u64(settings::LOG_QUERIES_CUT)) as usize;
    Value::string(&query.as_bytes()[..query.floor_char_boundary(most)])
}

/// The formatted text of the statement, if the setting asks for it; else empty.
fn formatted(row: &QueryRow) -> Value {
    let wanted = row.log_entry.gathered(|g| g.settings.flag(settings::LOG_FORMATTED));
    let parsed =
        if wanted { entasis_sql::next_statement(&row.log_entry.query, 0).ok() } else { None };
    let text = parsed.flatten().map(|parsed| {
        entasis_sql::format_statement(
            &parsed.statement,
            FormatOptions { one_line: false, ..FormatOptions::default() },
        )
    });
    Value::from(text.unwrap_or_default().as_str())
}

fn used<'a>(row: &'a QueryRow, of: impl Fn(&'a Used) -> &'a [String]) -> Value {
    list(of(row.log_entry.used()).iter().map(String::as_str))
}

fn databases(row: &QueryRow) -> Value {
    row.log_entry.gathered(|g| {
        let mut names: Vec<&str> = g.tables.iter().map(|(database, _)| database.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        list(names.into_iter())
    })
}

fn tables(row: &QueryRow) -> Value {
    let name = |(database, table): &(String, String)| Value::from(&*format!("{database}.{table}"));
    row.log_entry.gathered(|g| Value::Array(g.tables.iter().map(name).collect()))
}

fn failure<T: Default>(row: &QueryRow, of: impl FnOnce(&(u16, String)) -> T) -> T {
    if row.kind < Type::ExceptionBeforeStart {
        return T::default();
    }
    row.log_entry.gathered(|g| g.failure.as_ref().map(of).unwrap_or_default())
}

fn format_used(row: &QueryRow) -> Value {
    row.log_entry.gathered(|g| list(g.format.iter().map(String::as_str)))
}

fn settings_map(row: &QueryRow) -> Value {
    let changed = row.log_entry.gathered(|g| match g.settings.flag(settings::LOG_QUERY_SETTINGS) {
        true => g.settings.changed(),
        false => Vec::new(),
    });
    text_map(changed.iter().map(|(name, value)| (*name, value.as_str())))
}

fn comment(row: &QueryRow) -> Value {
    row.log_entry.gathered(|g| Value::from(&*g.settings.text(settings::LOG_COMMENT)))
}

fn thread_ids(row: &QueryRow) -> Value {
    Value::Array(row.done.thread_ids.iter().map(|id| Value::UInt((*id).into())).collect())
}

const TYPES: &str = "Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, \
                     'ExceptionWhileProcessing' = 4)";

const TYPE: Columns<QueryRow> = &[("type", TYPES, Some(|r| Value::Int(r.kind as i64)))];

const WORK: Columns<QueryRow> = &[
    ("query_duration_ms", "UInt64", Some(|r| Value::UInt(r.done.elapsed.as_millis() as u64))),
    ("read_rows", "UInt64", Some(|r| Value::UInt(r.done.read.0))),
    ("read_bytes", "UInt64", Some(|r| Value::UInt(r.done.read.1))),
    ("written_rows", "UInt64", Some(|r| Value::UInt(r.done.written.0))),
    ("written_bytes", "UInt64", Some(|r| Value::UInt(r.done.written.1))),
    ("result_rows", "UInt64", Some(|r| Value::UInt(r.done.result.0))),
    ("result_bytes", "UInt64", Some(|r| Value::UInt(r.done.result.1))),
    ("memory_usage", "UInt64", Some(|r| Value::UInt(r.done.memory))),
    ("current_database", TEXT, Some(|r| Value::from(&*r.log_entry.database))),
    ("query", "String", Some(|r| text_of(&r.log_entry))),
    ("formatted_query", "String", Some(formatted)),
    ("normalized_query_hash", "UInt64", Some(|r| Value::UInt(r.log_entry.used().hash))),
    ("query_kind", TEXT, Some(|r| Value::from(r.log_entry.kind))),
    ("databases", TEXTS, Some(databases)),
    ("tables", TEXTS, Some(tables)),
    (
        "columns",
        TEXTS,
        Some(|r| r.log_entry.gathered(|g| list(g.columns.iter().map(String::as_str)))),
    ),
    ("partitions", TEXTS, None),
    (
        "projections",
        TEXTS,
        Some(|r| r.log_entry.gathered(|g| list(g.projections.iter().map(String::as_str)))),
    ),
    ("views", TEXTS, None),
    ("exception_code", "Int32", Some(|r| Value::Int(i64::from(failure(r, |f| f.0))))),
    ("exception", "String", Some(|r| Value::from(&*failure(r, |f| f.1.clone())))),
    ("stack_trace", "String", None),
];

const REST: Columns<QueryRow> = &[
    ("log_comment", "String", Some(comment)),
    ("thread_ids", "Array(UInt64)", Some(thread_ids)),
    ("peak_threads_usage", "UInt64", Some(|r| Value::UInt(r.done.threads_peak as u64))),
    ("ProfileEvents", COUNTS, Some(|r| count_map(&r.done.events))),
    ("Settings", "Map(LowCardinality(String), LowCardinality(String))", Some(settings_map)),
    ("used_aggregate_functions", TEXTS, Some(|r| used(r, |u| &u.aggregates))),
    ("used_aggregate_function_combinators", TEXTS, Some(|r| used(r, |u| &u.combinators))),
    ("used_database_engines", TEXTS, None),
    ("used_data_type_families", TEXTS, None),
    ("used_dictionaries", TEXTS, None),
    ("used_formats", TEXTS, Some(format_used)),
    ("used_functions", TEXTS, Some(|r| used(r, |u| &u.functions))),
    ("used_storages", TEXTS, None),
    ("used_table_functions", TEXTS, Some(|r| used(r, |u| &u.table_functions))),
    ("used_executable_user_defined_functions", TEXTS, None),
    ("used_sql_user_defined_functions", TEXTS, None),
    ("used_row_policies", TEXTS, None),
    ("used_privileges", TEXTS, None),
    ("missing_privileges", TEXTS, None),
    ("transaction_id", "Tuple(UInt64, UInt64, UUID)", None),
    (
        "query_cache_usage",
        "Enum8('Unknown' = 0, 'None' = 1, 'Write' = 2, 'Read' = 3)",
        Some(|r| Value::Int(i64::from(r.kind == Type::QueryFinish))),
    ),
    ("asynchronous_read_counters", COUNTS, None),
    ("is_internal", "UInt8", None),
];

/// The log.
pub(super) const LOG: Spec<QueryRow> = Spec {
    aliases: &[
        ("ProfileEvents.Names", "Array(LowCardinality(String))", "mapKeys(ProfileEvents)"),
        ("ProfileEvents.Values", "Array(UInt64)", "mapValues(ProfileEvents)"),
        ("Settings.Names", "Array(LowCardinality(String))", "mapKeys(Settings)"),
        ("Settings.Values", "Array(LowCardinality(String))", "mapValues(Settings)"),
    ],
    prepare: |rows, _| used::prepare(rows),
    ..Spec::new(
        "query_log",
        &[
            QueryRow::HOST,
            TYPE,
            QueryRow::TIME,
            QueryRow::MICROS,
            QueryRow::START,
            WORK,
            QueryRow::WHOSE,
            QueryRow::REQUEST,
            REST,
        ],
    )
};
