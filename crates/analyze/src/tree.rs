//! Work on typed expressions: rewriting, conjuncts. Used by `plan` as well.

use std::sync::Arc;

pub use entasis_expr::same;
use entasis_expr::{ColumnId, Expr, Lambda};
use entasis_function::Determinism;
use entasis_types::{DataType, Value};

/// Rewrites from the top: where `f` answers an expression it replaces the whole subtree, elsewhere
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

/// [`rewrite`] with columns replaced by expressions; lambdas' parameters have ids of their own and
/// are never replaced.
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

/// Nodes of an expression, written out: parts that it shares count wherever they stand.
pub fn size(expr: &Expr) -> usize {
    substituted_size(expr, &|_| 1)
}

/// [`size`] of what [`substitute`] would make, with `of` the size of what a column becomes.
pub fn substituted_size(expr: &Expr, of: &impl Fn(ColumnId) -> usize) -> usize {
    match expr {
        Expr::Column { id, .. } => of(*id),
        _ => expr
            .children()
            .into_iter()
            .fold(1, |sum: usize, child| sum.saturating_add(substituted_size(child, of))),
    }
}

/// Whether `f` holds for the expression or anything in it.
pub fn any(expr: &Expr, f: &mut impl FnMut(&Expr) -> bool) -> bool {
    f(expr) || expr.children().into_iter().any(|child| any(child, f))
}

/// Whether every evaluation gives the same: no `rand()` inside.
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

/// Whether a constant condition lets rows through; `None` if the condition is not constant.
pub fn truth(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::Literal { value: Value::Null, .. } => Some(false),
        Expr::Literal { value, .. } => value.as_f64().map(|v| v != 0.0),
        _ => None,
    }
}

/// `1` and `0` as the result of a condition.
pub fn bool_literal(value: bool, ty: DataType) -> Expr {
    Expr::literal(Value::UInt(u64::from(value)), ty)
}
