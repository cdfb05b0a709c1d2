//! Which parameters a plan reads.

use std::collections::HashSet;

use entasis_expr::{ColumnId, Expr};

use crate::Plan;
use crate::explain_tree::inputs;

/// Whether an expression reads one of the columns.
pub(super) fn reads(expr: &Expr, params: &HashSet<ColumnId>) -> bool {
    let mut ids = Vec::new();
    expr.columns(&mut ids);
    ids.iter().any(|id| params.contains(id))
}

/// Whether a part of the plan reads one of the parameters.
pub(super) fn is_dependent(plan: &Plan, params: &HashSet<ColumnId>) -> bool {
    let reads = |expr: &Expr| reads(expr, params);
    let here = match plan {
        Plan::Filter(node) => node.predicates.iter().any(reads),
        Plan::Project(node) => node.exprs.iter().any(|(_, expr)| reads(expr)),
        Plan::Scan(node) => node.spec.filter.iter().any(reads),
        Plan::Join(join) => join.residual.as_ref().is_some_and(reads),
        Plan::Fill(fill) => fill.interpolate.iter().any(|(_, expr)| reads(expr)),
        _ => false,
    };
    here || inputs(plan).into_iter().any(|input| is_dependent(input, params))
}
