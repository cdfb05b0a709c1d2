//! Which parameters a plan reads.

use std::collections::HashSet;

use entasis_expr::{ColumnId, Expr};

use crate::Plan;
use crate::explain_tree::inputs;
use crate::walk::expressions;

/// Whether an expression reads one of the columns.
pub(super) fn reads(expr: &Expr, params: &HashSet<ColumnId>) -> bool {
    let mut ids = Vec::new();
    expr.columns(&mut ids);
    ids.iter().any(|id| params.contains(id))
}

/// Whether a part of the plan reads one of the parameters.
pub(super) fn is_dependent(plan: &Plan, params: &HashSet<ColumnId>) -> bool {
    let mut here = false;
    expressions(plan, &mut |expr| here |= reads(expr, params));
    here || inputs(plan).into_iter().any(|input| is_dependent(input, params))
}
