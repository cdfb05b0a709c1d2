//! Removes sorts whose order has no effect.

use entasis_expr::is_deterministic;

use super::map_inputs;
use crate::physical::{Aggregate, Bound, Distinct, Filter, Project, Sort};
use crate::{Bounded, Plan};

/// Aggregates whose result does not depend on the order of rows.
const UNORDERED: [&str; 9] =
    ["count", "sum", "min", "max", "avg", "uniq", "uniqExact", "uniqCombined", "groupBitXor"];

/// Removes sorts without a limit below nodes that lose the order. `unordered`: whether the order of
/// the plan's own rows does not matter either.
pub(crate) fn remove_useless(plan: Plan, unordered: bool) -> Plan {
    let plan = match plan {
        Plan::Sort(Sort { input, limit: None, .. }) if unordered => {
            let input = match *input {
                Plan::Bound(Bound { input, what: Bounded::Sort, .. }) => *input,
                other => other,
            };
            return remove_useless(input, true);
        }
        other => other,
    };
    let below = match &plan {
        Plan::Aggregate(Aggregate { calls, .. }) => {
            calls.iter().all(|c| UNORDERED.contains(&&*c.name))
        }
        Plan::Sort(Sort { limit: None, .. }) => true,
        // Some functions see which rows come before a row (rowNumberInAllBlocks).
        Plan::Project(Project { exprs, .. }) => {
            unordered && exprs.iter().all(|(_, expr)| is_deterministic(expr))
        }
        Plan::Filter(Filter { predicates, .. }) => {
            unordered && predicates.iter().all(is_deterministic)
        }
        Plan::Distinct(Distinct { limit: None, .. }) => unordered,
        _ => false,
    };
    map_inputs(plan, &mut |input| remove_useless(input, below))
}
