//! Changes to the list of a table's columns by ALTER TABLE.

use entasis_analyze::names::{add_hint, near};
use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{ColumnDef, ColumnPlace, Ident};

use crate::definition::nested;

/// ADD COLUMN: inserts a column at its place in the order of CREATE TABLE, or the arrays of a
/// Nested column if `flattens`. Answers false, and changes nothing, if the column exists and the
/// statement says IF NOT EXISTS.
pub(super) fn add_column(
    columns: &mut Vec<ColumnDef>,
    column: &ColumnDef,
    place: Option<&ColumnPlace>,
    if_not_exists: bool,
    flattens: bool,
) -> Result<bool> {
    let name = column.name.as_str();
    if columns.iter().any(|known| is_named(known, name)) {
        if if_not_exists {
            return Ok(false);
        }
        let message = format!("Cannot add column `{name}`: column with this name already exists");
        return Err(Error::new(codes::DUPLICATE_COLUMN, message).at(column.position));
    }
    if column.data_type.is_none() && column.default.is_none() {
        let message = format!("Expected a data type behind the name of column `{name}`");
        return Err(Error::new(codes::SYNTAX_ERROR, message).at(column.position));
    }
    if column.data_type.is_none() {
        let message = format!("Data type have to be specified for column `{name}` to add");
        return Err(Error::new(codes::BAD_ARGUMENTS, message).at(column.position));
    }
    if column.primary_key {
        let message = "Cannot specify PRIMARY KEY in ALTER TABLE ... ADD COLUMN. The primary key \
                       can only be defined when the table is created";
        return Err(Error::new(codes::BAD_ARGUMENTS, message).at(column.position));
    }
    let at = match place {
        None => columns.len(),
        Some(ColumnPlace::First) => 0,
        Some(ColumnPlace::After(other)) => place_after(columns, other)?,
    };
    let added = std::slice::from_ref(column);
    let added = if flattens { nested::flatten(added)? } else { added.to_vec() };
    columns.splice(at..at, added);
    Ok(true)
}

/// Whether a column has this name, or belongs to the Nested structure of this name.
fn is_named(column: &ColumnDef, name: &str) -> bool {
    let rest = column.name.as_str().strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The position behind a column, or behind the adjacent columns of a Nested structure.
fn place_after(columns: &[ColumnDef], other: &Ident) -> Result<usize> {
    let name = other.as_str();
    let Some(first) = columns.iter().position(|column| is_named(column, name)) else {
        let mut message = format!("Wrong column name. Cannot find column {name} to insert after");
        add_hint(&mut message, &near(name, columns.iter().map(|column| column.name.as_str())));
        return Err(Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, message));
    };
    let together = columns[first..].iter().take_while(|column| is_named(column, name)).count();
    Ok(first + together)
}
