//! `system.projections`, `system.projection_parts` and `system.projection_parts_columns`.

use std::any::Any;
use std::sync::{Arc, Weak};

use entasis_base::Result;
use entasis_mergetree::{MergeTreeTable, ProjectionPart};
use entasis_sql::{ast, format_expr, format_projection};
use entasis_table_api::Table;
use entasis_types::Value;

use super::catalog::{TableRow, over, tables_of};
use super::layout::laid_out;
use super::parts::PartRow as Parent;
use super::system_table::ColumnOf;
use crate::catalog::EngineCatalog;

fn text(value: &str) -> Value {
    Value::from(value)
}

fn number(value: u64) -> Value {
    Value::UInt(value)
}

fn handle(table: &TableRow) -> Option<&MergeTreeTable> {
    let table: &dyn Any = &*table.entry.table;
    table.downcast_ref()
}

/// A projection of a table.
struct ProjectionRow {
    table: Arc<TableRow>,
    definition: ast::ProjectionDef,
}

impl ProjectionRow {
    /// Whether it groups, and its sorting key; `None` for one that is kept and not used.
    fn bound(&self) -> Option<(bool, &[String])> {
        let config = handle(&self.table)?.config();
        let name = self.definition.name.as_str();
        let found = config.projections.iter().find(|p| &*p.query.name == name)?;
        Some((found.query.groups, &found.keys))
    }

    fn keys(&self) -> Value {
        let keys = match (self.bound(), &*self.definition.query) {
            (Some((_, keys)), _) => keys.to_vec(),
            (None, ast::Query::Select(select)) => {
                select.order_by.items.iter().map(|item| format_expr(&item.expr)).collect()
            }
            (None, _) => Vec::new(),
        };
        Value::Array(keys.iter().map(|key| text(key)).collect())
    }

    fn query(&self) -> Value {
        match &self.definition.index {
            Some((expr, _)) => text(&format_expr(expr)),
            None => text(&format_projection(&self.definition.query)),
        }
    }

    fn settings(&self) -> Value {
        let pair = |change: &ast::SettingChange| {
            let value = change.value.as_ref().map(format_expr).unwrap_or_default();
            Value::Tuple([text(&change.name), text(&value)].into())
        };
        Value::Array(self.definition.settings.iter().map(pair).collect())
    }
}

const PROJECTIONS: &[ColumnOf<ProjectionRow>] = &[
    ("database", "String", Some(|p| text(&p.table.database))),
    ("table", "String", Some(|p| text(&p.table.name))),
    ("name", "String", Some(|p| text(p.definition.name.as_str()))),
    (
        "type",
        "Enum8('Normal' = 0, 'Aggregate' = 1)",
        Some(|p| Value::Int(i64::from(p.bound().is_some_and(|(groups, _)| groups)))),
    ),
    ("sorting_key", "Array(String)", Some(ProjectionRow::keys)),
    ("query", "String", Some(ProjectionRow::query)),
    ("settings", "Map(String, String)", Some(ProjectionRow::settings)),
];

/// The table `system.projections`.
pub(super) fn projections(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    let rows = |catalog: &EngineCatalog| {
        let mut out = Vec::new();
        for table in tables_of(catalog)? {
            let all = table.of_definition(|d| d.elements.projections.clone());
            let table = Arc::new(table);
            let row = |definition| ProjectionRow { table: Arc::clone(&table), definition };
            out.extend(all.into_iter().map(row));
        }
        Ok(out)
    };
    laid_out("projections", PROJECTIONS, over(catalog, rows))
}

/// A projection of a part.
struct PartRow {
    table: Arc<TableRow>,
    part: Arc<ProjectionPart>,
    /// The part to which it belongs.
    parent: Arc<Parent>,
}

fn parts_of(catalog: &EngineCatalog) -> Result<Vec<PartRow>> {
    let mut out = Vec::new();
    for table in tables_of(catalog)? {
        let parts = handle(&table).map(MergeTreeTable::projection_parts).unwrap_or_default();
        let table = Arc::new(table);
        let row = |part: ProjectionPart| {
            let parent = Parent::new(catalog, &table, part.parent.clone());
            let (part, parent) = (Arc::new(part), Arc::new(parent));
            PartRow { table: Arc::clone(&table), part, parent }
        };
        out.extend(parts.into_iter().map(row));
    }
    Ok(out)
}

impl PartRow {
    fn stored(&self) -> Value {
        number(self.part.columns.iter().map(|(_, _, stored, _)| stored).sum())
    }

    fn raw(&self) -> Value {
        number(self.part.columns.iter().map(|(_, _, _, raw)| raw).sum())
    }

    fn partition(&self) -> Value {
        self.parent.partition()
    }
}

const PARTS: &[ColumnOf<PartRow>] = &[
    ("partition", "String", Some(PartRow::partition)),
    ("name", "String", Some(|p| text(&p.part.name))),
    ("part_type", "String", Some(|_| text("Segment"))),
    ("parent_name", "String", Some(|p| text(&p.part.parent.name()))),
    ("parent_part_type", "String", Some(|_| text("Segment"))),
    ("active", "UInt8", Some(|_| number(1))),
    ("marks", "UInt64", Some(|p| number(p.part.granules + 1))),
    ("rows", "UInt64", Some(|p| number(p.part.rows))),
    ("files", "UInt64", Some(|_| number(1))),
    ("bytes_on_disk", "UInt64", Some(|p| number(p.part.bytes))),
    ("data_compressed_bytes", "UInt64", Some(PartRow::stored)),
    ("data_uncompressed_bytes", "UInt64", Some(PartRow::raw)),
    ("parent_marks", "UInt64", Some(|p| number(p.part.parent.granules + 1))),
    ("parent_rows", "UInt64", Some(|p| number(p.part.parent.shown_rows()))),
    ("parent_bytes_on_disk", "UInt64", Some(|p| number(p.part.parent.total_bytes()))),
    ("parent_data_compressed_bytes", "UInt64", Some(|p| number(p.parent.figures().stored()))),
    ("parent_data_uncompressed_bytes", "UInt64", Some(|p| number(p.parent.figures().raw()))),
    ("parent_marks_bytes", "UInt64", Some(|p| number(p.parent.figures().footers))),
    ("min_date", "Date", Some(|p| number(p.parent.dates().0))),
    ("max_date", "Date", Some(|p| number(p.parent.dates().1))),
    ("min_time", "DateTime", Some(|p| number(p.parent.times().0))),
    ("max_time", "DateTime", Some(|p| number(p.parent.times().1))),
    ("modification_time", "DateTime", Some(|p| number(p.part.parent.created))),
    ("refcount", "UInt32", Some(|_| number(1))),
    ("partition_id", "String", Some(|p| text(&p.part.parent.partition))),
    ("min_block_number", "Int64", Some(|p| Value::Int(p.part.parent.min_block as i64))),
    ("max_block_number", "Int64", Some(|p| Value::Int(p.part.parent.max_block as i64))),
    ("level", "UInt32", Some(|p| number(u64::from(p.part.parent.level)))),
    (
        "data_version",
        "UInt64",
        Some(|p| number(p.part.parent.min_block.max(p.part.parent.mutation))),
    ),
    ("database", "String", Some(|p| text(&p.table.database))),
    ("table", "String", Some(|p| text(&p.table.name))),
    ("engine", "String", Some(|p| text(p.table.entry.table.engine()))),
    ("disk_name", "String", Some(|_| text("default"))),
    ("path", "String", Some(|p| text(&p.part.file))),
    ("default_compression_codec", "String", Some(|_| text("LZ4"))),
    ("is_broken", "UInt8", Some(|p| number(u64::from(p.part.error.is_some())))),
    ("exception", "String", Some(|p| text(p.part.error.as_deref().unwrap_or_default()))),
    ("bytes", "UInt64", Some(|p| number(p.part.bytes))),
    ("part_name", "String", Some(|p| text(&p.part.name))),
];

/// The table `system.projection_parts`.
pub(super) fn parts(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    laid_out("projection_parts", PARTS, over(catalog, parts_of))
}

/// A column of a projection of a part.
struct ColumnRow {
    part: PartRow,
    at: usize,
}

impl ColumnRow {
    fn column(&self) -> &(String, String, u64, u64) {
        &self.part.part.columns[self.at]
    }
}

const COLUMNS: &[ColumnOf<ColumnRow>] = &[
    ("partition", "String", Some(|c| c.part.partition())),
    ("name", "String", Some(|c| text(&c.part.part.name))),
    ("part_type", "String", Some(|_| text("Segment"))),
    ("parent_name", "String", Some(|c| text(&c.part.part.parent.name()))),
    ("parent_part_type", "String", Some(|_| text("Segment"))),
    ("active", "UInt8", Some(|_| number(1))),
    ("marks", "UInt64", Some(|c| number(c.part.part.granules + 1))),
    ("rows", "UInt64", Some(|c| number(c.part.part.rows))),
    ("bytes_on_disk", "UInt64", Some(|c| number(c.part.part.bytes))),
    ("data_compressed_bytes", "UInt64", Some(|c| c.part.stored())),
    ("data_uncompressed_bytes", "UInt64", Some(|c| c.part.raw())),
    ("parent_marks", "UInt64", Some(|c| number(c.part.part.parent.granules + 1))),
    ("parent_rows", "UInt64", Some(|c| number(c.part.part.parent.shown_rows()))),
    ("parent_bytes_on_disk", "UInt64", Some(|c| number(c.part.part.parent.total_bytes()))),
    ("modification_time", "DateTime", Some(|c| number(c.part.part.parent.created))),
    ("refcount", "UInt32", Some(|_| number(1))),
    ("partition_id", "String", Some(|c| text(&c.part.part.parent.partition))),
    ("min_block_number", "Int64", Some(|c| Value::Int(c.part.part.parent.min_block as i64))),
    ("max_block_number", "Int64", Some(|c| Value::Int(c.part.part.parent.max_block as i64))),
    ("level", "UInt32", Some(|c| number(u64::from(c.part.part.parent.level)))),
    ("database", "String", Some(|c| text(&c.part.table.database))),
    ("table", "String", Some(|c| text(&c.part.table.name))),
    ("engine", "String", Some(|c| text(c.part.table.entry.table.engine()))),
    ("disk_name", "String", Some(|_| text("default"))),
    ("path", "String", Some(|c| text(&c.part.part.file))),
    ("column", "String", Some(|c| text(&c.column().0))),
    ("type", "String", Some(|c| text(&c.column().1))),
    ("column_position", "UInt64", Some(|c| number(c.at as u64 + 1))),
    ("column_bytes_on_disk", "UInt64", Some(|c| number(c.column().2))),
    ("column_data_compressed_bytes", "UInt64", Some(|c| number(c.column().2))),
    ("column_data_uncompressed_bytes", "UInt64", Some(|c| number(c.column().3))),
    (
        "column_modification_time",
        "Nullable(DateTime)",
        Some(|c| number(c.part.part.parent.created)),
    ),
    ("bytes", "UInt64", Some(|c| number(c.part.part.bytes))),
    ("part_name", "String", Some(|c| text(&c.part.part.name))),
];

/// The table `system.projection_parts_columns`.
pub(super) fn columns(catalog: &Weak<EngineCatalog>) -> Arc<dyn Table> {
    let rows = |catalog: &EngineCatalog| {
        let mut out = Vec::new();
        for PartRow { table, part, parent } in parts_of(catalog)? {
            let row = |at| {
                let (part, parent) = (Arc::clone(&part), Arc::clone(&parent));
                PartRow { table: Arc::clone(&table), part, parent }.at(at)
            };
            out.extend((0..part.columns.len()).map(row));
        }
        Ok(out)
    };
    laid_out("projection_parts_columns", COLUMNS, over(catalog, rows))
}

impl PartRow {
    fn at(self, at: usize) -> ColumnRow {
        ColumnRow { part: self, at }
    }
}
