//! Structural equality of expressions: what common-subexpression elimination calls the same.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use entasis_types::Value;

use crate::Expr;

/// A hash that is equal for expressions that are the [`same`].
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
        Expr::And(args, _) | Expr::Or(args, _) | Expr::InSet { args, .. } => {
            for a in args.iter() {
                write(a, state);
            }
        }
        Expr::Scalar(slot) => Arc::as_ptr(slot).hash(state),
    }
}

/// Whether both compute the same value on every row of one chunk. A function that answers anew
/// for every row is the same as itself, too, as in the reference: `rand() = rand()`.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Column { id: x, .. }, Expr::Column { id: y, .. }) => x == y,
        (Expr::Literal { value: x, ty: s }, Expr::Literal { value: y, ty: t }) => {
            s == t && same_value(x, y)
        }
        (
            Expr::Call { function: f, args: x, lambda: l },
            Expr::Call { function: g, args: y, lambda: m },
        ) => {
            let lambdas = match (l, m) {
                (None, None) => true,
                (Some(l), Some(m)) => Arc::ptr_eq(l, m),
                _ => false,
            };
            lambdas
                && (Arc::ptr_eq(f, g) || (f.name == g.name && f.return_type == g.return_type))
                && same_all(x, y)
        }
        (Expr::And(x, s), Expr::And(y, t)) | (Expr::Or(x, s), Expr::Or(y, t)) => {
            s == t && same_all(x, y)
        }
        (
            Expr::InSet { args: x, set: s, negated: n, .. },
            Expr::InSet { args: y, set: t, negated: m, .. },
        ) => Arc::ptr_eq(s, t) && n == m && same_all(x, y),
        (Expr::Scalar(x), Expr::Scalar(y)) => Arc::ptr_eq(x, y),
        _ => false,
    }
}

fn same_all(a: &Arc<[Expr]>, b: &Arc<[Expr]>) -> bool {
    Arc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| same(x, y)))
}

/// Bit for bit: 0 and -0 differ, NaN is itself.
fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::UInt(x), Value::UInt(y)) => x == y,
        (Value::Int(x), Value::Int(y)) => x == y,
        (Value::Float(x), Value::Float(y)) => x.to_bits() == y.to_bits(),
        (Value::String(x), Value::String(y)) => x == y,
        (Value::Array(x), Value::Array(y)) | (Value::Tuple(x), Value::Tuple(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(v, w)| same_value(v, w))
        }
        _ => false,
    }
}
