//! STATISTICS of columns. A definition keeps and shows them, as the reference does, and checks
//! their types. None is built: storage keeps its own statistics of every column.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;
use entasis_table_api::Schema;
use entasis_types::DataType;

/// The types in the order in which they are shown, with their names in messages.
const KINDS: [(&str, &str); 5] = [
    ("tdigest", "TDigest"),
    ("uniq", "Uniq"),
    ("minmax", "MinMax"),
    ("basic", "Basic"),
    ("uniq_v2", "UniqV2"),
];

/// The place of a type in the order in which types are shown.
fn place(kind: &ast::Function) -> Option<usize> {
    KINDS.iter().position(|(name, _)| kind.name.eq_ignore_ascii_case(name))
}

/// Checks the statistics of all columns, and sorts the types of each.
pub(super) fn check(elements: &mut ast::TableElements, schema: &Schema) -> Result<()> {
    for (column, def) in elements.columns.iter_mut().zip(schema.declared()) {
        let Some(kinds) = &mut column.statistics else { continue };
        kinds.iter().try_for_each(|kind| check_one(kind, &def.ty))?;
        kinds.sort_by_key(place);
    }
    Ok(())
}

fn check_one(kind: &ast::Function, ty: &DataType) -> Result<()> {
    let Some(place) = place(kind) else {
        let message = format!(
            "Unknown statistics type: {}. Supported statistics types are 'basic', 'minmax', \
             'tdigest', 'uniq' and 'uniq_v2'",
            kind.name
        );
        return Err(Error::new(codes::INCORRECT_QUERY, message));
    };
    let (name, shown) = KINDS[place];
    let plain = ty.without_low_cardinality();
    let plain = plain.without_nullable();
    let is_number = plain.is_any_number() || plain.is_decimal() || plain.is_date_or_time();
    let fits = match name {
        "tdigest" | "minmax" => is_number || matches!(plain, DataType::Bool),
        "uniq" | "uniq_v2" => {
            !matches!(plain, DataType::Array(_) | DataType::Tuple(_) | DataType::Map(..))
        }
        _ => true,
    };
    if fits {
        return Ok(());
    }
    let message = format!("Statistics of type '{shown}' does not support data type {ty}");
    Err(Error::new(codes::ILLEGAL_STATISTICS, message))
}
