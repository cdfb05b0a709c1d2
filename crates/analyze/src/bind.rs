//! Calls bound to definitions: constant folding, casts, AND and OR.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_expr::program::Program;
use entasis_expr::{Expr, Lambda};
use entasis_function::{
    Arg, BoundFunction, Determinism, Folds, FunctionContext, FunctionDef, registry,
};
use entasis_types::{DataType, Value};

use crate::{budget, literal, tree};

/// Arrays longer than this are computed when the query runs, not kept as literals.
const MAX_FOLDED_ELEMENTS: usize = 10_000;

/// A call of a scalar function by name, folded if all arguments are constants.
pub fn call(name: &str, args: Vec<Expr>, context: &dyn FunctionContext) -> Result<Expr> {
    call_def(registry::scalar(name)?, args, context)
}

/// [`call`] for a definition that was looked up before.
pub fn call_def(
    def: &'static FunctionDef,
    args: Vec<Expr>,
    context: &dyn FunctionContext,
) -> Result<Expr> {
    let bound_args: Vec<Arg> = args.iter().map(argument).collect();
    let function = BoundFunction::bind(def, &bound_args, context)?;
    if !function.takes_lambda()
        && is_fixed(&function, &args)
        && let Some(folded) = fold(&function, &args)?
    {
        return Ok(folded);
    }
    Ok(Expr::call(function, args))
}

/// Whether a call has one value that is known now.
fn is_fixed(function: &BoundFunction, args: &[Expr]) -> bool {
    let folds = function.properties.folds;
    let of_types = match folds {
        Folds::Never => return false,
        Folds::OfConstants => function.return_type.is_null_literal(),
        Folds::OfTypes => return true,
        Folds::OfTypesWithoutNull => {
            args.iter().all(|arg| !arg.ty().has_null() && !arg.ty().has_variant())
        }
    };
    function.determinism != Determinism::PerRow
        && (of_types || args.iter().all(|arg| matches!(arg, Expr::Literal { .. })))
}

/// Whether the expression has one value that is known before any row is read. Scalar subqueries
/// count as such.
pub fn is_constant(expr: &Expr) -> bool {
    !tree::any(expr, &mut |e| match e {
        Expr::Column { .. } => true,
        Expr::Call { function, .. } => {
            function.determinism == Determinism::PerRow || function.properties.folds == Folds::Never
        }
        _ => false,
    })
}

/// A call whose first argument is a lambda.
pub fn call_with_lambda(
    def: &'static FunctionDef,
    lambda: Lambda,
    args: Vec<Expr>,
    context: &dyn FunctionContext,
) -> Result<Expr> {
    let result = Arg { ty: lambda.body.ty().clone(), constant: None, is_lambda: true };
    let bound_args: Vec<Arg> = std::iter::once(result).chain(args.iter().map(argument)).collect();
    let function = BoundFunction::bind(def, &bound_args, context)?;
    let fixed = is_fixed(&function, &args) && is_constant_body(&lambda);
    let call = Expr::Call { function, args: args.into(), lambda: Some(Arc::new(lambda)) };
    if !fixed {
        return Ok(call);
    }
    let columns = Program::new(std::slice::from_ref(&call), &[])?.run_columns(&[], 1)?;
    Ok(match columns.first().and_then(known_value) {
        Some(value) => Expr::literal(value, call.ty().clone()),
        None => call,
    })
}

/// Whether the body of a lambda reads nothing but the lambda's parameters, and gives the same
/// result whenever it is evaluated.
fn is_constant_body(lambda: &Lambda) -> bool {
    let mut ids = Vec::new();
    lambda.body.columns(&mut ids);
    ids.iter().all(|id| lambda.params.iter().any(|(param, _)| param == id)) && !varies(&lambda.body)
}

/// Whether an expression, which may contain lambdas, can have another value when it is evaluated
/// again, or has none yet.
fn varies(expr: &Expr) -> bool {
    tree::any(expr, &mut |part| match part {
        Expr::Call { function, lambda, .. } => {
            function.determinism == Determinism::PerRow
                || function.properties.folds == Folds::Never
                || lambda.as_ref().is_some_and(|lambda| varies(&lambda.body))
        }
        Expr::InSet { .. } | Expr::Scalar(_) | Expr::Correlated { .. } => true,
        _ => false,
    })
}

/// The value of a column of one row, unless it is too long to be kept in a query.
fn known_value(column: &Column) -> Option<Value> {
    match column.full() {
        Column::Array(array) if array.flat().1.len() > MAX_FOLDED_ELEMENTS => None,
        column => Some(column.value(0)),
    }
}

/// The argument that a binder sees for the expression.
pub fn argument(expr: &Expr) -> Arg {
    match expr {
        Expr::Literal { value, ty } => Arg::constant(ty.clone(), value.clone()),
        other => Arg::column(other.ty().clone()),
    }
}

fn fold(function: &BoundFunction, args: &[Expr]) -> Result<Option<Expr>> {
    budget::ask_for(args.iter().filter_map(|arg| match arg {
        Expr::Literal { value, .. } => Some(value),
        _ => None,
    }))?;
    let columns: Vec<Column> = args
        .iter()
        .map(|a| match a {
            Expr::Literal { value, ty } => Column::from_value(ty, value, 1),
            // The call does not look at the value.
            other => Column::default_of(other.ty(), 1),
        })
        .collect();
    if function.return_type.is_null_literal() {
        return Ok(Some(Expr::literal(Value::Null, function.return_type.clone())));
    }
    let result = function.call(&columns, 1)?;
    let value = known_value(&result);
    Ok(value.map(|value| Expr::literal(value, function.return_type.clone())))
}

/// Converts a branch of `if`, `array` and the like to the common type `ty`. Unlike with [`cast`],
/// text that becomes a Variant stays text.
pub fn cast_branch(expr: Expr, ty: &DataType, context: &dyn FunctionContext) -> Result<Expr> {
    if expr.ty() == ty || !ty.has_variant() {
        return cast(expr, ty, context);
    }
    let name = Expr::literal(Value::from(ty.to_string().as_str()), DataType::String);
    call("_CAST", vec![expr, name], context)
}

/// Converts a literal of a statement to `ty`. If `ty` is a Variant, the value takes the alternative
/// of its own type. If there is none (a literal has the narrowest type that holds it), it takes the
/// alternative as which its text can be read.
pub fn cast_literal(literal: Expr, ty: &DataType, context: &dyn FunctionContext) -> Result<Expr> {
    match cast_branch(literal.clone(), ty, context) {
        Err(_) if ty.as_variant().is_some() => {
            let text = cast(literal, &DataType::String, context)?;
            cast(text, ty, context)
        }
        cast => cast,
    }
}

/// A member of `IN` as a value of the Variant `to`; `None` if no row can hold it. A value whose
/// type is no alternative is the number that it is, or what its text spells.
pub fn variant_member(
    value: &Value,
    from: &DataType,
    (to, types): (&DataType, &[DataType]),
    context: &dyn FunctionContext,
) -> Option<Value> {
    let member = Expr::literal(value.clone(), from.clone());
    let cast = match value {
        _ if types.contains(from) => cast_branch(member, to, context),
        Value::String(_) => cast_literal(member, to, context),
        number => return literal::as_alternative(number, types),
    };
    match cast {
        Ok(Expr::Literal { value, .. }) => Some(value),
        _ => None,
    }
}

/// Converts the expression to `ty`; returns it unchanged if it has that type.
pub fn cast(expr: Expr, ty: &DataType, context: &dyn FunctionContext) -> Result<Expr> {
    if expr.ty() == ty {
        return Ok(expr);
    }
    if let Expr::Literal { value, ty: from } = &expr {
        let number = |t: &DataType| t.is_any_number() && *t != DataType::Bool;
        let plain = ty.without_nullable();
        if value.is_null() && ty.is_nullable() {
            return Ok(Expr::literal(Value::Null, ty.clone()));
        }
        if !value.is_null() && from.without_nullable() == plain && ty.is_nullable() {
            return Ok(Expr::literal(value.clone(), ty.clone()));
        }
        if number(from)
            && number(plain)
            && let Some(value) = literal::exact_number(value, plain)
        {
            return Ok(Expr::literal(value, ty.clone()));
        }
    }
    let name = Expr::literal(Value::from(ty.to_string().as_str()), DataType::String);
    call("CAST", vec![expr, name], context)
}

/// The connective of a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Connective {
    /// `and`.
    And,
    /// `or`.
    Or,
}

impl Connective {
    fn name(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Or => "or",
        }
    }

    /// The truth value of an operand that decides the value of the whole condition: false for AND,
    /// true for OR.
    fn decisive(self) -> bool {
        self == Self::Or
    }

    fn build(self, args: Vec<Expr>, ty: DataType) -> Expr {
        match self {
            Self::And => Expr::And(args.into(), ty),
            Self::Or => Expr::Or(args.into(), ty),
        }
    }
}

/// Builds `a AND b AND ...` or `a OR b OR ...`: nested operands are flattened, and constants are
/// folded.
pub fn connect(connective: Connective, args: Vec<Expr>) -> Result<Expr> {
    let ty = connective_type(connective, &args)?;
    let mut flat = Vec::with_capacity(args.len());
    for arg in args {
        match (connective, arg) {
            (Connective::And, Expr::And(inner, _)) | (Connective::Or, Expr::Or(inner, _)) => {
                flat.extend(inner.iter().cloned());
            }
            (_, other) => flat.push(other),
        }
    }
    let decisive = connective.decisive();
    if flat.iter().any(|e| !is_null(e) && tree::truth(e) == Some(decisive)) {
        return Ok(tree::bool_literal(decisive, ty));
    }
    flat.retain(|e| is_null(e) || tree::truth(e) != Some(!decisive));
    if flat.is_empty() {
        return Ok(tree::bool_literal(!decisive, ty));
    }
    if flat.iter().all(is_null) {
        return Ok(Expr::literal(Value::Null, ty));
    }
    Ok(connective.build(flat, ty))
}

fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal { value: Value::Null, .. })
}

fn connective_type(connective: Connective, args: &[Expr]) -> Result<DataType> {
    let name = connective.name();
    if args.len() < 2 {
        return Err(Error::new(
            codes::TOO_FEW_ARGUMENTS_FOR_FUNCTION,
            format!(
                "Number of arguments for function {name} should be at least 2: passed {}",
                args.len()
            ),
        ));
    }
    let mut base = DataType::UInt8;
    for (i, arg) in args.iter().enumerate() {
        let plain = arg.ty().without_nullable();
        if *arg.ty() == DataType::Bool {
            base = DataType::Bool;
        } else if !plain.is_native_number() && *plain != DataType::Nothing {
            return Err(Error::new(
                codes::ILLEGAL_TYPE_OF_ARGUMENT,
                format!("Illegal type ({}) of {} argument of function {name}", arg.ty(), i + 1),
            ));
        }
    }
    let nullable = args.iter().any(|a| a.ty().is_nullable());
    Ok(if nullable { DataType::nullable(base) } else { base })
}

/// Fails if the type of the expression is not allowed for a condition. The error names `clause`.
pub fn check_condition(expr: &Expr, clause: &str) -> Result<()> {
    let plain = expr.ty().without_nullable();
    if plain.is_native_number() || *plain == DataType::Nothing {
        return Ok(());
    }
    Err(Error::new(
        codes::ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER,
        format!("Invalid type for filter in {clause}: {}", expr.ty()),
    ))
}
