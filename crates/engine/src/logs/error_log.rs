//! `system.error_log`: how often each error occurred within a period, according to `system.errors`.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use entasis_base::sync::lock;
use entasis_types::Value;

use super::Logs;
use super::common::{Dated, TEXT};
use super::log::{Columns, Spec};
use crate::process::errors::{Errors, Seen};

/// A row of the log.
pub(super) struct ErrorRow {
    at: Duration,
    count: u64,
    seen: Seen,
}

impl Dated for ErrorRow {
    fn at(&self) -> Duration {
        self.at
    }
}

const COLUMNS: Columns<ErrorRow> = &[
    ("code", "Int32", Some(|r| Value::Int(r.seen.code.into()))),
    ("error", TEXT, Some(|r| Value::from(r.seen.name))),
    ("value", "UInt64", Some(|r| Value::UInt(r.count))),
    ("remote", "UInt8", None),
    ("last_error_time", "DateTime", Some(|r| Value::UInt(r.seen.last.as_secs()))),
    ("last_error_message", "String", Some(|r| Value::from(r.seen.message.as_str()))),
    ("last_error_query_id", "String", Some(|r| Value::from(r.seen.query_id.as_str()))),
    ("last_error_trace", "Array(UInt64)", None),
];

/// The log.
pub(super) const LOG: Spec<ErrorRow> =
    Spec { by_clock: true, ..Spec::new("error_log", &[ErrorRow::HOST, ErrorRow::TIME, COLUMNS]) };

/// The count of each error, by code, when rows were last added to the log.
#[derive(Default)]
pub(super) struct Told(Mutex<HashMap<u16, u64>>);

impl Told {
    /// Adds a row for each error that has occurred since the last call.
    pub(super) fn tell(&self, logs: &Logs, errors: &Errors, at: Duration) {
        if !logs.keeps::<ErrorRow>() {
            return;
        }
        let mut told = lock(&self.0);
        for seen in errors.list() {
            let before = told.insert(seen.code, seen.count).unwrap_or(0);
            if seen.count > before {
                logs.push(ErrorRow { at, count: seen.count - before, seen });
            }
        }
    }
}
