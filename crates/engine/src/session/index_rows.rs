//! Table functions over the parts of a MergeTree table: `mergeTreeIndex` and `mergeTreeProjection`.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Column, ColumnBuilder};
use entasis_mergetree::{MergeTreeTable, PartMarks};
use entasis_table_api::{ColumnDef, Schema, Table};
use entasis_tables::memory::Fixed;
use entasis_types::{DataType, Value};

use super::catalog::SessionCatalog;
use crate::catalog::Entry;

/// What `mergeTreeIndex` shows of the place of a column's values.
const MARK: &str = "Tuple(offset_in_compressed_file Nullable(UInt64), offset_in_decompressed_block \
                    Nullable(UInt64))";

fn text_of(value: &Value) -> Option<String> {
    value.as_bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// The name and the value of an argument `name = value`.
fn named(value: &Value) -> Option<(String, &Value)> {
    let Value::Tuple(pair) = value else { return None };
    match &pair[..] {
        [name, value] => Some((text_of(name)?, value)),
        _ => None,
    }
}

#[cold]
fn bad(message: String) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// A MergeTree table of the catalog.
fn parts_of<'a>(entry: &'a Entry, function: &str) -> Result<&'a MergeTreeTable> {
    let handle: &dyn std::any::Any = &*entry.table;
    handle.downcast_ref().ok_or_else(|| {
        let engine = entry.table.engine();
        bad(format!("Table function {function} expected MergeTree table, got: {engine}"))
    })
}

impl SessionCatalog<'_> {
    /// The rows that `mergeTreeProjection(database, table, projection)` stands for.
    pub(super) fn projection_rows(&self, args: &[Value]) -> Result<Arc<dyn Table>> {
        let names: Option<Vec<String>> = args.iter().map(text_of).collect();
        let Some([database, table, projection]) = names.as_deref() else {
            let message = "Table function 'mergeTreeProjection' must have 3 arguments: database, \
                           table and projection";
            return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
        };
        let entry = self.entry(Some(database), table)?;
        parts_of(&entry, "mergeTreeProjection")?.projection_rows(projection)
    }

    /// The rows that `mergeTreeIndex(database, table[, with_marks = ...])` stands for: the granules
    /// of all parts with their first keys, and the last key of each part.
    pub(super) fn index_rows(&self, args: &[Value]) -> Result<Arc<dyn Table>> {
        let [database, table, options @ ..] = args else {
            let message = format!(
                "Table function 'mergeTreeIndex' must have at least 2 arguments, got: {}",
                args.len()
            );
            return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
        };
        let mut with_marks = false;
        for option in options {
            let (name, value) = named(option)
                .ok_or_else(|| bad("Arguments behind the table are name = value".to_string()))?;
            match name.as_str() {
                "with_marks" => with_marks = value.as_u64().is_some_and(|flag| flag != 0),
                // Columns are shown for this option where a part has a file of minima and maxima.
                "with_minmax" => {}
                _ => {
                    return Err(bad(format!(
                        "Unexpected arguments '{name}' for table function 'mergeTreeIndex'"
                    )));
                }
            }
        }
        let (Some(database), Some(table)) = (text_of(database), text_of(table)) else {
            return Err(bad("mergeTreeIndex takes the names of a database and a table".into()));
        };
        let entry = self.entry(Some(&database), &table)?;
        let parts = parts_of(&entry, "mergeTreeIndex")?;
        let mut columns = vec![
            ColumnDef::new("part_name", DataType::String),
            ColumnDef::new("mark_number", DataType::UInt64),
            ColumnDef::new("rows_in_granule", DataType::UInt64),
        ];
        let names = entry.definition.as_ref().map(|d| d.primary_key_names()).unwrap_or_default();
        let types = parts.primary_key_types();
        let keys = names.iter().zip(&types);
        columns.extend(keys.map(|(name, ty)| ColumnDef::new(name.as_str(), ty.clone())));
        if with_marks {
            let mark = DataType::parse(MARK)?;
            let stored = entry.table.schema();
            let marks = stored.declared().filter(|column| column.is_stored());
            columns.extend(marks.map(|c| ColumnDef::new(format!("{}.mark", c.name), mark.clone())));
        }
        let marks = parts.part_marks(with_marks)?;
        let chunks = marks.iter().map(|part| rows_of(part, &columns)).collect::<Result<_>>()?;
        Ok(Fixed::table("MergeTreeIndex", Schema::new(columns), chunks))
    }
}

/// The rows of a part.
fn rows_of(part: &PartMarks, schema: &[ColumnDef]) -> Result<Chunk> {
    let rows = part.granules.len() + 1;
    let counts = part.granules.iter().map(|rows| u64::from(*rows)).chain([0]);
    let mut columns = vec![
        Column::from_value(&DataType::String, &Value::from(part.name.as_str()), rows).full(),
        Column::from((0..rows as u64).collect::<Vec<_>>()),
        Column::from(counts.collect::<Vec<u64>>()),
    ];
    columns.extend(part.index.iter().cloned());
    for offsets in part.offsets.iter().take(schema.len().saturating_sub(columns.len())) {
        let ty = &schema[columns.len()].ty;
        let mut builder = ColumnBuilder::new(ty, rows);
        for offset in offsets {
            let place = offset.map_or(Value::Null, Value::UInt);
            let within = offset.map_or(Value::Null, |_| Value::UInt(0));
            builder.push_value(ty, &Value::Tuple([place, within].into()));
        }
        columns.push(builder.finish());
    }
    Ok(Chunk::new(columns, rows))
}
