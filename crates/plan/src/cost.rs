//! The cost model: the cost of an expression per row, and the share of rows that pass a condition.
//! Functions declare their own costs ([`entasis_function::Properties`]); this module adds what
//! follows from the form of an expression.

use entasis_expr::{ColumnId, Expr};
use entasis_function::Operation;
use entasis_types::{DataType, Value};

/// The cost of reading one byte of a column.
const READ_BYTE: f64 = 0.25;

/// The cost per row of reading the columns and running the functions, in the unit of
/// [`entasis_function::Cost`]. `bytes` returns the stored bytes per row of a column, if they are
/// known.
pub(crate) fn work(expr: &Expr, bytes: &dyn Fn(ColumnId) -> Option<f64>) -> f64 {
    let own =
        match expr {
            Expr::Column { id, ty } => bytes(*id).unwrap_or_else(|| width(ty)) * READ_BYTE,
            Expr::Literal { .. } | Expr::Scalar(_) | Expr::Correlated { .. } => 0.0,
            Expr::And(..) | Expr::Or(..) => 0.1,
            Expr::InSet { args, .. } => {
                if args.iter().any(|a| a.ty().without_nullable().is_string()) { 10.0 } else { 1.0 }
            }
            Expr::Call { function, args, .. } => {
                f64::from(function.properties.cost.of(args.iter().map(Expr::ty)))
            }
        };
    own + expr.children().into_iter().map(|c| work(c, bytes)).sum::<f64>()
}

/// The share of rows that pass a condition, estimated from its form alone.
pub(crate) fn passing(expr: &Expr) -> f64 {
    match expr {
        Expr::And(args, _) => args.iter().map(passing).product(),
        Expr::Or(args, _) => 1.0 - args.iter().map(|a| 1.0 - passing(a)).product::<f64>(),
        Expr::InSet { negated: true, .. } => 0.9,
        Expr::InSet { negated: false, .. } => 0.1,
        Expr::Call { function, args, .. } if function.operation() == Operation::Not => {
            1.0 - args.first().map_or(0.5, passing)
        }
        Expr::Call { function, args, .. } => {
            let selectivity = function.properties.selectivity;
            let part = if with_default(args) { selectivity.of_default } else { selectivity.usual };
            f64::from(part)
        }
        _ => 0.5,
    }
}

/// Whether one of two arguments is the constant 0 or ''.
fn with_default(args: &[Expr]) -> bool {
    args.iter().any(|arg| match arg {
        Expr::Literal { value: Value::String(text), .. } => text.is_empty(),
        Expr::Literal { value, .. } => value.as_f64() == Some(0.0),
        _ => false,
    })
}

/// About how many bytes a value of a type takes in memory.
pub(crate) fn width(ty: &DataType) -> f64 {
    ty.without_nullable().fixed_width().map_or(32.0, |w| w as f64)
}
