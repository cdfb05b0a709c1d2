//! `system.query_thread_log`: a row for each thread that has worked for a statement, if the setting
//! `log_query_threads` asks for it.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::events::{Event, ThreadWork};
use entasis_types::Value;

use super::common::{COUNTS, Dated, OfStatement, TEXT, count_map};
use super::log::{Columns, Spec};
use super::log_entry::QueryLogEntry;
use super::query_log::text_of;
use super::used;

/// A row of the log.
pub(super) struct ThreadRow {
    pub at: Duration,
    pub log_entry: Arc<QueryLogEntry>,
    pub work: ThreadWork,
    /// Id of the first thread that worked for the statement.
    pub master: u32,
}

impl Dated for ThreadRow {
    fn at(&self) -> Duration {
        self.at
    }
}

impl OfStatement for ThreadRow {
    fn log_entry(&self) -> &QueryLogEntry {
        &self.log_entry
    }
}

fn count(row: &ThreadRow, event: Event) -> Value {
    Value::UInt(row.work.counts.get(event))
}

/// Bytes that the thread has allocated and not freed. They may be negative, as a thread may free
/// what another one has allocated.
fn memory(row: &ThreadRow) -> i64 {
    let of = |event| row.work.counts.get(event);
    of(Event::MemoryAllocatedBytes).wrapping_sub(of(Event::MemoryFreedBytes)) as i64
}

const WORK: Columns<ThreadRow> = &[
    (
        "query_duration_ms",
        "UInt64",
        Some(|r| Value::UInt((r.work.left - r.work.began).as_millis() as u64)),
    ),
    ("read_rows", "UInt64", Some(|r| count(r, Event::SelectedRows))),
    ("read_bytes", "UInt64", Some(|r| count(r, Event::SelectedBytes))),
    ("written_rows", "UInt64", Some(|r| count(r, Event::InsertedRows))),
    ("written_bytes", "UInt64", Some(|r| count(r, Event::InsertedBytes))),
    ("memory_usage", "Int64", Some(|r| Value::Int(memory(r)))),
    ("peak_memory_usage", "Int64", Some(|r| Value::Int(memory(r).max(0)))),
    ("thread_name", TEXT, Some(|r| Value::from(r.work.name.as_str()))),
    ("thread_id", "UInt64", Some(|r| Value::UInt(r.work.id.into()))),
    ("master_thread_id", "UInt64", Some(|r| Value::UInt(r.master.into()))),
    ("current_database", TEXT, Some(|r| Value::from(&*r.log_entry.database))),
    ("query", "String", Some(|r| text_of(&r.log_entry))),
    ("normalized_query_hash", "UInt64", Some(|r| Value::UInt(r.log_entry.used().hash))),
];

const EVENTS: Columns<ThreadRow> =
    &[("ProfileEvents", COUNTS, Some(|r| count_map(&r.work.counts.nonzero().collect::<Vec<_>>())))];

/// The log.
pub(super) const LOG: Spec<ThreadRow> = Spec {
    aliases: &[
        ("ProfileEvents.Names", "Array(LowCardinality(String))", "mapKeys(ProfileEvents)"),
        ("ProfileEvents.Values", "Array(UInt64)", "mapValues(ProfileEvents)"),
    ],
    prepare: |rows, _| used::prepare(rows),
    ..Spec::new(
        "query_thread_log",
        &[
            ThreadRow::HOST,
            ThreadRow::TIME,
            ThreadRow::MICROS,
            ThreadRow::START,
            WORK,
            ThreadRow::WHOSE,
            EVENTS,
        ],
    )
};
