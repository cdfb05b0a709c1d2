//! Structural equality of expressions, for the elimination of common subexpressions, GROUP BY and
//! the planner.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use entasis_types::Value;

use crate::{ColumnId, Expr, Lambda, SetSlot};

/// A hash that is equal for expressions that are [`same`].
pub(crate) fn fingerprint(expr: &Expr) -> u64 {
    let mut state = DefaultHasher::new();
    write(expr, &mut state);
    state.finish()
}

fn write(expr: &Expr, state: &mut DefaultHasher) {
    std::mem::discriminant(expr).hash(state);
    match expr {
        Expr::Column { id, .. } => id.hash(state),
        Expr::Literal { value, ty } => {
            ty.hash(state);
            match value {
                Value::UInt(v) => v.hash(state),
                Value::Int(v) => v.hash(state),
                Value::Float(v) => v.to_bits().hash(state),
                Value::String(v) => v.hash(state),
                _ => {}
            }
        }
        Expr::Call { function, args, .. } => {
            function.name.hash(state);
            for a in args.iter() {
                write(a, state);
            }
        }
        Expr::And(args, _)
        | Expr::Or(args, _)
        | Expr::InSet { args, .. }
        | Expr::Correlated { args, .. } => {
            for a in args.iter() {
                write(a, state);
            }
        }
        Expr::Scalar(slot) => Arc::as_ptr(slot).hash(state),
    }
}

/// Whether both expressions compute the same value for every row of a chunk: they call the same
/// functions with the same columns and constants. Parameters of lambdas are compared by their
/// positions. As in the reference, even functions such as `rand()` are the same as themselves:
/// `rand() = rand()`.
pub fn same(a: &Expr, b: &Expr) -> bool {
    same_in(a, b, &mut Vec::new())
}

/// Pairs of parameters of the enclosing lambdas.
type Params = Vec<(ColumnId, ColumnId)>;

fn same_in(a: &Expr, b: &Expr, params: &mut Params) -> bool {
    match (a, b) {
        (Expr::Column { id: x, .. }, Expr::Column { id: y, .. }) => {
            x == y || params.contains(&(*x, *y))
        }
        (Expr::Literal { value: x, ty: s }, Expr::Literal { value: y, ty: t }) => {
            s == t && same_value(x, y)
        }
        (
            Expr::Call { function: f, args: x, lambda: l },
            Expr::Call { function: g, args: y, lambda: m },
        ) => {
            (Arc::ptr_eq(f, g) || (f.name == g.name && f.return_type == g.return_type))
                && same_all(x, y, params)
                && same_lambda(l.as_ref(), m.as_ref(), params)
        }
        (Expr::And(x, s), Expr::And(y, t)) | (Expr::Or(x, s), Expr::Or(y, t)) => {
            s == t && same_all(x, y, params)
        }
        (
            Expr::InSet { args: x, set: s, negated: n, .. },
            Expr::InSet { args: y, set: t, negated: m, .. },
        ) => n == m && same_set(s, t) && same_all(x, y, params),
        (Expr::Scalar(x), Expr::Scalar(y)) => Arc::ptr_eq(x, y),
        (Expr::Correlated { args: x, subquery: s }, Expr::Correlated { args: y, subquery: t }) => {
            Arc::ptr_eq(s, t) && same_all(x, y, params)
        }
        _ => false,
    }
}

fn same_all(a: &Arc<[Expr]>, b: &Arc<[Expr]>, params: &mut Params) -> bool {
    if params.is_empty() && Arc::ptr_eq(a, b) {
        return true;
    }
    a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| same_in(x, y, params))
}

fn same_lambda(a: Option<&Arc<Lambda>>, b: Option<&Arc<Lambda>>, params: &mut Params) -> bool {
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

/// Sets built from few literals are equal if their members are.
fn same_set(a: &Arc<SetSlot>, b: &Arc<SetSlot>) -> bool {
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

/// Compares bit by bit: 0 and -0 differ, and NaN equals itself.
fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => x.to_bits() == y.to_bits(),
        (Value::Array(x), Value::Array(y)) | (Value::Tuple(x), Value::Tuple(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(v, w)| same_value(v, w))
        }
        _ => a == b,
    }
}
