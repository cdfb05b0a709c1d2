//! Merges neighbouring projections, and removes projections that change nothing.

use crate::physical::Project;
use entasis_analyze::tree;
use entasis_expr::{ColumnId, Expr};

use super::map_inputs;
use crate::Plan;

/// Merges projections from the bottom up.
pub(crate) fn merge(plan: Plan) -> Plan {
    merge_below(plan, true)
}

/// `exact`: whether the parent depends on the number and order of the columns.
fn merge_below(plan: Plan, exact: bool) -> Plan {
    let inputs_exact =
        matches!(plan, Plan::Union(_) | Plan::Distinct(_) | Plan::Recursive(_) | Plan::OrElse(_));
    let plan = map_inputs(plan, &mut |input| merge_below(input, inputs_exact));
    let Plan::Project(Project { input, exprs }) = plan else { return plan };
    let (input, exprs) = match *input {
        Plan::Project(Project { input: inner, exprs: below }) => {
            match substituted(&exprs, &below) {
                Some(exprs) => (inner, exprs),
                None => (Box::new(Plan::Project(Project { input: inner, exprs: below })), exprs),
            }
        }
        other => (Box::new(other), exprs),
    };
    let is_identity =
        exprs.iter().all(|(id, e)| matches!(e, Expr::Column { id: from, .. } if from == id));
    if is_identity {
        let ids: Vec<ColumnId> = exprs.iter().map(|(id, _)| *id).collect();
        let outputs = input.outputs();
        let same = ids == outputs;
        let loose = !exact && ids.iter().all(|id| outputs.contains(id)) && is_cheap(&input);
        if same || loose {
            return *input;
        }
    }
    Plan::Project(Project { input, exprs })
}

/// Most expression nodes after merging: `x + x` over `x + x` doubles the size with every level.
pub(crate) const MOST_NODES: usize = 10_000;

/// Whether the node can return all its columns without extra cost.
fn is_cheap(input: &Plan) -> bool {
    matches!(input, Plan::Scan(_) | Plan::Aggregate(_) | Plan::Values(_))
}

/// `exprs` over the input of the projection `below`. `None` if something expensive would be
/// evaluated twice, or something random in another place.
fn substituted(
    exprs: &[(ColumnId, Expr)],
    below: &[(ColumnId, Expr)],
) -> Option<Vec<(ColumnId, Expr)>> {
    let plain = |e: &Expr| matches!(e, Expr::Column { .. } | Expr::Literal { .. });
    let of = |id: ColumnId| below.iter().find(|(i, _)| *i == id).map_or(1, |(_, e)| tree::size(e));
    let nodes = exprs.iter().map(|(_, e)| tree::substituted_size(e, &of));
    if nodes.fold(0, usize::saturating_add) > MOST_NODES {
        return None;
    }
    for (id, inner) in below.iter().filter(|(_, e)| !plain(e)) {
        if !tree::is_deterministic(inner) {
            return None;
        }
        let mut uses = 0;
        for (_, expr) in exprs {
            tree::any(expr, &mut |e| {
                uses += usize::from(matches!(e, Expr::Column { id: used, .. } if used == id));
                false
            });
        }
        // Inside a lambda a column is read once per element, so it stays computed.
        let in_lambda = exprs.iter().any(|(_, expr)| {
            tree::any(expr, &mut |e| match e {
                Expr::Call { lambda: Some(l), .. } => {
                    let mut ids = Vec::new();
                    l.body.columns(&mut ids);
                    ids.contains(id)
                }
                _ => false,
            })
        });
        // Programs evaluate equal subexpressions once, so several uses in one projection cost no
        // more.
        if in_lambda || uses > 16 {
            return None;
        }
    }
    let of = |id: ColumnId| below.iter().find(|(i, _)| *i == id).map(|(_, e)| e.clone());
    Some(exprs.iter().map(|(id, e)| (*id, tree::substitute(e, &of))).collect())
}
