//! `system.query_metric_log`: what a statement that runs for a while has done within each period.
//!
//! A statement that has a row gets a last one when it ends; a shorter one has none.

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

/// What a statement has been told of.
#[derive(Default)]
pub(super) struct Periods(Mutex<Told>);

#[derive(Default)]
struct Told {
    /// The end of the period at hand; none before it was looked at first.
    due: Option<Instant>,
    /// What had been counted at its beginning, if there was a row.
    last: Option<Counts>,
    /// It has had its last row; who looks at it by the clock may not know yet.
    ended: bool,
}

impl Periods {
    /// Adds a row if a period is over. Answers when the next one is.
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
        // What was missed is one period.
        let next = (due + every).max(now);
        told.due = Some(next);
        let counts = process.counts();
        logs.push(row(process, &counts, told.last.as_ref(), at));
        told.last = Some(counts);
        next
    }

    /// Adds a last row, if there was one.
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
