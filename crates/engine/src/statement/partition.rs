//! The partition that a statement names: by the value of the key or by its id.

use entasis_analyze::{bind, tree};
use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_function::FunctionContext;
use entasis_mergetree::MergeTreeTable;
use entasis_sql::ast::{self, Partition};
use entasis_table_api::Table;
use entasis_types::{DataType, Value};

/// The id of a partition of a table.
pub(crate) fn partition_of(
    table: &dyn Table,
    partition: &Partition,
    function_context: &dyn FunctionContext,
) -> Result<String> {
    let any: &dyn std::any::Any = table;
    let Some(table) = any.downcast_ref::<MergeTreeTable>() else {
        let message = format!("Engine {} has no partitions", table.engine());
        return Err(Error::new(codes::NOT_IMPLEMENTED, message));
    };
    let expr = match partition {
        Partition::All => {
            let message = "Only DROP, DETACH and ATTACH take PARTITION ALL: leave IN PARTITION out";
            return Err(Error::new(codes::SUPPORT_IS_DISABLED, message));
        }
        Partition::Id(id) => return Ok(id.clone()),
        Partition::Part(_) => {
            return Err(Error::not_implemented("PART in place of PARTITION in this statement"));
        }
        Partition::Expr(expr) => expr,
    };
    let types = types_of(table);
    let values = values_of(expr, function_context)?;
    if values.len() != types.len() {
        let message = format!(
            "Wrong number of fields in the partition expression: {}, must be: {}",
            values.len(),
            types.len()
        );
        return Err(Error::new(codes::INVALID_PARTITION_VALUE, message).at(expr.position));
    }
    let value = |(literal, ty)| converted(literal, ty, function_context);
    let values: Result<Vec<Value>> = values.into_iter().zip(&types).map(value).collect();
    table.partition_id(&values.map_err(|error| error.at(expr.position))?)
}

/// The types of the elements of the partition key.
fn types_of(table: &MergeTreeTable) -> Vec<DataType> {
    match table.partition_key().map(|key| (key, key.ty())) {
        None => Vec::new(),
        // A column that has tuples is one value.
        Some((Expr::Column { ty, .. }, _)) => vec![ty.clone()],
        Some((_, DataType::Tuple(tuple))) => tuple.types.clone(),
        Some((_, one)) => vec![one.clone()],
    }
}

/// The elements of the key as the statement gives them.
fn values_of(expr: &ast::Expr, function_context: &dyn FunctionContext) -> Result<Vec<Expr>> {
    let constant = |expr: &ast::Expr| entasis_analyze::bind_expression(expr, &[], function_context);
    Ok(match (tree::written_tuple(expr), constant(expr)?) {
        (Some(elements), _) => elements.iter().map(constant).collect::<Result<_>>()?,
        (None, Expr::Literal { value: Value::Tuple(values), ty: DataType::Tuple(of) }) => {
            let pairs = values.iter().zip(&of.types);
            pairs.map(|(value, ty)| Expr::literal(value.clone(), ty.clone())).collect()
        }
        (None, one) => vec![one],
    })
}

/// A value in the type of the key.
fn converted(
    literal: Expr,
    ty: &DataType,
    function_context: &dyn FunctionContext,
) -> Result<Value> {
    let Expr::Literal { value: before, .. } = literal.clone() else { return Err(no_constant()) };
    let wrong = |error: Error| {
        let message = format!("Cannot convert the value of PARTITION to type {ty}: {error}");
        Error::new(codes::TYPE_MISMATCH, message)
    };
    let cast = bind::cast_literal(literal, ty, function_context).map_err(wrong)?;
    let Expr::Literal { value: after, .. } = cast else { return Err(no_constant()) };
    if before.compare_numbers(&after).is_some_and(std::cmp::Ordering::is_ne) {
        let message = format!("Cannot convert value {before:?}: it cannot be represented as {ty}");
        return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
    }
    Ok(after)
}

#[cold]
fn no_constant() -> Error {
    Error::new(codes::INVALID_PARTITION_VALUE, "A partition is named by constants")
}
