//! Visits the parts of a plan.

use entasis_expr::{ColumnId, Expr};

use crate::Plan;
use crate::explain_tree::inputs;

/// Calls `f` with every expression of the node itself.
pub(crate) fn expressions<'p>(plan: &'p Plan, f: &mut dyn FnMut(&'p Expr)) {
    let of = |(_, expr): &'p (ColumnId, Expr)| expr;
    match plan {
        Plan::Filter(node) => node.predicates.iter().for_each(f),
        Plan::Project(node) => node.exprs.iter().map(of).for_each(f),
        Plan::Scan(node) => node.spec.filter.iter().for_each(f),
        Plan::Join(join) => join.residual.iter().for_each(f),
        Plan::Fill(fill) => fill.interpolate.iter().map(of).for_each(f),
        _ => {}
    }
}

/// Calls `f` with every expression of the plan.
pub(crate) fn all_expressions<'p>(plan: &'p Plan, f: &mut dyn FnMut(&'p Expr)) {
    expressions(plan, f);
    inputs(plan).into_iter().for_each(|input| all_expressions(input, f));
}
