//! Rewriting of expressions.

use std::convert::Infallible;
use std::sync::Arc;

use entasis_function::Determinism;

use crate::{ColumnId, Expr, Lambda};

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
        Expr::Correlated { args, subquery } => rewrite_all(args, f)?
            .map(|args| Expr::Correlated { args, subquery: Arc::clone(subquery) }),
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

/// [`rewrite`] that cannot fail: the expression as it was if nothing is replaced.
pub fn replaced(expr: &Expr, f: &mut impl FnMut(&Expr) -> Option<Expr>) -> Expr {
    let new = rewrite::<Infallible>(expr, &mut |e| Ok(f(e)));
    match new {
        Ok(new) => new.unwrap_or_else(|| expr.clone()),
    }
}

/// [`replaced`] for columns. The parameters of lambdas have ids of their own and are never
/// replaced.
pub fn substitute(expr: &Expr, of: &impl Fn(ColumnId) -> Option<Expr>) -> Expr {
    replaced(expr, &mut |e| match e {
        Expr::Column { id, .. } => of(*id),
        _ => None,
    })
}

/// Whether every evaluation gives the same value, that is, there is no `rand()` or the like inside.
pub fn is_deterministic(expr: &Expr) -> bool {
    let varies = match expr {
        Expr::Call { function, .. } => function.determinism == Determinism::PerRow,
        _ => false,
    };
    !varies && expr.children().into_iter().all(is_deterministic)
}
