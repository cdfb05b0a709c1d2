//! Converts literals in statements to values of settings.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;
use entasis_types::Value;

use crate::Settings;

/// A literal as a value; arrays and tuples become NULL.
pub(crate) fn literal_value(literal: &ast::Literal) -> Value {
    match literal {
        ast::Literal::Bool(v) => Value::UInt(u64::from(*v)),
        ast::Literal::UInt(v) => Value::UInt(*v),
        ast::Literal::Int(v) => Value::Int(*v),
        ast::Literal::Float(v) => Value::Float(*v),
        ast::Literal::String(bytes) => Value::string(bytes),
        _ => Value::Null,
    }
}

/// The value that a statement gives to a setting.
pub(crate) fn setting_value(change: &ast::SettingChange, value: &ast::Expr) -> Result<Value> {
    match &value.kind {
        ast::ExprKind::Literal(literal) => Ok(literal_value(literal)),
        ast::ExprKind::Identifier(parts) if parts.len() == 1 => Ok(Value::from(parts[0].as_str())),
        ast::ExprKind::Function(call) if call.name == "map" => map_value(change, &call.args),
        _ => {
            let message = format!("The value of setting {} must be a literal", change.name);
            Err(Error::new(codes::BAD_ARGUMENTS, message).at(value.position))
        }
    }
}

/// The text `{'a':'b'}` for a map.
fn map_value(change: &ast::SettingChange, args: &[ast::Expr]) -> Result<Value> {
    let mut out = String::from("{");
    for (i, arg) in args.iter().enumerate() {
        let text = match setting_value(change, arg)? {
            Value::String(bytes) => entasis_types::name::quote(&bytes),
            other => entasis_types::name::quote(entasis_types::name::literal(&other).as_bytes()),
        };
        out.push_str(match i {
            0 => "",
            i if i % 2 == 1 => ":",
            _ => ",",
        });
        out.push_str(&text);
    }
    out.push('}');
    Ok(Value::from(out.as_str()))
}

/// Applies one change of a SETTINGS clause.
pub(crate) fn apply(settings: &mut Settings, change: &ast::SettingChange) -> Result<()> {
    match &change.value {
        Some(value) if is_bare(value) => settings.switch_on(&change.name),
        Some(value) => settings.change(&change.name, Some(&setting_value(change, value)?)),
        None => settings.change(&change.name, None),
    }
}

/// Whether the setting is written without a value. The parser then gives it a `true` of no length.
fn is_bare(value: &ast::Expr) -> bool {
    let is_true = matches!(value.as_literal(), Some(ast::Literal::Bool(true)));
    is_true && value.position.start == value.position.end
}
