//! Operations on typed expressions: rewriting, conjuncts. `plan` uses them too.

use entasis_base::Error;
use entasis_expr::{ColumnId, Expr};
pub use entasis_expr::{is_deterministic, rewrite, same, substitute};
use entasis_function::{Operation, registry};
use entasis_sql::ast;
use entasis_types::{DataType, Value};

use crate::bind::{Connective, connect};

/// The number of nodes of an expression when it is written out: shared parts count at each place.
pub fn size(expr: &Expr) -> usize {
    substituted_size(expr, &|_| 1)
}

/// [`size`] of the result of [`substitute`]; `of` gives the size of the expression that replaces a
/// column.
pub fn substituted_size(expr: &Expr, of: &impl Fn(ColumnId) -> usize) -> usize {
    match expr {
        Expr::Column { id, .. } => of(*id),
        _ => expr
            .children()
            .into_iter()
            .fold(1, |sum: usize, child| sum.saturating_add(substituted_size(child, of))),
    }
}

/// Whether `f` holds for the expression or for a part of it.
pub fn any(expr: &Expr, f: &mut impl FnMut(&Expr) -> bool) -> bool {
    f(expr) || expr.children().into_iter().any(|child| any(child, f))
}

/// Splits a condition into conjuncts, in order. Constants that are true are left out.
pub fn conjuncts(condition: Expr, out: &mut Vec<Expr>) {
    match condition {
        Expr::And(args, _) => args.iter().for_each(|arg| conjuncts(arg.clone(), out)),
        other => {
            if truth(&other) != Some(true) {
                out.push(other);
            }
        }
    }
}

/// Moves conditions that occur in every branch of an OR out of it: `(a AND b) OR (a AND c)` becomes
/// `a AND (b OR c)`, which is NULL for the same rows. Also works below AND.
pub fn factored(condition: Expr) -> Expr {
    factor(condition.clone()).unwrap_or(condition)
}

fn factor(condition: Expr) -> Result<Expr, Error> {
    match condition {
        Expr::And(args, _) => {
            let args = args.iter().map(|arg| factor(arg.clone())).collect::<Result<_, _>>()?;
            connect(Connective::And, args)
        }
        Expr::Or(args, ty) => {
            let mut branches = Vec::with_capacity(args.len());
            for arg in args.iter() {
                let mut branch = Vec::new();
                conjuncts(factor(arg.clone())?, &mut branch);
                branches.push(branch);
            }
            let (mut common, rest) = take_common(branches);
            if common.is_empty() {
                return Ok(Expr::Or(args, ty));
            }
            // A branch without further conditions holds wherever the common conditions hold.
            if rest.iter().all(|branch| !branch.is_empty()) {
                let rest = rest.into_iter().map(|branch| all_of(Connective::And, branch));
                let rest = rest.collect::<Result<_, _>>()?;
                common.push(all_of(Connective::Or, rest)?);
            }
            all_of(Connective::And, common)
        }
        other => Ok(other),
    }
}

/// The conjuncts that every branch has, and the remaining conjuncts of each branch.
fn take_common(mut branches: Vec<Vec<Expr>>) -> (Vec<Expr>, Vec<Vec<Expr>>) {
    let mut common: Vec<Expr> = Vec::new();
    let Some((first, others)) = branches.split_first_mut() else { return (common, branches) };
    first.retain(|conjunct| {
        let everywhere = is_deterministic(conjunct)
            && others.iter().all(|branch| branch.iter().any(|other| same(conjunct, other)));
        if everywhere {
            common.push(conjunct.clone());
        }
        !everywhere
    });
    for branch in others {
        branch.retain(|conjunct| !common.iter().any(|known| same(known, conjunct)));
    }
    (common, branches)
}

/// Connects the conditions; a single condition stays as it is.
fn all_of(connective: Connective, mut conditions: Vec<Expr>) -> Result<Expr, Error> {
    match conditions.pop() {
        Some(only) if conditions.is_empty() => Ok(only),
        last => {
            conditions.extend(last);
            connect(connective, conditions)
        }
    }
}

/// Whether a constant condition lets rows through; `None` if the condition is not constant.
pub fn truth(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::Literal { value: Value::Null, .. } => Some(false),
        Expr::Literal { value, .. } => value.as_f64().map(|v| v != 0.0),
        _ => None,
    }
}

/// The elements of a tuple that is written as such: `(a, b)`.
pub fn written_tuple(expr: &ast::Expr) -> Option<&[ast::Expr]> {
    let function = expr.as_function()?;
    let def = registry::find_scalar(&function.name)?;
    (def.properties.operation == Operation::Tuple).then_some(&function.args[..])
}

/// `1` and `0` as the result of a condition.
pub fn bool_literal(value: bool, ty: DataType) -> Expr {
    Expr::literal(Value::UInt(u64::from(value)), ty)
}
