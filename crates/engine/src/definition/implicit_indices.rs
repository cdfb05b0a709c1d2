//! The skipping indices that settings of a table make: a minmax index for each column of certain
//! types. They are shown in `system.data_skipping_indices` but not in the definition.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;
use entasis_types::DataType;

use super::TableDefinition;
use crate::settings::merge_tree::OfTable;

/// How their names begin.
const PREFIX: &str = "auto_minmax_index_";

/// A setting, and the types of the columns for which it makes indices.
type Rule = (&'static str, fn(&DataType) -> bool);

const RULES: &[Rule] = &[
    ("add_minmax_index_for_numeric_columns", is_number),
    ("add_minmax_index_for_string_columns", |ty| *ty == DataType::String),
    ("add_minmax_index_for_temporal_columns", DataType::is_date_or_time),
];

fn is_number(ty: &DataType) -> bool {
    ty.is_any_number() || matches!(ty, DataType::Decimal(..))
}

/// Whether a setting of the table is on.
fn is_on(settings: &[ast::SettingChange], name: &str) -> bool {
    settings.iter().any(|setting| setting.name == name)
        && OfTable::new(settings).is_ok_and(|settings| settings.flag(name))
}

/// The indices that the settings of a table make: for columns of their types that have no minmax
/// index of their own.
pub(crate) fn implicit(definition: &TableDefinition) -> Vec<ast::IndexDef> {
    let rules: Vec<&Rule> =
        RULES.iter().filter(|(name, _)| is_on(&definition.settings, name)).collect();
    if rules.is_empty() {
        return Vec::new();
    }
    let stored = definition.schema.stored().iter();
    let wanted = stored.filter(|column| rules.iter().any(|(_, is_meant)| is_meant(&column.ty)));
    let has_own = |name: &str| {
        definition.elements.indices.iter().any(|index| {
            let is_minmax = index.index_type.as_ref().is_some_and(|kind| kind.name == "minmax");
            let column = index.expr.as_identifier();
            is_minmax && matches!(column, Some([column]) if column.as_str() == name)
        })
    };
    wanted
        .filter(|column| !has_own(&column.name))
        .filter_map(|column| {
            let expr =
                entasis_sql::parse_expression(&entasis_sql::format_ident(&column.name)).ok()?;
            Some(ast::IndexDef {
                name: ast::Ident::new(format!("{PREFIX}{}", column.name)),
                expr,
                index_type: Some(ast::Function::new("minmax", Vec::new())),
                granularity: Some(1),
            })
        })
        .collect()
}

/// Fails if an index has the name of one that a setting of the table may make.
pub(crate) fn check_name(name: &str, settings: &[ast::SettingChange]) -> Result<()> {
    if name.starts_with(PREFIX) && RULES.iter().any(|(setting, _)| is_on(settings, setting)) {
        let message = format!(
            "Cannot use index {name} because its name is reserved for one that a setting makes"
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(())
}
