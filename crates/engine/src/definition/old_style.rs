//! The old syntax of the MergeTree family, `MergeTree(date, [sampling,] key, granularity[, ...])`:
//! the keys stand among the arguments of the engine, and rows are partitioned by the month of the
//! date. The arguments are kept and shown as they were written. The keys that they stand for are
//! made of them whenever the definition is bound.

use entasis_base::{Error, Position, Result, codes};
use entasis_function::FunctionContext;
use entasis_sql::ast::{self, ExprKind, Literal};
use entasis_table_api::Schema;
use entasis_types::DataType;

use super::family;

/// The arguments that say how a table is kept, and those of the engine behind them.
pub(crate) struct OldStyle<'a> {
    date: &'a ast::Expr,
    sampling: Option<&'a ast::Expr>,
    key: &'a ast::Expr,
    granularity: &'a ast::Expr,
    /// What the engine itself takes.
    pub rest: &'a [ast::Expr],
}

/// The old syntax in a list of arguments. Its granularity is a number, which the engines do not
/// take otherwise.
pub(crate) fn of(args: &[ast::Expr]) -> Option<OldStyle<'_>> {
    let is_number = |expr: &ast::Expr| matches!(expr.kind, ExprKind::Literal(Literal::UInt(_)));
    match args {
        [date, key, granularity, rest @ ..] if is_number(granularity) => {
            Some(OldStyle { date, sampling: None, key, granularity, rest })
        }
        [date, sampling, key, granularity, rest @ ..] if is_number(granularity) => {
            Some(OldStyle { date, sampling: Some(sampling), key, granularity, rest })
        }
        _ => None,
    }
}

/// The clauses that the arguments of a table stand for; `None` if it has clauses of its own, or no
/// such arguments.
pub(super) fn clauses(args: &[ast::Expr], own: &ast::Storage) -> Result<Option<ast::Storage>> {
    let has_clauses = own.partition_by.is_some()
        || own.primary_key.is_some()
        || own.order_by.is_some()
        || own.sample_by.is_some()
        || !own.settings.is_empty();
    let Some(old) = of(args).filter(|_| !has_clauses) else { return Ok(None) };
    if old.date.as_identifier().is_none_or(|parts| parts.len() != 1) {
        let message = "Date column name must be an unquoted string";
        return Err(Error::new(codes::BAD_ARGUMENTS, message).at(old.date.position));
    }
    let month = ast::Function::new("toYYYYMM", vec![old.date.clone()]);
    let item = |expr| ast::KeyItem { expr, descending: false };
    let key = match old.key.as_function() {
        Some(tuple) if tuple.name == "tuple" => tuple.args.clone(),
        _ => vec![old.key.clone()],
    };
    let granularity = ast::SettingChange {
        name: "index_granularity".into(),
        value: Some(old.granularity.clone()),
    };
    Ok(Some(ast::Storage {
        partition_by: Some(ast::Expr::new(
            ExprKind::Function(Box::new(month)),
            Position::default(),
        )),
        order_by: Some(key.into_iter().map(item).collect()),
        sample_by: old.sampling.cloned(),
        settings: vec![granularity],
        ttl: own.ttl.clone(),
        ..ast::Storage::default()
    }))
}

/// Refuses a new table in the old syntax unless the session allows it.
pub(crate) fn check_allowed(storage: &ast::Storage, context: &dyn FunctionContext) -> Result<()> {
    let Some(engine) = storage.engine.as_ref().filter(|e| e.name.ends_with("MergeTree")) else {
        return Ok(());
    };
    if clauses(family::without_replica(engine), storage)?.is_none() {
        return Ok(());
    }
    let allowed = context.setting("allow_deprecated_syntax_for_merge_tree");
    if allowed.is_none_or(|value| value.as_u64() != Some(1)) {
        let message = "This syntax for *MergeTree engine is deprecated. Use extended storage \
                       definition syntax with ORDER BY/PRIMARY KEY clause. See also \
                       `allow_deprecated_syntax_for_merge_tree` setting";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok(())
}

/// Fails unless the date of a table in the old syntax is a Date.
pub(super) fn check_date(args: &[ast::Expr], schema: &Schema) -> Result<()> {
    let date = of(args).and_then(|old| old.date.as_identifier()).and_then(|parts| parts.first());
    let ty = date.and_then(|name| schema.position(name.as_str()));
    if ty.is_some_and(|at| schema.columns[at].ty != DataType::Date) {
        let message = "Could not find Date column: the first argument of the engine is no Date";
        return Err(Error::new(codes::BAD_TYPE_OF_FIELD, message));
    }
    Ok(())
}
