//! The TTL of rows, columns and parts: binds the rules of CREATE TABLE, and checks them.

use std::sync::Arc;

use entasis_analyze::{bind, bind_expression, tree};
use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::{Aggregate, FunctionContext, registry};
use entasis_mergetree::{
    Expiry, GroupAggregate, GroupExpiry, GroupValue, MoveRule, Recompression, RowExpiry,
    parse_default_codec,
};
use entasis_sql::{ast, format_expr};
use entasis_table_api::Schema;
use entasis_types::DataType;

use super::columns::{function_text, known_of};
use super::keys::Keys;

/// When rows and values of the stored columns expire; `None` if there is no rule.
pub(super) fn bind(
    create: &ast::CreateTable,
    schema: &Schema,
    keys: &Keys,
    context: &dyn FunctionContext,
) -> Result<Option<Expiry>> {
    let known = known_of(schema.stored());
    let mut columns = vec![None; schema.stored().len()];
    for column in &create.elements.columns {
        let Some(ttl) = &column.ttl else { continue };
        let position = schema.position(column.name.as_str());
        let Some(position) = position.filter(|position| *position < columns.len()) else {
            // As in the reference, the rule of a column that is not stored has no effect.
            continue;
        };
        let expires = seconds(bind_expression(ttl, &known, context)?, ttl, context);
        columns[position] = Some(expires.map_err(|e| e.at(ttl.position))?);
    }
    let mut expiry = Expiry { columns, ..Expiry::default() };
    for item in &create.storage.ttl {
        let bound = bind_expression(&item.expr, &known, context)?;
        let at = |e: Error| e.at(item.expr.position);
        let expires = seconds(bound, &item.expr, context).map_err(at)?;
        let binder = Binder { known: &known, schema, keys, context };
        binder.add(item, expires, &mut expiry).map_err(at)?;
    }
    if expiry.rows.iter().filter(|row| row.condition.is_none()).count() > 1 {
        let message = "More than one DELETE TTL expression without WHERE expression is not allowed";
        return Err(bad(message));
    }
    let is_there = !create.storage.ttl.is_empty() || expiry.columns.iter().any(Option::is_some);
    Ok(is_there.then_some(expiry))
}

#[cold]
fn bad(message: impl Into<String>) -> Error {
    Error::new(codes::BAD_TTL_EXPRESSION, message.into())
}

/// Binds what stands behind the times of rules.
struct Binder<'a> {
    known: &'a [(Arc<str>, DataType)],
    schema: &'a Schema,
    keys: &'a Keys,
    context: &'a dyn FunctionContext,
}

impl Binder<'_> {
    fn add(&self, item: &ast::TtlItem, expires: Expr, expiry: &mut Expiry) -> Result<()> {
        let text: Arc<str> = format_expr(&item.expr).into();
        match &item.action {
            ast::TtlAction::Delete => {
                let condition = item.where_clause.as_ref();
                let condition = condition.map(|c| bind_expression(c, self.known, self.context));
                let condition = condition.transpose()?;
                expiry.rows.push(RowExpiry { expires, condition, text });
            }
            ast::TtlAction::ToDisk(disk) if disk != "default" => {
                return Err(bad(format!("No such disk `{disk}` for given storage policy")));
            }
            ast::TtlAction::ToVolume(volume) if volume != "default" => {
                return Err(bad(format!("No such volume `{volume}` for given storage policy")));
            }
            ast::TtlAction::ToDisk(_) | ast::TtlAction::ToVolume(_) => {
                expiry.moves.push(MoveRule { expires, text });
            }
            ast::TtlAction::Recompress(codecs) => {
                let texts: Vec<String> = codecs.iter().map(function_text).collect();
                let codec = parse_default_codec(&texts.join(", "))?.into();
                expiry.recompressions.push(Recompression { expires, text, codec });
            }
            ast::TtlAction::GroupBy { keys, set } => {
                expiry.groups.push(self.group(expires, text, keys, set)?);
            }
        }
        Ok(())
    }

    /// Binds `GROUP BY keys SET column = value, ...`.
    fn group(
        &self,
        expires: Expr,
        text: Arc<str>,
        keys: &[ast::Expr],
        set: &[(ast::Ident, ast::Expr)],
    ) -> Result<GroupExpiry> {
        let primary = &self.keys.sorting[..self.keys.primary];
        let is_prefix = |(at, key): (usize, &ast::Expr)| {
            let bound = bind_expression(key, self.known, self.context)?;
            Ok(primary.get(at).is_some_and(|of_table| tree::same(of_table, &bound)))
        };
        let are_keys = keys.iter().enumerate().map(is_prefix).collect::<Result<Vec<bool>>>()?;
        if keys.is_empty() || are_keys.contains(&false) {
            let message = "TTL Expression GROUP BY key should be a prefix of primary key";
            return Err(bad(message));
        }
        let stored = self.schema.stored();
        let mut values: Vec<Option<GroupValue>> = vec![None; stored.len()];
        for (name, expr) in set {
            let name = name.as_str();
            let position = self.schema.position(name).filter(|at| *at < stored.len());
            let position = position.ok_or_else(|| {
                let message = format!("There is no physical column {name} in table");
                Error::new(codes::NO_SUCH_COLUMN_IN_TABLE, message)
            })?;
            if values[position].is_some() {
                let message = "Multiple aggregations set for one column in TTL Expression";
                return Err(bad(message));
            }
            self.refuse_key(position, keys.len())?;
            values[position] = Some(self.value(name, expr, &stored[position].ty)?);
        }
        let any = stored.iter().map(|column| self.any(&column.ty)).collect();
        let mut ids = Vec::new();
        primary[..keys.len()].iter().for_each(|key| key.columns(&mut ids));
        let key_columns = ids.into_iter().map(|id| id.0 as usize).collect();
        let keys = keys.len();
        Ok(GroupExpiry { expires, text, keys, key_columns, set: values, any })
    }

    /// Fails if a column may not get another value, because its rows would belong elsewhere.
    fn refuse_key(&self, position: usize, keys: usize) -> Result<()> {
        let id = ColumnId(position as u32);
        let is_plain = |key: &Expr| matches!(key, Expr::Column { id: known, .. } if *known == id);
        let in_group = self.keys.sorting[..keys].iter().any(is_plain);
        if !in_group && !self.keys.partition_columns().contains(&position) {
            return Ok(());
        }
        let name = &self.schema.columns[position].name;
        let why = if in_group { "the GROUP BY of this TTL" } else { "the partition key" };
        Err(bad(format!("Column {name} cannot be SET, because it is in {why}: SET another column")))
    }

    /// The function that takes any value that is not NULL; `None` for a type without NULL.
    fn any(&self, ty: &DataType) -> Option<Arc<dyn Aggregate>> {
        let plain = ty.without_low_cardinality();
        let bound = || {
            registry::bind_aggregate("any", &[], std::slice::from_ref(&plain), self.context).ok()
        };
        if plain.is_nullable() { bound() } else { None }
    }

    /// Binds the value of a column over the rows of a group. Aggregates are bound by themselves,
    /// and the expression around them reads their results as columns.
    fn value(&self, name: &str, written: &ast::Expr, ty: &DataType) -> Result<GroupValue> {
        let (mut around, mut calls) = (written.clone(), Vec::new());
        take_aggregates(&mut around, &mut calls);
        if calls.is_empty() {
            return Err(bad(format!(
                "Invalid expression for assignment of column {name}. Should contain an aggregate \
                 function"
            )));
        }
        let mut known = self.known.to_vec();
        let mut aggregates = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            let aggregate = self.aggregate(call)?;
            known.push((result_name(at).into(), aggregate.function.return_type()));
            aggregates.push(aggregate);
        }
        let value = bind_expression(&around, &known, self.context)?;
        let value = bind::cast(value, ty, self.context)?;
        Ok(GroupValue { aggregates, value })
    }

    fn aggregate(&self, call: &ast::Function) -> Result<GroupAggregate> {
        let is_asterisk = |arg: &&ast::Expr| !matches!(arg.kind, ast::ExprKind::Asterisk(_));
        let args = call.args.iter().filter(is_asterisk);
        let args = args.map(|arg| bind_expression(arg, self.known, self.context));
        let args = args.collect::<Result<Vec<Expr>>>()?;
        let mut params = Vec::new();
        for param in call.parameters.iter().flatten() {
            match bind_expression(param, self.known, self.context)? {
                Expr::Literal { value, .. } => params.push(value),
                _ => {
                    let message = format!(
                        "Parameter for function '{}' expected to have constant value",
                        call.name
                    );
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
            }
        }
        let mut name = call.name.replacen("countDistinct", "uniqExact", 1);
        if call.nulls == ast::NullTreatment::Respect {
            name.push_str("_respect_nulls");
        }
        let types: Vec<DataType> = args.iter().map(|arg| arg.ty().clone()).collect();
        let function = registry::bind_aggregate(&name, &params, &types, self.context)?;
        Ok(GroupAggregate { function, args })
    }
}

/// The name under which an expression reads the result of an aggregate.
fn result_name(at: usize) -> String {
    format!("\u{1}{at}")
}

/// Takes the calls of aggregate functions out of an expression, and leaves names in their places.
fn take_aggregates(expr: &mut ast::Expr, calls: &mut Vec<ast::Function>) {
    let ast::ExprKind::Function(function) = &mut expr.kind else { return };
    if !registry::is_aggregate_name(&function.name) {
        return function.args.iter_mut().for_each(|arg| take_aggregates(arg, calls));
    }
    let name = ast::Ident::new(result_name(calls.len()));
    calls.push(std::mem::take(&mut **function));
    expr.kind = ast::ExprKind::Identifier(vec![name]);
}

/// The time that an expression gives, in seconds since 1970.
fn seconds(bound: Expr, written: &ast::Expr, context: &dyn FunctionContext) -> Result<Expr> {
    let is_time = matches!(
        bound.ty().storage(),
        DataType::Date | DataType::Date32 | DataType::DateTime(_) | DataType::DateTime64(..)
    );
    if !is_time {
        let message = format!(
            "TTL expression result column should have Date, Date32, DateTime or DateTime64 type, \
             but has {}",
            bound.ty()
        );
        return Err(Error::new(codes::BAD_TTL_EXPRESSION, message));
    }
    let mut ids = Vec::new();
    bound.columns(&mut ids);
    if ids.is_empty() {
        let message = format!(
            "TTL expression {} does not depend on any of the columns of the table",
            format_expr(written)
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let scale = Expr::literal(entasis_types::Value::UInt(0), DataType::UInt8);
    let precise = bind::call("toDateTime64", vec![bound, scale], context)?;
    bind::cast(precise, &DataType::Int64, context)
}
