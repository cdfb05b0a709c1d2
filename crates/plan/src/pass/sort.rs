//! Steps that keep or make an order of rows which has no effect.

use entasis_expr::is_deterministic;
use entasis_function::registry::find_aggregate;

use super::map_inputs;
use crate::physical::{
    Aggregate, AggregateAlgorithm, Bound, Distinct, Filter, LimitBy, Project, Sort,
};
use crate::{AggregateCall, Bounded, Plan};

/// Whether no result of these calls depends on the order of the rows.
pub fn ignore_order(calls: &[AggregateCall]) -> bool {
    let is_unordered = |name: &str| find_aggregate(name).is_some_and(|def| def.unordered);
    calls.iter().all(|call| is_unordered(&call.name))
}

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
    let below = ignores_inputs_order(&plan, unordered);
    map_inputs(plan, &mut |input| remove_useless(input, below))
}

/// Sorts behind a LIMIT BY instead of before it, if rows of one key of the LIMIT BY are equal to
/// the sort, and so stay in source order.
pub(crate) fn behind_limit_by(plan: Plan) -> Plan {
    match map_inputs(plan, &mut behind_limit_by) {
        Plan::LimitBy(LimitBy { input, keys, offset, limit }) => match *input {
            Plan::Sort(Sort { input, keys: by, limit: None, threshold: None })
                if by.iter().all(|key| keys.contains(&key.column))
                    && !matches!(*input, Plan::Bound(_)) =>
            {
                let input = Box::new(Plan::LimitBy(LimitBy { input, keys, offset, limit }));
                Plan::Sort(Sort { input, keys: by, limit: None, threshold: None })
            }
            other => Plan::LimitBy(LimitBy { input: Box::new(other), keys, offset, limit }),
        },
        other => other,
    }
}

/// Turns each DISTINCT whose rows may come in any order into a grouping, which works in partitions.
pub(crate) fn group_distinct(plan: Plan, unordered: bool) -> Plan {
    let below = ignores_inputs_order(&plan, unordered);
    match map_inputs(plan, &mut |input| group_distinct(input, below)) {
        Plan::Distinct(Distinct { input, limit: None }) if unordered => {
            let (keys, algorithm) = (input.outputs(), AggregateAlgorithm::default());
            Plan::Aggregate(Aggregate { input, keys, calls: Vec::new(), limit: None, algorithm })
        }
        other => other,
    }
}

/// Whether it has no effect in which order the inputs of a node return their rows. `unordered`:
/// whether that is so of the node's own rows.
fn ignores_inputs_order(plan: &Plan, unordered: bool) -> bool {
    match plan {
        Plan::Aggregate(Aggregate { calls, .. }) => ignore_order(calls),
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
    }
}
