//! `system.processes`: the running statements, one row each.
//!
//! Names and types are those of the reference. Columns about features that this engine does not
//! have are left out.

use std::sync::Arc;

use entasis_table_api::Table;
use entasis_types::Value;

use super::system_table::{ColumnOf, SystemTable};
use super::{events, signed};
use crate::process::{Process, Processes};

const COLUMNS: &[ColumnOf<Arc<Process>>] = &[
    ("is_initial_query", "UInt8", Some(|_| Value::UInt(1))),
    ("user", "String", Some(|p| p.user.as_str().into())),
    ("query_id", "String", Some(|p| p.query_id.as_str().into())),
    ("address", "String", Some(|p| p.address.as_str().into())),
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
    ("current_database", "String", Some(|p| p.database.as_str().into())),
];

/// The table `system.processes`.
pub(crate) fn table(processes: &Arc<Processes>) -> Arc<dyn Table> {
    let processes = Arc::clone(processes);
    SystemTable::create("SystemProcesses", COLUMNS, move || Ok(processes.list()))
}
