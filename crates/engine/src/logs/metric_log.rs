//! `system.metric_log`: counts of the process within a period, and its current metrics. There is a
//! column for each profile event and each metric.

use std::time::Duration;

use entasis_base::events::{Counts, EVENTS};
use entasis_types::Value;

use super::common::Dated;
use super::log::{Numbered, Spec};
use crate::system::metrics::CURRENT;

/// A row of the log.
pub(super) struct MetricRow {
    pub at: Duration,
    /// What was counted since the previous row.
    pub events: Counts,
    /// Values of the metrics, in the order of `CURRENT`.
    pub metrics: Vec<i64>,
}

impl Dated for MetricRow {
    fn at(&self) -> Duration {
        self.at
    }
}

/// Names and types of the columns of all profile events.
pub(super) fn event_names() -> Vec<(String, &'static str)> {
    EVENTS.iter().map(|event| (format!("ProfileEvent_{}", event.name), "UInt64")).collect()
}

fn names() -> Vec<(String, &'static str)> {
    let metric = |name: &str| (format!("CurrentMetric_{name}"), "Int64");
    let mut names = event_names();
    names.extend(CURRENT.iter().map(|current| metric(current.name)));
    names
}

fn value(row: &MetricRow, at: usize) -> Value {
    let events = row.events.all();
    match events.get(at) {
        Some(count) => Value::UInt(*count),
        None => Value::Int(row.metrics.get(at - events.len()).copied().unwrap_or(0)),
    }
}

/// The log.
pub(super) const LOG: Spec<MetricRow> = Spec {
    numbered: Some(Numbered { names, value }),
    by_clock: true,
    weight: 64,
    ..Spec::new("metric_log", &[MetricRow::HOST, MetricRow::TIME, MetricRow::MICROS])
};
