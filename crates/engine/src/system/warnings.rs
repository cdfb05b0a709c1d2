//! `system.warnings`: what somebody should know about how this server runs.

use std::sync::Arc;

use entasis_base::Result;
use entasis_profile::counting;
use entasis_table::Table;
use entasis_types::Value;

use super::listed::{ColumnOf, Listed};

/// One warning.
struct Warning {
    message: String,
    /// The message without what differs from server to server.
    format: &'static str,
}

const COLUMNS: &[ColumnOf<Warning>] = &[
    ("message", "String", Some(|w| Value::from(&*w.message))),
    ("message_format_string", "LowCardinality(String)", Some(|w| Value::from(w.format))),
];

/// The table.
pub(super) fn table() -> Result<Arc<dyn Table>> {
    Listed::create("SystemWarnings", COLUMNS, || Ok(counters().into_iter().collect()))
}

/// Counters of the processor that a statement asked for and that this machine does not give.
fn counters() -> Option<Warning> {
    let format = "metrics_perf_events_enabled: some counters are not available, and stay 0: {}";
    counting::warning().map(|message| Warning { message, format })
}
