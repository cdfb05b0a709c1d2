//! The columns of system tables that clients of the reference expect: names, types and order.
//!
//! `layouts.txt` has a line for each table: its name, the name of its engine, and its columns. A
//! table gives values for the columns that it knows; all others have the default of their type. A
//! client that asks for a column without a meaning here therefore gets an answer.

use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_table_api::{ColumnDef, Table};
use entasis_tables::values::parse_structure;
use entasis_types::{DataType, Value};

use super::system_table::{ColumnOf, Layout, SystemTable};

const LAYOUTS: &str = include_str!("layouts.txt");

/// A column of a table: its name and type, and how its value is made from a row.
pub(crate) type MadeColumn<R> = (ColumnDef, Option<fn(&R) -> Value>);

/// The table that `layouts.txt` has under the name `table`. Its rows give the columns of `known`.
pub(crate) fn laid_out<R: Send + Sync + 'static>(
    table: &str,
    known: &'static [ColumnOf<R>],
    rows: impl Fn() -> Result<Vec<R>> + Send + Sync + 'static,
) -> Arc<dyn Table> {
    let table: Box<str> = table.into();
    SystemTable::of_layout(move || read(&table, known), rows)
}

fn read<R: 'static>(table: &str, known: &'static [ColumnOf<R>]) -> Result<Layout<R>> {
    let (engine, columns) = layout(table)?;
    let made = |name: &str| known.iter().find(|(known, _, _)| *known == name);
    let mut all: Vec<MadeColumn<R>> = Vec::new();
    for column in &parse_structure(columns)?.columns {
        // The columns of information_schema have a name in lower case and one in upper case.
        let found = made(&column.name).or_else(|| made(&column.name.to_lowercase()));
        all.push((column.clone(), found.and_then(|(_, _, of)| *of)));
    }
    for (name, ty, of) in known {
        if !all.iter().any(|(column, _)| *column.name == **name) {
            all.push((ColumnDef::new(*name, DataType::parse(ty)?), *of));
        }
    }
    Ok(Layout::new(engine, all))
}

/// A table without rows, about things that do not exist here.
pub(crate) fn empty(table: &str) -> Arc<dyn Table> {
    laid_out::<()>(table, &[], || Ok(Vec::new()))
}

/// Engine and columns of a table in `layouts.txt`.
fn layout(table: &str) -> Result<(&'static str, &'static str)> {
    LAYOUTS
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(name, _)| *name == table)
        .and_then(|(_, rest)| rest.split_once(' '))
        .ok_or_else(|| Error::logical(format!("no layout of the table {table}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_is_read() {
        for line in LAYOUTS.lines() {
            let name = line.split(' ').next().unwrap();
            let table = empty(name);
            assert!(table.snapshot().is_ok(), "{name}");
            assert!(!table.schema().columns.is_empty(), "{name}");
        }
    }
}
