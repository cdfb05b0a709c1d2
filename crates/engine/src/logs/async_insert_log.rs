//! `system.asynchronous_insert_log`: a row for each asynchronous INSERT whose rows were stored, or
//! could not be stored.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::clock::{Clock, SystemClock};
use entasis_types::Value;

use super::common::{Dated, TEXT, micros};
use super::log::{Columns, Spec};
use crate::process::async_inserts::{Batch, Entry};

/// A row of the log.
pub(crate) struct Flushed {
    /// When the data came, since 1970.
    came: Duration,
    flushed: Duration,
    query: String,
    table: (String, String),
    format: String,
    query_id: String,
    bytes: u64,
    rows: u64,
    /// The error, and whether it was found when the data was parsed.
    failure: Option<(String, bool)>,
    flush_query_id: Option<Arc<str>>,
    timeout: Duration,
}

impl Flushed {
    /// A row about data whose outcome is known now.
    pub(crate) fn new(
        batch: &Batch,
        entry: &Entry,
        rows: u64,
        failure: Option<(String, bool)>,
        flush_query_id: Option<Arc<str>>,
    ) -> Self {
        Self {
            came: entry.came,
            flushed: SystemClock.now(),
            query: batch.key.query.clone(),
            table: batch.key.table.clone(),
            format: batch.key.format.clone(),
            query_id: entry.query_id.clone(),
            bytes: entry.data.len() as u64,
            rows,
            failure,
            flush_query_id,
            timeout: batch.timeout,
        }
    }

    fn status(&self) -> Value {
        Value::Int(match &self.failure {
            None => 0,
            Some((_, true)) => 1,
            Some((_, false)) => 2,
        })
    }
}

impl Dated for Flushed {
    fn at(&self) -> Duration {
        self.came
    }
}

const COLUMNS: Columns<Flushed> = &[
    ("query", "String", Some(|r| Value::from(r.query.as_str()))),
    ("database", TEXT, Some(|r| Value::from(r.table.0.as_str()))),
    ("table", TEXT, Some(|r| Value::from(r.table.1.as_str()))),
    ("format", TEXT, Some(|r| Value::from(r.format.as_str()))),
    ("query_id", "String", Some(|r| Value::from(r.query_id.as_str()))),
    ("bytes", "UInt64", Some(|r| Value::UInt(r.bytes))),
    ("rows", "UInt64", Some(|r| Value::UInt(r.rows))),
    (
        "exception",
        "String",
        Some(|r| Value::from(r.failure.as_ref().map_or("", |(text, _)| text.as_str()))),
    ),
    ("status", "Enum8('Ok' = 0, 'ParsingError' = 1, 'FlushError' = 2)", Some(Flushed::status)),
    ("data_kind", "Enum8('Parsed' = 0, 'Preprocessed' = 1)", None),
    ("flush_time", "DateTime", Some(|r| Value::UInt(r.flushed.as_secs()))),
    ("flush_time_microseconds", "DateTime64(6)", Some(|r| micros(r.flushed))),
    ("flush_query_id", "String", Some(|r| Value::from(r.flush_query_id.as_deref().unwrap_or("")))),
    ("timeout_milliseconds", "UInt64", Some(|r| Value::UInt(r.timeout.as_millis() as u64))),
];

/// The log.
pub(super) const LOG: Spec<Flushed> =
    Spec::new("asynchronous_insert_log", &[Flushed::HOST, Flushed::TIME, Flushed::MICROS, COLUMNS]);
