//! `system.asynchronous_metric_log`: the rows of `system.asynchronous_metrics` at regular
//! intervals.

use std::time::Duration;

use entasis_types::Value;

use super::common::{Dated, TEXT};
use super::log::{Columns, Spec};
use crate::Metric;

/// A row of the log.
pub(super) struct FigureRow {
    pub at: Duration,
    pub metric: Metric,
}

impl Dated for FigureRow {
    fn at(&self) -> Duration {
        self.at
    }
}

const COLUMNS: Columns<FigureRow> = &[
    ("metric", TEXT, Some(|r| Value::from(r.metric.name.as_str()))),
    ("key", TEXT, None),
    // Rounded to three decimals, so that the values compress better.
    ("value", "Float64", Some(|r| Value::Float((r.metric.value * 1000.0).round() / 1000.0))),
];

/// The log.
pub(super) const LOG: Spec<FigureRow> = Spec {
    order: "event_date, event_time, metric",
    by_clock: true,
    ..Spec::new("asynchronous_metric_log", &[FigureRow::HOST, FigureRow::TIME, COLUMNS])
};
