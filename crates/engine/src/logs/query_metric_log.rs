//! `system.query_metric_log`: what a statement has done within each period while it runs.
//!
//! A statement gets its first row after one period, and a last one when it ends. A statement that
//! is shorter than a period gets none.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use entasis_base::events::Counts;
use entasis_base::sync::lock;
use entasis_types::Value;

use super::Logs;
use super::common::Dated;
use super::log::{Columns, Numbered, Spec};
use super::metric_log::event_names;
use crate::process::Process;

/// A row of the log.
pub(super) struct QueryMetricRow {
    at: Duration,
    query_id: Arc<str>,
    memory: (u64, u64),
    events: Counts,
}

impl Dated for QueryMetricRow {
    fn at(&self) -> Duration {
        self.at
    }
}

const COLUMNS: Columns<QueryMetricRow> = &[
    ("memory_usage", "UInt64", Some(|r| Value::UInt(r.memory.0))),
    ("peak_memory_usage", "UInt64", Some(|r| Value::UInt(r.memory.1))),
];

const ID: Columns<QueryMetricRow> = &[("query_id", "String", Some(|r| Value::from(&*r.query_id)))];

fn value(row: &QueryMetricRow, at: usize) -> Value {
    Value::UInt(row.events.all().get(at).copied().unwrap_or(0))
}

/// The log.
pub(super) const LOG: Spec<QueryMetricRow> = Spec {
    numbered: Some(Numbered { names: event_names, value }),
    by_clock: true,
    weight: 64,
    ..Spec::new(
        "query_metric_log",
        &[ID, QueryMetricRow::HOST, QueryMetricRow::TIME, QueryMetricRow::MICROS, COLUMNS],
    )
};

/// When a statement gets its next row, and what its rows have reported so far.
#[derive(Default)]
pub(super) struct Periods(Mutex<Told>);

#[derive(Default)]
struct Told {
    /// End of the current period; `None` before the first look at the statement.
    due: Option<Instant>,
    /// The counts in the previous row; `None` if there was no row.
    last: Option<Counts>,
    /// Set with the last row, as the periodic thread may still have the statement in its list.
    ended: bool,
}

impl Periods {
    /// Adds a row if the period has ended. Answers when the next one ends.
    pub(super) fn tell(
        &self,
        logs: &Logs,
        process: &Process,
        every: Duration,
        (now, at): (Instant, Duration),
    ) -> Instant {
        let mut told = lock(&self.0);
        let due = told.due.unwrap_or(process.started + every);
        if told.ended {
            return now + every;
        }
        if now < due {
            told.due = Some(due);
            return due;
        }
        // Periods that were missed are reported as one.
        let next = (due + every).max(now);
        told.due = Some(next);
        let counts = process.counts();
        logs.push(row(process, &counts, told.last.as_ref(), at));
        told.last = Some(counts);
        next
    }

    /// Adds the last row, if there was one before.
    pub(super) fn end(&self, logs: &Logs, process: &Process, counts: &Counts, at: Duration) {
        let mut told = lock(&self.0);
        told.ended = true;
        if let Some(last) = told.last.take() {
            logs.push(row(process, counts, Some(&last), at));
        }
    }
}

fn row(process: &Process, counts: &Counts, last: Option<&Counts>, at: Duration) -> QueryMetricRow {
    QueryMetricRow {
        at,
        query_id: Arc::clone(process.events().query_id()),
        memory: process.memory(),
        events: last.map_or_else(|| counts.clone(), |last| counts.since(last)),
    }
}
