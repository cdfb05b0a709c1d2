//! Tells scans with FINAL which conditions are tested on their rows, so that the storage can leave
//! out keys without a row that passes.

use crate::physical::{Filter, Scan};
use entasis_analyze::tree;
use entasis_expr::Expr;

use super::map_inputs;
use crate::Plan;

/// Shows the conditions of filters to the scans with FINAL below them.
pub(crate) fn attach(plan: Plan) -> Plan {
    match plan {
        Plan::Filter(Filter { input, predicates }) => {
            let input = Box::new(shown(attach(*input), &predicates));
            Plan::Filter(Filter { input, predicates })
        }
        other => map_inputs(other, &mut attach),
    }
}

/// The plan, whose scan knows these conditions if it is a scan with FINAL below filters only.
fn shown(plan: Plan, conditions: &[Expr]) -> Plan {
    match plan {
        Plan::Filter(Filter { input, predicates }) => {
            Plan::Filter(Filter { input: Box::new(shown(*input, conditions)), predicates })
        }
        Plan::Scan(Scan { table, name, types, mut spec }) if spec.final_ => {
            let reads_only_it = |condition: &&Expr| {
                let mut ids = Vec::new();
                condition.columns(&mut ids);
                !ids.is_empty()
                    && ids.into_iter().all(|id| spec.column(id).is_some())
                    && tree::is_deterministic(condition)
            };
            let known: Vec<Expr> = conditions.iter().filter(reads_only_it).cloned().collect();
            spec.after_final.extend(known);
            Plan::Scan(Scan { table, name, types, spec })
        }
        other => other,
    }
}
