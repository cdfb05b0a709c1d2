//! Expressions in VALUES, such as `now() - 5` and `generateUUIDv4()`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Error, Result};
use entasis_column::Chunk;
use entasis_expr::{Expr, Program};
use entasis_format::Evaluator;
use entasis_function::FunctionContext;
use entasis_types::{DataType, Value};

use crate::settings::function_context::StatementContext;

/// Programs of expressions whose result is another one in each row, by text and type. A program
/// that was made anew would begin with the same random number again.
type Programs = Mutex<HashMap<(String, DataType), Arc<Program>>>;

/// Evaluates the expressions of one INSERT.
pub(super) fn evaluator(context: StatementContext) -> Evaluator {
    let programs = Programs::default();
    Evaluator::new(move |text, ty| evaluate(text, ty, &context, &programs))
}

fn evaluate(
    text: &str,
    ty: &DataType,
    context: &StatementContext,
    programs: &Programs,
) -> Result<Value> {
    let key = (text.to_owned(), ty.clone());
    let known = lock(programs).get(&key).cloned();
    if let Some(known) = known {
        return value_of(&known);
    }
    let bound = match bound(text, ty, context)? {
        Expr::Literal { value, .. } => return Ok(value),
        bound => bound,
    };
    let program = Arc::new(Program::new(&[bound], &[])?);
    lock(programs).insert(key, Arc::clone(&program));
    value_of(&program)
}

fn value_of(program: &Program) -> Result<Value> {
    let made = program.run(&Chunk::new(Vec::new(), 1))?;
    let value = made.first().map(|column| column.value(0));
    value.ok_or_else(|| Error::logical("an expression without a result"))
}

/// The expression in the column's type.
fn bound(text: &str, ty: &DataType, context: &dyn FunctionContext) -> Result<Expr> {
    let expr = entasis_sql::parse_expression(text)?;
    let bound = entasis_analyze::bind_expression(&expr, &[], context)?;
    if bound.constant() == Some(Value::Null) {
        return Ok(bound); // for the column's default, if it cannot hold NULL
    }
    let is_text = bound.ty().without_nullable().is_string();
    match ty.as_variant() {
        Some(_) if !is_text => entasis_analyze::bind::cast_literal(bound, ty, context),
        _ => entasis_analyze::bind::cast(bound, ty, context),
    }
}
