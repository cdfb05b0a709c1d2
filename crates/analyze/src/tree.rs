//! Operations on typed expressions: rewriting, conjuncts. `plan` uses them too.

use std::sync::Arc;

use entasis_base::Error;
pub use entasis_expr::same;
use entasis_expr::{ColumnId, Expr, Lambda};
use entasis_function::{Determinism, Operation, registry};
use entasis_sql::ast;
use entasis_types::{DataType, Value};

use crate::bind::{Connective, connect};

/// Rewrites from the top: where `f` returns an expression, it replaces the whole subtree; elsewhere
/// the children are rewritten. `None` if nothing changed.
pub fn rewrite<E>(
    expr: &Expr,
    f: &mut impl FnMut(&Expr) -> Result<Option<Expr>, E>,
) -> Result<Option<Expr>, E> {
    if let Some(new) = f(expr)? {
        return Ok(Some(new));
    }
    Ok(match expr {
        Expr::Column { .. } | Expr::Literal { .. } | Expr::Scalar(_) => None,
        Expr::Call { function, args, lambda } => {
            let new_args = rewrite_all(args, f)?;
            let new_lambda = match lambda {
                Some(l) => rewrite(&l.body, f)?
                    .map(|body| Arc::new(Lambda { params: l.params.clone(), body })),
                None => None,
            };
            (new_args.is_some() || new_lambda.is_some()).then(|| Expr::Call {
                function: Arc::clone(function),
                args: new_args.unwrap_or_else(|| Arc::clone(args)),
                lambda: new_lambda.or_else(|| lambda.clone()),
            })
        }
        Expr::And(args, ty) => rewrite_all(args, f)?.map(|args| Expr::And(args, ty.clone())),
        Expr::Or(args, ty) => rewrite_all(args, f)?.map(|args| Expr::Or(args, ty.clone())),
        Expr::InSet { args, set, negated, ty } => rewrite_all(args, f)?.map(|args| Expr::InSet {
            args,
            set: Arc::clone(set),
            negated: *negated,
            ty: ty.clone(),
        }),
    })
}

fn rewrite_all<E>(
    args: &Arc<[Expr]>,
    f: &mut impl FnMut(&Expr) -> Result<Option<Expr>, E>,
) -> Result<Option<Arc<[Expr]>>, E> {
    let mut new: Option<Vec<Expr>> = None;
    for (i, arg) in args.iter().enumerate() {
        if let Some(changed) = rewrite(arg, f)? {
            new.get_or_insert_with(|| args.to_vec())[i] = changed;
        }
    }
    Ok(new.map(Into::into))
}

/// [`rewrite`] that replaces columns by expressions. The parameters of lambdas have ids of their
/// own and are never replaced.
pub fn substitute(expr: &Expr, of: &impl Fn(ColumnId) -> Option<Expr>) -> Expr {
    let replaced = rewrite::<std::convert::Infallible>(expr, &mut |e| {
        Ok(match e {
            Expr::Column { id, .. } => of(*id),
            _ => None,
        })
    });
    match replaced {
        Ok(new) => new.unwrap_or_else(|| expr.clone()),
    }
}

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

/// Whether every evaluation gives the same value, that is, there is no `rand()` or the like inside.
pub fn is_deterministic(expr: &Expr) -> bool {
    !any(expr, &mut |e| match e {
        Expr::Call { function, .. } => function.determinism == Determinism::PerRow,
        _ => false,
    })
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
