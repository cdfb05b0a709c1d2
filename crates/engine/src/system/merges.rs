//! `system.merges`: running merges.

use std::sync::{Arc, Weak};

use entasis_base::Result;
use entasis_mergetree::{MergeAtWork, PartSummary};
use entasis_table_api::Table;
use entasis_types::Value;

use super::catalog::over;
use super::system_table::{ColumnOf, SystemTable};
use crate::catalog::EngineCatalog;

struct Row {
    database: String,
    table: String,
    merge: Arc<MergeAtWork>,
}

impl Row {
    fn progress(&self) -> f64 {
        self.merge.columns_written() as f64 / self.merge.columns.max(1) as f64
    }

    fn sum(&self, of: fn(&PartSummary) -> u64) -> u64 {
        self.merge.sources.iter().map(|part| of(part)).sum()
    }

    fn sources(&self, of: impl Fn(&PartSummary) -> String) -> Value {
        Value::Array(self.merge.sources.iter().map(|part| Value::from(&*of(part))).collect())
    }

    fn first(&self, of: impl Fn(&PartSummary) -> &str) -> Value {
        Value::from(self.merge.sources.first().map_or("", |part| of(part)))
    }
}

const COLUMNS: &[ColumnOf<Row>] = &[
    ("database", "String", Some(|r| Value::from(&*r.database))),
    ("table", "String", Some(|r| Value::from(&*r.table))),
    ("elapsed", "Float64", Some(|r| Value::Float(r.merge.elapsed().as_secs_f64()))),
    ("progress", "Float64", Some(|r| Value::Float(r.progress()))),
    ("num_parts", "UInt64", Some(|r| Value::UInt(r.merge.sources.len() as u64))),
    ("source_part_names", "Array(String)", Some(|r| r.sources(PartSummary::name))),
    ("result_part_name", "String", Some(|r| Value::from(&*r.merge.result))),
    ("source_part_paths", "Array(String)", Some(|r| r.sources(|part| part.file.clone()))),
    ("result_part_path", "String", None),
    ("partition_id", "String", Some(|r| r.first(|part| &part.partition))),
    ("partition", "String", Some(|r| r.first(|part| &part.partition_value))),
    ("is_mutation", "UInt8", None),
    ("total_size_bytes_compressed", "UInt64", Some(|r| Value::UInt(r.sum(|part| part.bytes)))),
    ("total_size_bytes_uncompressed", "UInt64", None),
    ("total_size_marks", "UInt64", Some(|r| Value::UInt(r.sum(|part| part.granules)))),
    ("bytes_read_uncompressed", "UInt64", None),
    // A merge reads all rows once for their order, and then again for each column.
    (
        "rows_read",
        "UInt64",
        Some(|r| Value::UInt((r.sum(|part| part.rows) as f64 * r.progress()) as u64)),
    ),
    ("bytes_written_uncompressed", "UInt64", None),
    (
        "rows_written",
        "UInt64",
        Some(|r| Value::UInt((r.sum(|part| part.rows) as f64 * r.progress()) as u64)),
    ),
    ("columns_written", "UInt64", Some(|r| Value::UInt(r.merge.columns_written() as u64))),
    ("memory_usage", "UInt64", None),
    ("thread_id", "UInt64", Some(|r| Value::UInt(r.merge.thread.into()))),
    ("merge_type", "String", Some(|_| Value::from("Regular"))),
    ("merge_algorithm", "String", Some(|_| Value::from("Vertical"))),
    ("current_projection", "String", None),
    ("current_projection_progress", "Float64", None),
    ("current_projection_parts_merging", "UInt64", None),
    ("current_projection_parts_remaining", "UInt64", None),
    ("projections_completed", "Array(String)", None),
    ("projections_remaining", "Array(String)", None),
];

fn rows(catalog: &EngineCatalog) -> Result<Vec<Row>> {
    let merges = catalog.store().merges();
    if merges.is_empty() {
        return Ok(Vec::new());
    }
    let records = catalog.store().tables();
    let row = |merge: Arc<MergeAtWork>| {
        let record = records.iter().find(|record| record.id == merge.table)?;
        Some(Row { database: record.database.clone(), table: record.name.clone(), merge })
    };
    Ok(merges.into_iter().filter_map(row).collect())
}

/// The table `system.merges`.
pub(super) fn merges(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    SystemTable::create("SystemMerges", COLUMNS, over(catalog, rows))
}
