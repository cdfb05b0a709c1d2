//! Conjuncts in the order in which they are worth evaluating: cheap and selective ones first.

use entasis_expr::{ColumnId, Expr};
use entasis_table::{ScanSpec, Snapshot};
use entasis_types::{DataType, Physical, Value};

use super::map_inputs;
use crate::Plan;

/// Orders the conjuncts of scans and filters.
pub(crate) fn conjuncts(plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut conjuncts);
    match plan {
        Plan::Scan { table, name, types, mut spec } => {
            if spec.filter.len() > 1 {
                let mut filter = std::mem::take(&mut spec.filter);
                sort(&mut filter, &|id| stored_bytes(&*table, &spec, id));
                spec.filter = filter;
            }
            Plan::Scan { table, name, types, spec }
        }
        Plan::Filter { input, mut predicates } => {
            sort(&mut predicates, &|_| None);
            Plan::Filter { input, predicates }
        }
        other => other,
    }
}

fn stored_bytes(table: &dyn Snapshot, spec: &ScanSpec, id: ColumnId) -> Option<f64> {
    table.column_bytes(spec.whole_position(id)?).map(|b| b as f64)
}

/// The order that minimises expected work: by cost per row dropped.
fn sort(predicates: &mut [Expr], bytes: &dyn Fn(ColumnId) -> Option<f64>) {
    predicates.sort_by_cached_key(|p| {
        let rank = cost(p, bytes) / (1.0 - passes(p)).max(0.05);
        (rank * 1000.0) as u64
    });
}

/// Work per row: reading the columns and running the functions.
fn cost(expr: &Expr, bytes: &dyn Fn(ColumnId) -> Option<f64>) -> f64 {
    let own = match expr {
        Expr::Column { id, ty } => bytes(*id).unwrap_or_else(|| width(ty)) * 0.25,
        Expr::Literal { .. } | Expr::Scalar(_) => 0.0,
        Expr::And(..) | Expr::Or(..) => 0.1,
        Expr::InSet { args, .. } => {
            if args.iter().any(|a| is_text(a.ty())) {
                10.0
            } else {
                1.0
            }
        }
        Expr::Call { function, args, .. } => {
            let text = args.iter().any(|a| is_text(a.ty()));
            let list = args.iter().any(|a| matches!(a.ty(), DataType::Array(_)));
            match function.name {
                "equals" | "notEquals" | "less" | "lessOrEquals" | "greater"
                | "greaterOrEquals" => {
                    if text {
                        3.0
                    } else {
                        0.3
                    }
                }
                "plus" | "minus" | "multiply" | "not" | "isNull" | "isNotNull" | "empty"
                | "notEmpty" | "length" => 0.3,
                "match" | "extract" | "replaceRegexpOne" | "replaceRegexpAll" => 120.0,
                "like" | "notLike" | "ilike" | "notILike" | "position" => 20.0,
                _ if list => 30.0,
                _ if text => 15.0,
                _ => 3.0,
            }
        }
    };
    own + expr.children().into_iter().map(|c| cost(c, bytes)).sum::<f64>()
}

/// The part of rows that a condition lets through, by its form alone.
fn passes(expr: &Expr) -> f64 {
    match expr {
        Expr::And(args, _) => args.iter().map(passes).product(),
        Expr::Or(args, _) => 1.0 - args.iter().map(|a| 1.0 - passes(a)).product::<f64>(),
        Expr::InSet { negated, .. } => {
            if *negated {
                0.9
            } else {
                0.1
            }
        }
        Expr::Call { function, args, .. } => match function.name {
            // The default value is the usual one: `IsRefresh = 0` keeps most rows.
            "equals" => {
                if with_default(args) {
                    0.7
                } else {
                    0.05
                }
            }
            "notEquals" => {
                if with_default(args) {
                    0.4
                } else {
                    0.9
                }
            }
            "notLike" | "notEmpty" => 0.7,
            "like" | "match" | "position" => 0.1,
            "not" => 1.0 - args.first().map_or(0.5, passes),
            _ => 0.4,
        },
        _ => 0.5,
    }
}

/// Whether one side is the constant 0 or ''.
fn with_default(args: &[Expr]) -> bool {
    args.iter().any(|arg| match arg {
        Expr::Literal { value: Value::String(text), .. } => text.is_empty(),
        Expr::Literal { value, .. } => value.as_f64() == Some(0.0),
        _ => false,
    })
}

fn is_text(ty: &DataType) -> bool {
    matches!(ty.without_nullable().physical(), Physical::String | Physical::Fixed(_))
}

fn width(ty: &DataType) -> f64 {
    ty.without_nullable().fixed_width().map_or(32.0, |w| w as f64)
}
