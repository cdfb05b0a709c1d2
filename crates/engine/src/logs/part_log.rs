//! `system.part_log`: parts of MergeTree tables that are added and removed.
//!
//! The records that the store commits together are one event: an added part is an insert if no
//! parts are removed with it, and a merge if it replaces others. A changed part is mutated.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::clock::{Clock, SystemClock};
use entasis_mergetree::{Committed, MergeReason, Op, PartSummary, TableId};
use entasis_types::Value;

use super::Logs;
use super::common::{COUNTS, Dated};
use super::log::{Columns, Spec};
use crate::catalog::EngineCatalog;

/// The kind of event; the numbers are those of the column `event_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    NewPart = 1,
    MergeParts = 2,
    RemovePart = 4,
    MutatePart = 5,
}

/// A row of the log.
pub(super) struct PartRow {
    kind: Type,
    /// Time since 1970.
    at: Duration,
    took: Duration,
    /// Why parts were merged, if they were.
    reason: MergeReason,
    query_id: Option<Arc<str>>,
    id: TableId,
    /// Database and name of the table. [`prepare`] fills them in; they are empty if the table is
    /// dropped by then.
    table: (String, String),
    part: Arc<PartSummary>,
    /// The parts that the new part replaces.
    sources: Vec<Arc<PartSummary>>,
}

impl Dated for PartRow {
    fn at(&self) -> Duration {
        self.at
    }
}

impl Logs {
    /// Adds rows for the parts of a commit of the store.
    pub(super) fn parts(&self, commit: &Committed<'_>) {
        let is_new = |op: &Op| matches!(op, Op::AddPart { .. } | Op::ChangePart { .. });
        if !self.keeps::<PartRow>() || commit.removed.is_empty() && !commit.ops.iter().any(is_new) {
            return;
        }
        let at = SystemClock.now();
        let row = |kind, id, part, sources| PartRow {
            kind,
            at,
            took: commit.took,
            reason: commit.reason,
            query_id: commit.query_id.cloned(),
            id,
            table: Default::default(),
            part,
            sources,
        };
        let added = |id: TableId| {
            commit.ops.iter().any(|op| matches!(op, Op::AddPart { table, .. } if *table == id))
        };
        for op in commit.ops {
            if let Op::ChangePart { table, part } = op {
                self.push(row(Type::MutatePart, *table, Arc::new(part.clone()), Vec::new()));
            }
            let Op::AddPart { table, part } = op else { continue };
            let of_table = commit.removed.iter().filter(|(id, _)| id == table);
            let sources: Vec<_> = of_table.map(|(_, part)| Arc::clone(part)).collect();
            let kind = if sources.is_empty() { Type::NewPart } else { Type::MergeParts };
            self.push(row(kind, *table, Arc::new(part.clone()), sources));
        }
        // Parts that a merge replaces are in the row of the merge.
        for (id, part) in commit.removed.iter().filter(|(id, _)| !added(*id)) {
            self.push(row(Type::RemovePart, *id, Arc::clone(part), Vec::new()));
        }
    }
}

/// Fills in the names of the tables. Rows about the log's own table are removed, as writing them
/// would cause new rows for ever.
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
    rows.retain(|row| row.table.0 != crate::catalog::SYSTEM || row.table.1 != LOG.name);
}

fn merged_from(row: &PartRow) -> Value {
    Value::Array(row.sources.iter().map(|part| Value::from(&*part.name())).collect())
}

fn of_sources(row: &PartRow, of: fn(&PartSummary) -> u64) -> Value {
    Value::UInt(row.sources.iter().map(|part| of(part)).sum())
}

const TYPES: &str = "Enum8('NewPart' = 1, 'MergeParts' = 2, 'DownloadPart' = 3, \
                     'RemovePart' = 4, 'MutatePart' = 5, 'MovePart' = 6, \
                     'MergePartsStart' = 7, 'MutatePartStart' = 8)";
const REASONS: &str = "Enum8('NotAMerge' = 1, 'RegularMerge' = 2, 'TTLDeleteMerge' = 3, \
                       'TTLRecompressMerge' = 4, 'TTLDropMerge' = 5)";
const ALGORITHMS: &str = "Enum8('Undecided' = 0, 'Vertical' = 1, 'Horizontal' = 2)";

fn is_merge(row: &PartRow) -> i64 {
    i64::from(row.kind == Type::MergeParts)
}

/// The number in the column `merge_reason`.
fn reason(row: &PartRow) -> i64 {
    match (row.kind, row.reason) {
        (Type::MergeParts, MergeReason::Regular) => 2,
        (Type::MergeParts, MergeReason::Expired) => 3,
        _ => 1,
    }
}

const WHAT: Columns<PartRow> = &[
    ("query_id", "String", Some(|r| Value::from(r.query_id.as_deref().unwrap_or("")))),
    ("event_type", TYPES, Some(|r| Value::Int(r.kind as i64))),
    ("merge_reason", REASONS, Some(|r| Value::Int(reason(r)))),
    // A merge is always vertical, that is, column by column.
    ("merge_algorithm", ALGORITHMS, Some(|r| Value::Int(is_merge(r)))),
];

const REST: Columns<PartRow> = &[
    ("duration_ms", "UInt64", Some(|r| Value::UInt(r.took.as_millis() as u64))),
    ("database", "String", Some(|r| Value::from(&*r.table.0))),
    ("table", "String", Some(|r| Value::from(&*r.table.1))),
    ("table_uuid", "UUID", None),
    ("part_name", "String", Some(|r| Value::from(&*r.part.name()))),
    ("partition_id", "String", Some(|r| Value::from(&*r.part.partition))),
    ("partition", "String", Some(|r| Value::from(&*r.part.partition_value))),
    ("part_type", "String", Some(|_| Value::from("Wide"))),
    ("part_storage_type", "String", Some(|_| Value::from("Packed"))),
    ("disk_name", "String", Some(|_| Value::from("default"))),
    ("path_on_disk", "String", Some(|r| Value::from(&*r.part.file))),
    ("rows", "UInt64", Some(|r| Value::UInt(r.part.shown_rows()))),
    ("size_in_bytes", "UInt64", Some(|r| Value::UInt(r.part.total_bytes()))),
    ("merged_from", "Array(String)", Some(merged_from)),
    ("bytes_uncompressed", "UInt64", None),
    ("read_rows", "UInt64", Some(|r| of_sources(r, |part| part.rows))),
    ("read_bytes", "UInt64", Some(|r| of_sources(r, |part| part.bytes))),
    ("peak_memory_usage", "UInt64", None),
    ("deduplication_block_ids", "Array(String)", None),
    ("error", "UInt16", None),
    ("exception", "String", None),
    ("mutation_ids", "Array(String)", None),
    ("ProfileEvents", COUNTS, None),
    ("projections_duration_ms", COUNTS, None),
];

/// The log.
pub(super) const LOG: Spec<PartRow> = Spec {
    aliases: &[
        ("ProfileEvents.Names", "Array(String)", "mapKeys(ProfileEvents)"),
        ("ProfileEvents.Values", "Array(UInt64)", "mapValues(ProfileEvents)"),
        ("name", "String", "part_name"),
    ],
    prepare,
    ..Spec::new("part_log", &[PartRow::HOST, WHAT, PartRow::TIME, PartRow::MICROS, REST])
};
