//! Nested columns in CREATE TABLE and ALTER TABLE. `n Nested(a A, b B)` stands for the columns
//! `n.a Array(A)` and `n.b Array(B)`, unless `flatten_nested = 0`.
//!
//! Only the outermost Nested of a column is replaced. What is within it stays as it is written:
//! `n Nested(a Nested(b B))` becomes `n.a Array(Nested(b B))`.

use entasis_base::{Error, Result, codes};
use entasis_sql::{ast, format_type, parse_type};
use entasis_types::DataType;

/// The columns with those of type Nested replaced by their arrays.
pub(crate) fn flatten(columns: &[ast::ColumnDef]) -> Result<Vec<ast::ColumnDef>> {
    let mut flat = Vec::with_capacity(columns.len());
    for (i, column) in columns.iter().enumerate() {
        let arrays = arrays(column)?;
        let is_repeated =
            || columns.iter().enumerate().any(|(k, c)| k != i && c.name == column.name);
        if arrays.is_some() && is_repeated() {
            let message = format!("Column {} is defined twice", column.name.as_str());
            return Err(Error::new(codes::ILLEGAL_COLUMN, message).at(column.position));
        }
        flat.extend(arrays.unwrap_or_else(|| vec![column.clone()]));
    }
    Ok(flat)
}

/// The arrays that a column of type Nested stands for; `None` for a column of another type. Every
/// array has the default, codec and comment of the column.
fn arrays(column: &ast::ColumnDef) -> Result<Option<Vec<ast::ColumnDef>>> {
    let Some(written) = column.data_type.as_ref().filter(|ty| ty.name == "Nested") else {
        return Ok(None);
    };
    let ty = DataType::parse(&format_type(written)).map_err(|e| e.at(written.position))?;
    if column.nullable == Some(true) {
        let message = format!("Nested type {ty} cannot be inside Nullable type: leave out NULL");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message).at(column.position));
    }
    let Some(nested) = ty.as_nested() else { return Ok(None) };
    let array = |(name, ty): (_, &DataType)| {
        Ok(ast::ColumnDef {
            name: ast::Ident::new(format!("{}.{name}", column.name.as_str())),
            data_type: Some(parse_type(&DataType::array(ty.clone()).to_string())?),
            ..column.clone()
        })
    };
    nested.map(array).collect::<Result<_>>().map(Some)
}
