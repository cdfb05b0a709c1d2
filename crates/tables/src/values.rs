//! `values('a UInt8, b String', (1, 'x'), ...)`: rows written in the query.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, ColumnBuilder, Field};
use entasis_table_api::{ColumnDef, Schema, Table};
use entasis_types::{DataType, Value};

use crate::memory::Fixed;

/// Parses a structure text: `name Type, name Type, ...`. Commas inside parentheses or quotes do not
/// separate columns.
pub fn parse_structure(text: &str) -> Result<Arc<Schema>> {
    let mut columns = Vec::new();
    for part in split_top_level(text) {
        let part = part.trim();
        let Some((name, ty)) = split_name(part).filter(|(_, ty)| !ty.is_empty()) else {
            let message =
                format!("Cannot parse structure `{text}`: expected `name Type`, got `{part}`");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        };
        columns.push(ColumnDef::new(name, DataType::parse(ty)?));
    }
    Ok(Schema::new(columns))
}

/// Formats a structure text that [`parse_structure`] can read.
pub fn format_structure(fields: &[Field]) -> String {
    let column = |field: &Field| {
        let name = field.name.replace('\\', "\\\\").replace('`', "\\`");
        format!("`{name}` {}", field.ty)
    };
    fields.iter().map(column).collect::<Vec<_>>().join(", ")
}

/// Splits off the name, unquoted; returns it with the text of the type.
fn split_name(part: &str) -> Option<(String, &str)> {
    let Some(quote) = part.chars().next().filter(|c| matches!(c, '`' | '"')) else {
        let (name, ty) = part.split_once(|c: char| c.is_whitespace())?;
        return Some((name.to_string(), ty.trim()));
    };
    let mut name = String::new();
    let mut chars = part.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        match c {
            '\\' => name.push(chars.next()?.1),
            c if c == quote => return Some((name, part[i + 1..].trim())),
            c => name.push(c),
        }
    }
    None
}

fn split_top_level(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0u32, None);
    let mut is_escaped = false;
    for (i, c) in text.char_indices() {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        match (quote, c) {
            (Some(_), '\\') => is_escaped = true,
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '`' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(&text[start..]);
    }
    parts
}

/// The table of `values(structure, row, ...)`. In a table with one column, a row may be a bare
/// value.
pub fn values(args: &[Value]) -> Result<Arc<dyn Table>> {
    let Some(structure) = args.first().and_then(Value::as_bytes) else {
        let message = "Table function values takes a structure, then rows: \
                       values('a UInt8, b String', (1, 'x'))";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    };
    let schema = parse_structure(&String::from_utf8_lossy(structure))?;
    let count = schema.columns.len();
    let mut builders: Vec<ColumnBuilder> =
        schema.columns.iter().map(|c| ColumnBuilder::new(&c.ty, args.len())).collect();
    for row in &args[1..] {
        let items: &[Value] = match row {
            Value::Tuple(items) if items.len() == count => items,
            single if count == 1 => std::slice::from_ref(single),
            _ => {
                let message = format!("Table function values: a row must have {count} values");
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
        };
        for ((builder, column), item) in builders.iter_mut().zip(&schema.columns).zip(items) {
            builder.push_value(&column.ty, item);
        }
    }
    let columns = builders.into_iter().map(ColumnBuilder::finish).collect();
    Ok(Fixed::table("Values", schema, vec![Chunk::new(columns, args.len() - 1)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_split_at_the_top_level_only() {
        let schema =
            parse_structure("a UInt8, b Tuple(x UInt8, y String), `c` Array(UInt8)").unwrap();
        let names: Vec<&str> = schema.columns.iter().map(|c| &*c.name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert!(parse_structure("a").is_err());
    }

    #[test]
    fn structures_of_any_names_read_back() {
        let names = ["a", "two words", "comma, (", "tick ` and \\ back", "\"q\""];
        let fields: Vec<Field> = names.iter().map(|n| Field::new(*n, DataType::String)).collect();
        let schema = parse_structure(&format_structure(&fields)).unwrap();
        let back: Vec<&str> = schema.columns.iter().map(|c| &*c.name).collect();
        assert_eq!(back, names);
    }
}
