//! `system.processes`: the statements that run now, one row each.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Chunk, Column, Strings};
use entasis_table::{ColumnDef, Schema, Snapshot, Table};
use entasis_tables::memory::Fixed;
use entasis_types::DataType;

use crate::processes::{Process, Processes};

/// The table over the engine's list.
pub(crate) struct ProcessesTable {
    schema: Arc<Schema>,
    processes: Arc<Processes>,
}

/// How a column is made of the list.
type Make = fn(&[Arc<Process>]) -> Column;

fn strings<'a>(list: &'a [Arc<Process>], of: impl Fn(&'a Process) -> &'a str) -> Column {
    Column::String(list.iter().map(|p| of(p).as_bytes()).collect::<Strings>())
}

fn numbers(list: &[Arc<Process>], of: impl Fn(&Process) -> u64) -> Column {
    list.iter().map(|p| of(p)).collect::<Vec<u64>>().into()
}

fn bytes(list: &[Arc<Process>], of: impl Fn(&Process) -> u64) -> Column {
    list.iter().map(|p| of(p) as i64).collect::<Vec<i64>>().into()
}

fn flags(list: &[Arc<Process>], of: impl Fn(&Process) -> bool) -> Column {
    list.iter().map(|p| u8::from(of(p))).collect::<Vec<u8>>().into()
}

/// Names and types are the reference's; what it has and this engine has not is left out.
const COLUMNS: &[(&str, DataType, Make)] = &[
    ("is_initial_query", DataType::UInt8, |list| flags(list, |_| true)),
    ("user", DataType::String, |list| strings(list, |p| &p.user)),
    ("query_id", DataType::String, |list| strings(list, |p| &p.query_id)),
    ("address", DataType::String, |list| strings(list, |p| &p.address)),
    ("elapsed", DataType::Float64, |list| {
        list.iter().map(|p| p.started.elapsed().as_secs_f64()).collect::<Vec<f64>>().into()
    }),
    ("is_cancelled", DataType::UInt8, |list| flags(list, |p| p.cancel.is_cancelled())),
    ("read_rows", DataType::UInt64, |list| numbers(list, |p| p.progress.get().0)),
    ("read_bytes", DataType::UInt64, |list| numbers(list, |p| p.progress.get().1)),
    ("total_rows_approx", DataType::UInt64, |list| numbers(list, |p| p.progress.get().2)),
    ("written_rows", DataType::UInt64, |list| numbers(list, |p| p.written.get().0)),
    ("written_bytes", DataType::UInt64, |list| numbers(list, |p| p.written.get().1)),
    ("memory_usage", DataType::Int64, |list| bytes(list, |p| p.memory().0)),
    ("peak_memory_usage", DataType::Int64, |list| bytes(list, |p| p.memory().1)),
    ("query", DataType::String, |list| strings(list, |p| &p.query)),
    ("query_kind", DataType::String, |list| strings(list, |p| p.kind)),
    ("current_database", DataType::String, |list| strings(list, |p| &p.database)),
];

impl ProcessesTable {
    /// The table.
    pub(crate) fn create(processes: &Arc<Processes>) -> Arc<dyn Table> {
        let columns = COLUMNS.iter().map(|(name, ty, _)| ColumnDef::new(*name, ty.clone()));
        let schema = Schema::new(columns.collect());
        Arc::new(Self { schema, processes: Arc::clone(processes) })
    }
}

impl Table for ProcessesTable {
    fn engine(&self) -> &'static str {
        "SystemProcesses"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let list = self.processes.list();
        let columns = COLUMNS.iter().map(|(_, _, make)| make(&list)).collect();
        let chunk = Chunk::new(columns, list.len());
        Fixed::table("SystemProcesses", Arc::clone(&self.schema), vec![chunk]).snapshot()
    }
}
