//! The arguments in parentheses behind the name of an engine: names, texts and numbers.

use entasis_base::{Error, ErrorCode, Result, codes};
use entasis_expr::Expr;
use entasis_function::FunctionContext;
use entasis_sql::ast;
use entasis_types::Value;

use super::EngineArgs;

/// The arguments of the engine.
pub(super) fn of<'a>(args: &EngineArgs<'a>) -> &'a [ast::Expr] {
    args.definition.engine.args.as_deref().unwrap_or_default()
}

/// The value of a constant argument. A plain name stands for itself.
pub(super) fn value(expr: &ast::Expr, context: &dyn FunctionContext) -> Result<Value> {
    if let Some(parts) = expr.as_identifier() {
        let names: Vec<&str> = parts.iter().map(ast::Ident::as_str).collect();
        return Ok(Value::from(names.join(".").as_str()));
    }
    match entasis_analyze::bind_expression(expr, &Vec::new(), context)? {
        Expr::Literal { value, .. } => Ok(value),
        _ => {
            let message = "Arguments of a table engine must be constants";
            Err(Error::new(codes::BAD_ARGUMENTS, message).at(expr.position))
        }
    }
}

/// A name or a text.
pub(super) fn text(expr: &ast::Expr, context: &dyn FunctionContext) -> Result<String> {
    match value(expr, context)?.as_bytes() {
        Some(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
        None => {
            let message = "This argument of the table engine must be a name or a string";
            Err(Error::new(codes::BAD_ARGUMENTS, message).at(expr.position))
        }
    }
}

/// A whole number from 0.
pub(super) fn number(expr: &ast::Expr, context: &dyn FunctionContext) -> Result<u64> {
    value(expr, context)?.as_u64().ok_or_else(|| {
        let message = "This argument of the table engine must be a whole number from 0";
        Error::new(codes::CANNOT_CONVERT_TYPE, message).at(expr.position)
    })
}

/// The value of a setting of the table, if the definition has it.
pub(super) fn setting(args: &EngineArgs<'_>, name: &str) -> Result<Option<Value>> {
    let set = args.definition.settings.iter().rev().find(|setting| setting.name == name);
    set.and_then(|setting| setting.value.as_ref())
        .map(|expr| value(expr, args.function_context))
        .transpose()
}

/// As [`setting`], for one that is 0 or 1.
pub(super) fn flag(args: &EngineArgs<'_>, name: &str, default: bool) -> Result<bool> {
    let value = setting(args, name)?;
    Ok(value.map_or(default, |value| value.as_u64() != Some(0)))
}

/// Refuses settings whose names are not in the list.
pub(super) fn known_settings(args: &EngineArgs<'_>, known: &[&str], code: ErrorCode) -> Result<()> {
    let is_unknown = |setting: &&ast::SettingChange| !known.contains(&setting.name.as_str());
    match args.definition.settings.iter().find(is_unknown).filter(|_| args.is_new) {
        None => Ok(()),
        Some(setting) => {
            let (engine, known) = (&args.definition.engine.name, known.join(", "));
            let message = format!(
                "Unknown setting '{}' for storage {engine}: it knows {known}",
                setting.name.as_str()
            );
            Err(Error::new(code, message))
        }
    }
}

#[cold]
pub(super) fn wrong_number(message: &str) -> Error {
    Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
}
