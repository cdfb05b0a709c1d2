//! `system.query_views_log`: a row for each materialised view that an INSERT has filled, unless the
//! setting `log_query_views` is 0.

use std::sync::Arc;
use std::time::Duration;

use entasis_types::Value;

use super::common::{COUNTS, Dated};
use super::log::{Columns, Spec};
use super::log_entry::QueryLogEntry;

/// What a view did for one INSERT.
#[derive(Clone, Debug, Default)]
pub(crate) struct ViewWork {
    /// Database and name of the view.
    pub view: String,
    /// Its query.
    pub query: String,
    /// Database and name of the table that it fills.
    pub target: String,
    /// How long its query and the writing of its rows took.
    pub took: Duration,
    /// Rows and bytes that were pushed into it.
    pub read: (u64, u64),
    /// Rows and bytes that it has written.
    pub written: (u64, u64),
    /// Code and text of its error, if it has failed.
    pub failure: Option<(u16, String)>,
}

/// A row of the log.
pub(super) struct ViewRow {
    pub at: Duration,
    pub log_entry: Arc<QueryLogEntry>,
    pub work: ViewWork,
}

impl Dated for ViewRow {
    fn at(&self) -> Duration {
        self.at
    }
}

const KINDS: &str = "Enum8('Default' = 1, 'Materialized' = 2, 'Live' = 3, 'Window' = 4)";
const STATUS: &str = "Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, \
                      'ExceptionWhileProcessing' = 4)";

const WORK: Columns<ViewRow> = &[
    ("view_duration_ms", "UInt64", Some(|r| Value::UInt(r.work.took.as_millis() as u64))),
    ("initial_query_id", "String", Some(|r| Value::from(r.log_entry.query_id.as_str()))),
    ("view_name", "String", Some(|r| Value::from(r.work.view.as_str()))),
    ("view_uuid", "UUID", None),
    ("view_type", KINDS, Some(|_| Value::Int(2))),
    ("view_query", "String", Some(|r| Value::from(r.work.query.as_str()))),
    ("view_target", "String", Some(|r| Value::from(r.work.target.as_str()))),
    ("read_rows", "UInt64", Some(|r| Value::UInt(r.work.read.0))),
    ("read_bytes", "UInt64", Some(|r| Value::UInt(r.work.read.1))),
    ("written_rows", "UInt64", Some(|r| Value::UInt(r.work.written.0))),
    ("written_bytes", "UInt64", Some(|r| Value::UInt(r.work.written.1))),
    ("peak_memory_usage", "Int64", None),
    ("ProfileEvents", COUNTS, None),
    ("status", STATUS, Some(|r| Value::Int(if r.work.failure.is_some() { 4 } else { 2 }))),
    ("exception_code", "Int32", Some(|r| Value::Int(failure(r).0.into()))),
    ("exception", "String", Some(|r| Value::from(failure(r).1))),
    ("stack_trace", "String", None),
];

/// Code and text of the error; 0 and nothing if there is none.
fn failure(row: &ViewRow) -> (u16, &str) {
    row.work.failure.as_ref().map_or((0, ""), |(code, text)| (*code, text.as_str()))
}

/// The log.
pub(super) const LOG: Spec<ViewRow> =
    Spec::new("query_views_log", &[ViewRow::HOST, ViewRow::TIME, ViewRow::MICROS, WORK]);
