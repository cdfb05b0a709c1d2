//! `system.processes`: the running statements, one row each.
//!
//! Columns about features that this engine does not have have the defaults of their types.

use std::sync::Arc;

use entasis_table_api::Table;
use entasis_types::Value;

use super::layout::laid_out;
use super::system_table::ColumnOf;
use super::{events, signed};
use crate::process::async_inserts::WaitingRow;
use crate::process::{Process, Processes};

const COLUMNS: &[ColumnOf<Arc<Process>>] = &[
    ("is_initial_query", "UInt8", Some(|_| Value::UInt(1))),
    ("user", "String", Some(|p| p.user.as_str().into())),
    ("query_id", "String", Some(|p| p.query_id.as_str().into())),
    ("address", "String", Some(|p| p.address.as_str().into())),
    ("initial_user", "String", Some(|p| p.user.as_str().into())),
    ("initial_query_id", "String", Some(|p| p.query_id.as_str().into())),
    ("initial_address", "String", Some(|p| p.address.as_str().into())),
    ("elapsed", "Float64", Some(|p| Value::Float(p.started.elapsed().as_secs_f64()))),
    ("is_cancelled", "UInt8", Some(|p| Value::UInt(u64::from(p.cancel.is_cancelled())))),
    ("read_rows", "UInt64", Some(|p| Value::UInt(p.progress.get().0))),
    ("read_bytes", "UInt64", Some(|p| Value::UInt(p.progress.get().1))),
    ("total_rows_approx", "UInt64", Some(|p| Value::UInt(p.progress.get().2))),
    ("written_rows", "UInt64", Some(|p| Value::UInt(p.written.get().0))),
    ("written_bytes", "UInt64", Some(|p| Value::UInt(p.written.get().1))),
    ("memory_usage", "Int64", Some(|p| signed(p.memory().0))),
    ("peak_memory_usage", "Int64", Some(|p| signed(p.memory().1))),
    ("query", "String", Some(|p| p.query.as_str().into())),
    ("query_kind", "String", Some(|p| p.kind.name().into())),
    ("ProfileEvents", "Map(LowCardinality(String), UInt64)", Some(|p| events::map(&p.counts()))),
    (
        "ProfileEvents.Names",
        "Array(String)",
        Some(|p| Value::Array(p.counts().nonzero().map(|(name, _)| name.into()).collect())),
    ),
    (
        "ProfileEvents.Values",
        "Array(UInt64)",
        Some(|p| Value::Array(p.counts().nonzero().map(|(_, n)| Value::UInt(n)).collect())),
    ),
    ("current_database", "String", Some(|p| p.database.as_str().into())),
];

/// The table `system.processes`.
pub(crate) fn table(processes: &Arc<Processes>) -> Arc<dyn Table> {
    let processes = Arc::clone(processes);
    laid_out("processes", COLUMNS, move || Ok(processes.list()))
}

const OF_ASYNC_INSERTS: &[ColumnOf<WaitingRow>] = &[
    ("query", "String", Some(|r| r.key.query.as_str().into())),
    ("database", "String", Some(|r| r.key.table.0.as_str().into())),
    ("table", "String", Some(|r| r.key.table.1.as_str().into())),
    ("format", "String", Some(|r| r.key.format.as_str().into())),
    ("first_update", "DateTime64(6)", Some(|r| Value::Int(r.first.as_micros() as i64))),
    ("total_bytes", "UInt64", Some(|r| Value::UInt(r.bytes as u64))),
    (
        "entries.query_id",
        "Array(String)",
        Some(|r| Value::Array(r.entries.iter().map(|(id, _)| id.as_str().into()).collect())),
    ),
    (
        "entries.bytes",
        "Array(UInt64)",
        Some(|r| Value::Array(r.entries.iter().map(|(_, n)| Value::UInt(*n as u64)).collect())),
    ),
];

/// The table `system.asynchronous_inserts`: the INSERTs that are being collected.
pub(crate) fn async_inserts(processes: &Arc<Processes>) -> Arc<dyn Table> {
    let processes = Arc::clone(processes);
    laid_out("asynchronous_inserts", OF_ASYNC_INSERTS, move || Ok(processes.async_inserts.rows()))
}
