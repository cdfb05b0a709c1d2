//! `system.part_log`: parts of MergeTree tables that appear and disappear.
//!
//! What the store commits together is one thing that has happened: a part without others is an
//! insert, one in place of others a merge.

use std::time::Duration;

use entasis_base::clock::{Clock, SystemClock};
use entasis_mergetree::{Op, PartSummary, TableId};
use entasis_types::Value;

use super::log::Log;
use super::{Logs, host_name};
use crate::catalog::EngineCatalog;
use crate::system::ColumnOf;

/// What has happened; the numbers are those of the column `event_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    NewPart = 1,
    MergeParts = 2,
    RemovePart = 4,
}

/// A row of the log.
pub(crate) struct PartRow {
    kind: Type,
    /// Since 1970.
    at: Duration,
    id: TableId,
    /// Database and name of the table, once they were looked up; empty if it is gone by then.
    table: (String, String),
    part: Option<PartSummary>,
    /// The file of a part that is removed.
    file: String,
    /// How many parts it replaces.
    merged: usize,
}

impl Logs {
    /// The store has committed a record.
    pub(super) fn parts(&self, ops: &[Op]) {
        let is_part = |op: &Op| matches!(op, Op::AddPart { .. } | Op::RemovePart { .. });
        if !ops.iter().any(is_part) {
            return;
        }
        let removed = |id: TableId| {
            let of_table = |op: &&Op| matches!(op, Op::RemovePart { table, .. } if *table == id);
            ops.iter().filter(of_table).count()
        };
        let added = |id: TableId| {
            ops.iter().any(|op| matches!(op, Op::AddPart { table, .. } if *table == id))
        };
        let at = SystemClock.now();
        let row = |kind, id, part, file: &str, merged| PartRow {
            kind,
            at,
            id,
            table: Default::default(),
            part,
            file: file.to_string(),
            merged,
        };
        for op in ops {
            match op {
                Op::AddPart { table, part } => {
                    let merged = removed(*table);
                    let kind = if merged > 0 { Type::MergeParts } else { Type::NewPart };
                    self.part(row(kind, *table, Some(part.clone()), &part.file, merged));
                }
                // What a merge replaces is told of by the merge.
                Op::RemovePart { table, file } if !added(*table) => {
                    self.part(row(Type::RemovePart, *table, None, file, 0));
                }
                _ => {}
            }
        }
    }
}

/// Looks the tables' names up; rows of the log's own table are left out, else it would never rest.
fn prepare(rows: &mut Vec<PartRow>, catalog: &EngineCatalog) {
    let names: std::collections::HashMap<TableId, (String, String)> = catalog
        .store()
        .tables()
        .into_iter()
        .map(|record| (record.id, (record.database, record.name)))
        .collect();
    for row in rows.iter_mut() {
        row.table = names.get(&row.id).cloned().unwrap_or_default();
    }
    rows.retain(|row| row.table.0 != crate::catalog::SYSTEM || row.table.1 != NAME);
}

fn of_part(row: &PartRow, of: impl FnOnce(&PartSummary) -> Value, other: Value) -> Value {
    row.part.as_ref().map_or(other, of)
}

const NAME: &str = "part_log";
const TEXT: &str = "LowCardinality(String)";
const TYPES: &str = "Enum8('NewPart' = 1, 'MergeParts' = 2, 'DownloadPart' = 3, \
                     'RemovePart' = 4, 'MutatePart' = 5, 'MovePart' = 6, \
                     'MergePartsStart' = 7, 'MutatePartStart' = 8)";
const REASONS: &str = "Enum8('NotAMerge' = 1, 'RegularMerge' = 2, 'TTLDeleteMerge' = 3, \
                       'TTLRecompressMerge' = 4, 'TTLDropMerge' = 5)";

const COLUMNS: &[ColumnOf<PartRow>] = &[
    ("hostname", TEXT, Some(|_| Value::from(host_name()))),
    ("query_id", "String", None),
    ("event_type", TYPES, Some(|r| Value::Int(r.kind as i64))),
    ("merge_reason", REASONS, Some(|r| Value::Int(if r.kind == Type::MergeParts { 2 } else { 1 }))),
    ("event_date", "Date", Some(|r| Value::UInt(r.at.as_secs() / 86_400))),
    ("event_time", "DateTime", Some(|r| Value::UInt(r.at.as_secs()))),
    ("event_time_microseconds", "DateTime64(6)", Some(|r| Value::Int(r.at.as_micros() as i64))),
    ("duration_ms", "UInt64", None),
    ("database", "String", Some(|r| Value::from(&*r.table.0))),
    ("table", "String", Some(|r| Value::from(&*r.table.1))),
    ("part_name", "String", Some(|r| of_part(r, |p| Value::from(&*p.name()), Value::from("")))),
    ("partition_id", "String", Some(|r| of_part(r, |p| Value::from(&*p.partition), "".into()))),
    ("partition", "String", Some(|r| of_part(r, |p| Value::from(&*p.partition_value), "".into()))),
    ("path_on_disk", "String", Some(|r| Value::from(&*r.file))),
    ("rows", "UInt64", Some(|r| of_part(r, |p| Value::UInt(p.rows), Value::UInt(0)))),
    ("size_in_bytes", "UInt64", Some(|r| of_part(r, |p| Value::UInt(p.bytes), Value::UInt(0)))),
    ("merged_parts", "UInt64", Some(|r| Value::UInt(r.merged as u64))),
    ("error", "UInt16", None),
    ("exception", "String", None),
];

/// The log.
pub(super) fn log(capacity: usize) -> Log<PartRow> {
    Log::new(NAME, COLUMNS, "event_date, event_time", capacity, prepare)
}
