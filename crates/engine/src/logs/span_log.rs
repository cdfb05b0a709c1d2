//! `system.opentelemetry_span_log`: how a traced statement has spent its time. There is a span for
//! the statement, one for each phase and one for each thread.
//!
//! A statement is traced if its client asks for it (`traceparent`), or at random
//! (`opentelemetry_start_trace_probability`).

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use entasis_base::events::{Event, ThreadWork};
use entasis_base::sync::lock;
use entasis_types::Value;

use super::common::{Dated, TEXT, text_map, uuid};
use super::log::{Columns, Spec};
use crate::process::client::TraceContext;
use crate::process::random;

/// Names and values that describe a span.
pub(super) type Attributes = Vec<(&'static str, String)>;

/// A row of the log.
pub(super) struct SpanRow {
    trace: u128,
    span: u64,
    parent: u64,
    name: &'static str,
    /// Whether it is the span of the whole statement, which answers a client's request.
    serves: bool,
    /// Times since 1970.
    from: Duration,
    to: Duration,
    /// The error if the span has failed; `None` for phases and threads, which have no outcome of
    /// their own.
    outcome: Option<Result<(), String>>,
    attributes: Attributes,
}

impl Dated for SpanRow {
    fn at(&self) -> Duration {
        self.to
    }
}

const KINDS: &str =
    "Enum8('INTERNAL' = 0, 'SERVER' = 1, 'CLIENT' = 2, 'PRODUCER' = 3, 'CONSUMER' = 4)";

fn status(row: &SpanRow) -> i64 {
    match row.outcome {
        None => 0,
        Some(Ok(())) => 1,
        Some(Err(_)) => 2,
    }
}

fn status_text(row: &SpanRow) -> &str {
    match &row.outcome {
        Some(Err(message)) => message,
        _ => "",
    }
}

const COLUMNS: Columns<SpanRow> = &[
    ("trace_id", "UUID", Some(|r| uuid(r.trace))),
    ("span_id", "UInt64", Some(|r| Value::UInt(r.span))),
    ("parent_span_id", "UInt64", Some(|r| Value::UInt(r.parent))),
    ("operation_name", TEXT, Some(|r| Value::from(r.name))),
    ("kind", KINDS, Some(|r| Value::Int(r.serves.into()))),
    ("start_time_us", "UInt64", Some(|r| Value::UInt(r.from.as_micros() as u64))),
    ("finish_time_us", "UInt64", Some(|r| Value::UInt(r.to.as_micros() as u64))),
    ("finish_date", "Date", Some(|r| Value::UInt(r.to.as_secs() / 86_400))),
    ("status_code", "Enum8('UNSET' = 0, 'OK' = 1, 'ERROR' = 2)", Some(|r| Value::Int(status(r)))),
    ("status_message", TEXT, Some(|r| Value::from(status_text(r)))),
    (
        "attribute",
        "Map(LowCardinality(String), String)",
        Some(|r| text_map(r.attributes.iter().map(|(name, value)| (*name, value.as_str())))),
    ),
];

/// The log.
pub(super) const LOG: Spec<SpanRow> = Spec {
    day: "finish_date",
    order: "finish_date, finish_time_us",
    aliases: &[
        ("attribute.names", "Array(LowCardinality(String))", "mapKeys(attribute)"),
        ("attribute.values", "Array(String)", "mapValues(attribute)"),
    ],
    ..Spec::new("opentelemetry_span_log", &[SpanRow::HOST, COLUMNS])
};

/// The trace of one statement.
pub(super) struct Trace {
    context: TraceContext,
    /// Number of the statement's own span, which is the parent of all others.
    span: u64,
    phases: Mutex<Vec<(&'static str, Instant, Instant)>>,
}

impl Trace {
    /// A trace that continues a client's trace, or a new one.
    pub(super) fn new(context: Option<&TraceContext>) -> Self {
        let begun_here = || TraceContext {
            trace: u128::from(random()) << 64 | u128::from(random()),
            span: 0,
            sampled: true,
            state: Arc::from(""),
        };
        let context = context.cloned().unwrap_or_else(begun_here);
        Self { context, span: random(), phases: Mutex::default() }
    }

    /// Adds a phase that has ended.
    pub(super) fn phase(&self, name: &'static str, from: Instant, to: Instant) {
        lock(&self.phases).push((name, from, to));
    }

    /// All spans of a statement that has ended; `clock` converts an instant to a time since 1970.
    pub(super) fn spans(
        &self,
        (from, to): (Duration, Duration),
        clock: impl Fn(Instant) -> Duration,
        threads: &[ThreadWork],
        outcome: Result<(), String>,
        mut attributes: Attributes,
    ) -> Vec<SpanRow> {
        if !self.context.state.is_empty() {
            attributes.push(("clickhouse.tracestate", self.context.state.to_string()));
        }
        let part = |name, from, to, attributes| SpanRow {
            trace: self.context.trace,
            span: random(),
            parent: self.span,
            name,
            serves: false,
            from: clock(from),
            to: clock(to),
            outcome: None,
            attributes,
        };
        let phases = std::mem::take(&mut *lock(&self.phases));
        let mut spans = vec![SpanRow {
            trace: self.context.trace,
            span: self.span,
            parent: self.context.span,
            name: "query",
            serves: true,
            from,
            to,
            outcome: Some(outcome),
            attributes,
        }];
        spans.extend(phases.into_iter().map(|(name, from, to)| part(name, from, to, Vec::new())));
        let thread = |work: &ThreadWork| part("thread", work.began, work.left, of_thread(work));
        spans.extend(threads.iter().map(thread));
        spans
    }
}

fn of_thread(work: &ThreadWork) -> Attributes {
    let rows = work.counts.get(Event::SelectedRows);
    vec![
        ("clickhouse.thread_id", work.id.to_string()),
        ("clickhouse.thread_name", work.name.clone()),
        ("clickhouse.read_rows", rows.to_string()),
    ]
}
