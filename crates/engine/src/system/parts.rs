//! `system.parts` and `system.parts_columns`: the parts of tables, and their columns.

use std::sync::{Arc, Weak};

use entasis_base::Result;
use entasis_mergetree::PartSummary;
use entasis_table_api::Table;
use entasis_types::Value;

use super::catalog::{ColumnRow, TableRow, columns_of, over, tables_of};
use super::layout::laid_out;
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;

fn text(value: &str) -> Value {
    Value::from(value)
}

fn number(value: u64) -> Value {
    Value::UInt(value)
}

fn flag(value: bool) -> Value {
    Value::UInt(u64::from(value))
}

/// A part of a table.
struct PartRow {
    table: Arc<TableRow>,
    part: PartSummary,
}

fn parts_of(catalog: &EngineCatalog) -> Result<Vec<PartRow>> {
    let mut out = Vec::new();
    for mut table in tables_of(catalog)? {
        let parts = std::mem::take(&mut table.parts);
        let table = Arc::new(table);
        out.extend(parts.into_iter().map(|part| PartRow { table: Arc::clone(&table), part }));
    }
    Ok(out)
}

const PARTS: &[ColumnOf<PartRow>] = &[
    ("partition", "String", Some(|p| p.partition())),
    ("name", "String", Some(|p| text(&p.part.name()))),
    ("part_type", "String", Some(|_| text("Segment"))),
    ("part_storage_type", "String", Some(|_| text("Full"))),
    ("active", "UInt8", Some(|_| flag(true))),
    // As in the reference, the mark at the end of the last granule counts, too.
    ("marks", "UInt64", Some(|p| number(p.part.granules + 1))),
    ("rows", "UInt64", Some(|p| number(p.part.rows))),
    ("files", "UInt64", Some(|_| number(1))),
    ("bytes_on_disk", "UInt64", Some(|p| number(p.part.bytes))),
    ("data_compressed_bytes", "UInt64", Some(|p| number(p.part.bytes))),
    ("primary_key_size", "UInt64", None),
    ("marks_bytes", "UInt64", None),
    ("modification_time", "DateTime", Some(|p| number(p.part.created))),
    ("remove_time", "DateTime", None),
    ("partition_id", "String", Some(|p| text(&p.part.partition))),
    ("min_block_number", "Int64", Some(|p| Value::Int(p.part.min_block as i64))),
    ("max_block_number", "Int64", Some(|p| Value::Int(p.part.max_block as i64))),
    ("level", "UInt32", Some(|p| number(u64::from(p.part.level)))),
    ("data_version", "UInt64", Some(|p| number(p.part.min_block))),
    ("is_frozen", "UInt8", None),
    ("database", "String", Some(|p| text(&p.table.database))),
    ("table", "String", Some(|p| text(&p.table.name))),
    ("engine", "String", Some(|p| text(p.table.entry.table.engine()))),
    ("disk_name", "String", Some(|_| text("default"))),
    ("path", "String", Some(|p| text(&p.part.file))),
    ("visible", "UInt8", Some(|_| flag(true))),
    ("default_compression_codec", "String", Some(|_| text("LZ4"))),
    ("refcount", "UInt32", Some(|_| number(1))),
    ("bytes", "UInt64", Some(|p| number(p.part.bytes))),
    ("part_name", "String", Some(|p| text(&p.part.name()))),
];

impl PartRow {
    fn partition(&self) -> Value {
        match &*self.part.partition_value {
            "" => text("tuple()"),
            value => text(value),
        }
    }
}

/// The table `system.parts`.
pub(super) fn parts(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("parts", PARTS, over(catalog, parts_of))
}

/// A column of a part.
struct PartColumn {
    part: PartRow,
    column: Arc<ColumnRow>,
}

const PARTS_COLUMNS: &[ColumnOf<PartColumn>] = &[
    ("partition", "String", Some(|c| c.part.partition())),
    ("name", "String", Some(|c| text(&c.part.part.name()))),
    ("part_type", "String", Some(|_| text("Segment"))),
    ("active", "UInt8", Some(|_| flag(true))),
    ("marks", "UInt64", Some(|c| number(c.part.part.granules + 1))),
    ("rows", "UInt64", Some(|c| number(c.part.part.rows))),
    ("bytes_on_disk", "UInt64", Some(|c| number(c.part.part.bytes))),
    ("data_compressed_bytes", "UInt64", Some(|c| number(c.part.part.bytes))),
    ("modification_time", "DateTime", Some(|c| number(c.part.part.created))),
    ("refcount", "UInt32", Some(|_| number(1))),
    ("partition_id", "String", Some(|c| text(&c.part.part.partition))),
    ("min_block_number", "Int64", Some(|c| Value::Int(c.part.part.min_block as i64))),
    ("max_block_number", "Int64", Some(|c| Value::Int(c.part.part.max_block as i64))),
    ("level", "UInt32", Some(|c| number(u64::from(c.part.part.level)))),
    ("data_version", "UInt64", Some(|c| number(c.part.part.min_block))),
    ("database", "String", Some(|c| text(&c.part.table.database))),
    ("table", "String", Some(|c| text(&c.part.table.name))),
    ("engine", "String", Some(|c| text(c.part.table.entry.table.engine()))),
    ("disk_name", "String", Some(|_| text("default"))),
    ("path", "String", Some(|c| text(&c.part.part.file))),
    ("column", "String", Some(|c| text(&c.column.def.name))),
    ("type", "String", Some(|c| text(&c.column.def.ty.to_string()))),
    ("column_position", "UInt64", Some(|c| number(c.column.position as u64 + 1))),
    ("default_kind", "String", Some(|c| text(c.column.default_kind()))),
    ("default_expression", "String", Some(|c| text(c.column.default_expression()))),
    ("column_modification_time", "Nullable(DateTime)", Some(|c| number(c.part.part.created))),
    ("column_ttl_min", "Nullable(DateTime)", Some(|_| Value::Null)),
    ("column_ttl_max", "Nullable(DateTime)", Some(|_| Value::Null)),
    ("serialization_kind", "String", Some(|_| text("Default"))),
    ("bytes", "UInt64", Some(|c| number(c.part.part.bytes))),
    ("part_name", "String", Some(|c| text(&c.part.part.name()))),
];

fn parts_columns_of(catalog: &EngineCatalog) -> Result<Vec<PartColumn>> {
    let columns: Vec<Arc<ColumnRow>> = columns_of(catalog)?.into_iter().map(Arc::new).collect();
    let mut out = Vec::new();
    for PartRow { table, part } in parts_of(catalog)? {
        let schema = table.entry.table.schema();
        let store = catalog.store();
        let lacking = table.entry.id.map(|id| store.lacking(id, &part.file)).unwrap_or_default();
        let own = columns.iter().filter(|c| {
            let position = schema.position(&c.def.name);
            c.table.entry.id == table.entry.id
                && position.is_some_and(|p| p < schema.stored().len() && !lacking.contains(&p))
        });
        out.extend(own.map(|column| PartColumn {
            part: PartRow { table: Arc::clone(&table), part: part.clone() },
            column: Arc::clone(column),
        }));
    }
    Ok(out)
}

/// The table `system.parts_columns`.
pub(super) fn parts_columns(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("parts_columns", PARTS_COLUMNS, over(catalog, parts_columns_of))
}
