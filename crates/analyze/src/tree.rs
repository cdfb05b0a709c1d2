//! Work on typed expressions: structural equality, rewriting, conjuncts. Used by `plan` as well.

use std::sync::Arc;

use entasis_expr::{ColumnId, Expr, Lambda};
use entasis_function::Determinism;
use entasis_types::{DataType, Value};

/// Whether two expressions compute the same: same functions over same columns and constants.
/// Parameters of lambdas are compared by place.
pub fn same(a: &Expr, b: &Expr) -> bool {
    same_in(a, b, &mut Vec::new())
}

fn same_in(a: &Expr, b: &Expr, params: &mut Vec<(ColumnId, ColumnId)>) -> bool {
    match (a, b) {
        (Expr::Column { id: x, .. }, Expr::Column { id: y, .. }) => {
            x == y || params.contains(&(*x, *y))
        }
        (Expr::Literal { value: v, ty: t }, Expr::Literal { value, ty }) => {
            t == ty && same_value(v, value)
        }
        (
            Expr::Call { function: f, args: x, lambda: l },
            Expr::Call { function, args: y, lambda },
        ) => {
            let heads = Arc::ptr_eq(f, function)
                || (f.name == function.name && f.return_type == function.return_type);
            heads && same_all(x, y, params) && same_lambda(l.as_deref(), lambda.as_deref(), params)
        }
        (Expr::And(x, t), Expr::And(y, u)) | (Expr::Or(x, t), Expr::Or(y, u)) => {
            t == u && same_all(x, y, params)
        }
        (
            Expr::InSet { args: x, set: s, negated: n, .. },
            Expr::InSet { args: y, set, negated, .. },
        ) => n == negated && same_set(s, set) && same_all(x, y, params),
        (Expr::Scalar(x), Expr::Scalar(y)) => Arc::ptr_eq(x, y),
        _ => false,
    }
}

fn same_all(a: &[Expr], b: &[Expr], params: &mut Vec<(ColumnId, ColumnId)>) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same_in(x, y, params))
}

fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => x.to_bits() == y.to_bits(),
        _ => a == b,
    }
}

/// Sets built from literals are equal if their few members are.
fn same_set(a: &Arc<entasis_expr::SetSlot>, b: &Arc<entasis_expr::SetSlot>) -> bool {
    if Arc::ptr_eq(a, b) {
        return true;
    }
    let (Some(x), Some(y)) = (a.set.get(), b.set.get()) else { return false };
    if a.types != b.types || x.len() != y.len() {
        return false;
    }
    let (Some(x), Some(y)) = (x.members(), y.members()) else { return false };
    x.iter().zip(&y).all(|(x, y)| {
        x.len() == y.len() && (0..x.len()).all(|i| same_value(&x.value(i), &y.value(i)))
    })
}

fn same_lambda(
    a: Option<&Lambda>,
    b: Option<&Lambda>,
    params: &mut Vec<(ColumnId, ColumnId)>,
) -> bool {
    let (a, b) = match (a, b) {
        (None, None) => return true,
        (Some(a), Some(b)) if a.params.len() == b.params.len() => (a, b),
        _ => return false,
    };
    let before = params.len();
    params.extend(a.params.iter().zip(&b.params).map(|(x, y)| (x.0, y.0)));
    let result = same_in(&a.body, &b.body, params);
    params.truncate(before);
    result
}

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
