//! The cost of running expressions, as the functions in them declare it.

use crate::Expr;

/// The cost per row of the outermost step of an expression, in the unit of
/// [`entasis_function::Cost`]: about one nanosecond. Columns and constants cost nothing here.
pub fn of_step(expr: &Expr) -> f64 {
    match expr {
        Expr::Column { .. } | Expr::Literal { .. } => 0.0,
        Expr::Scalar(_) | Expr::Correlated { .. } => 0.0,
        Expr::And(..) | Expr::Or(..) => 0.1,
        Expr::InSet { args, .. } => {
            if args.iter().any(|a| a.ty().without_nullable().is_string()) {
                10.0
            } else {
                1.0
            }
        }
        Expr::Call { function, args, .. } => {
            // The name of a type in a cast, for example, says nothing about what is converted.
            let vary = args.iter().filter(|arg| !matches!(arg, Expr::Literal { .. }));
            f64::from(function.properties.cost.of(vary.map(Expr::ty)))
        }
    }
}

/// The cost per row of all steps of an expression.
pub fn of(expr: &Expr) -> f64 {
    of_step(expr) + expr.children().into_iter().map(of).sum::<f64>()
}
