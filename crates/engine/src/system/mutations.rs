//! `system.mutations`: running mutations, and the latest finished ones of each table. A statement
//! with several commands is one mutation and has a row for each command.

use std::sync::{Arc, Weak};

use entasis_base::Result;
use entasis_table_api::Table;
use entasis_types::Value;

use super::catalog::{over, tables_of};
use super::system_table::{ColumnOf, SystemTable};
use crate::catalog::EngineCatalog;

/// A command of a mutation.
struct Row {
    database: String,
    table: String,
    number: u64,
    command: String,
    created: u64,
    /// `None` while it is running.
    finished: Option<u64>,
    /// The parts that a running mutation may change.
    parts: Vec<String>,
}

impl Row {
    fn parts(&self) -> Value {
        Value::Array(self.parts.iter().map(|part| Value::from(&**part)).collect())
    }
}

const COLUMNS: &[ColumnOf<Row>] = &[
    ("database", "String", Some(|r| Value::from(&*r.database))),
    ("table", "String", Some(|r| Value::from(&*r.table))),
    ("mutation_id", "String", Some(|r| Value::from(&*id_of(r.number)))),
    ("command", "String", Some(|r| Value::from(&*r.command))),
    ("create_time", "DateTime", Some(|r| Value::UInt(r.created))),
    ("finish_time", "DateTime", Some(|r| Value::UInt(r.finished.unwrap_or(0)))),
    // The numbers of blocks are one sequence for all partitions.
    (
        "block_numbers.partition_id",
        "Array(String)",
        Some(|_| Value::Array([Value::from("")].into())),
    ),
    (
        "block_numbers.number",
        "Array(Int64)",
        Some(|r| Value::Array([Value::Int(r.number as i64)].into())),
    ),
    ("parts_in_progress_names", "Array(String)", Some(Row::parts)),
    ("parts_to_do_names", "Array(String)", Some(Row::parts)),
    ("parts_to_do", "Int64", Some(|r| Value::Int(r.parts.len() as i64))),
    ("parts_postpone_reasons", "Map(String, String)", None),
    ("is_done", "UInt8", Some(|r| Value::UInt(r.finished.is_some().into()))),
    ("is_killed", "UInt8", None),
    ("latest_failed_part", "String", None),
    ("latest_fail_time", "DateTime", None),
    ("latest_fail_reason", "String", None),
    ("latest_fail_error_code_name", "String", None),
];

/// The name of a mutation.
fn id_of(number: u64) -> String {
    format!("mutation_{number}.txt")
}

/// The number of the mutation with this name.
pub(crate) fn number_of(id: &str) -> Option<u64> {
    id.strip_prefix("mutation_")?.strip_suffix(".txt")?.parse().ok()
}

fn rows(catalog: &EngineCatalog) -> Result<Vec<Row>> {
    let mut out = Vec::new();
    let running = catalog.store().running_mutations();
    for table in tables_of(catalog)? {
        let Some(id) = table.entry.id.filter(|_| table.entry.features().parts) else { continue };
        let row = |number, command: &String, created, finished, parts: &[String]| Row {
            database: table.database.to_string(),
            table: table.name.to_string(),
            number,
            command: command.clone(),
            created,
            finished,
            parts: parts.to_vec(),
        };
        for done in catalog.store().finished_mutations(id) {
            let commands = done.commands.iter();
            out.extend(
                commands.map(|c| row(done.number, c, done.created, Some(done.finished), &[])),
            );
        }
        for at_work in running.iter().filter(|mutation| mutation.table == id) {
            let commands = at_work.commands.iter();
            out.extend(
                commands.map(|c| row(at_work.number, c, at_work.created, None, &at_work.parts)),
            );
        }
    }
    Ok(out)
}

/// The table `system.mutations`.
pub(super) fn mutations(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    SystemTable::create("SystemMutations", COLUMNS, over(catalog, rows))
}
