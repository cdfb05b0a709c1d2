//! Exact distinct counts as two groupings: `SELECT k, uniqExact(x) FROM t GROUP BY k` counts the
//! groups of `SELECT k, x FROM t GROUP BY k, x`.
//!
//! `uniqExact` has a set per group. Without keys, that is one set per worker: the sets are merged
//! by one thread, and they must fit into memory. A grouping divides the values among its partitions
//! and can write them to disk, so it is several times as fast and needs a third of the memory, and
//! with few values it takes as long. With keys, the sets of many groups are as good as a grouping,
//! and small sets are better. What is worse is a set for each of some thousand groups that is
//! beyond the cache.
//!
//! Other aggregates of the grouping are computed as states that are merged. Two lists of arguments
//! stay as they are, since a grouping for each would read the rows twice.

use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::ColumnId;
use entasis_function::registry;
use entasis_types::DataType;

use super::eager::has_small_state;
use super::grouping_sets::two_steps;
use super::map_inputs;
use crate::estimate::Estimator;
use crate::header::type_in;
use crate::physical::{Aggregate, AggregateAlgorithm};
use crate::{AggregateCall, Columns, Plan, Planner};

/// Below this many rows, nothing is to be gained.
const LEAST_ROWS: f64 = 10_000.0;
/// Most groups for which two groupings are better than sets.
const MOST_GROUPS: f64 = 20_000.0;
/// Least values of all groups from which on this is so.
const LEAST_VALUES: f64 = 1e6;

/// Rewrites distinct counts where this pays.
pub(crate) fn group_twice(planner: &mut Planner<'_>, plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut |input| group_twice(planner, input));
    let Plan::Aggregate(node) = plan else { return plan };
    match rewritten(planner, &node) {
        Ok(Some(new)) => new,
        _ => Plan::Aggregate(node),
    }
}

fn rewritten(planner: &mut Planner<'_>, node: &Aggregate) -> Result<Option<Plan>> {
    let is_distinct = |call: &&AggregateCall| &*call.name == "uniqExact";
    let Some(first) = node.calls.iter().find(is_distinct) else { return Ok(None) };
    let others: Vec<AggregateCall> =
        node.calls.iter().filter(|call| !is_distinct(call)).cloned().collect();
    let is_plain = node.limit.is_none() && node.algorithm.sorted().is_empty();
    let is_one = node.calls.iter().all(|call| !is_distinct(&call) || call.args == first.args)
        && !first.args.iter().any(|arg| node.keys.contains(arg));
    if !is_plain || !is_one || !others.iter().all(has_small_state) {
        return Ok(None);
    }
    let typed = node.input.header()?;
    let Some(counted) = counted(&first.args, &typed)? else { return Ok(None) };
    let mut keys = node.keys.clone();
    for arg in &first.args {
        if !keys.contains(arg) {
            keys.push(*arg);
        }
    }
    if !planner.settings.count_distinct_twice && !pays(planner, node, &keys) {
        return Ok(None);
    }
    let Some((states, merges)) = two_steps(planner, &others, &typed)? else { return Ok(None) };
    let algorithm = AggregateAlgorithm::default();
    let groups = Aggregate { keys, calls: states, algorithm, ..node.clone() };
    let types: Vec<DataType> = counted.iter().map(|(_, ty)| ty.clone()).collect();
    let count = registry::bind_aggregate("count", &[], &types, planner.context)?;
    let args: Vec<ColumnId> = counted.iter().map(|(id, _)| *id).collect();
    let mut merges = merges.into_iter();
    let calls = node.calls.iter().filter_map(|call| match is_distinct(&call) {
        true => {
            let (function, args) = (Arc::clone(&count), args.clone());
            Some(AggregateCall { name: "count".into(), function, args, ..call.clone() })
        }
        false => merges.next(),
    });
    let calls = calls.collect();
    let input = Box::new(Plan::Aggregate(groups));
    Ok(Some(Plan::Aggregate(Aggregate { input, calls, ..node.clone() })))
}

/// What is counted above the groups: the rows, or the values of a Nullable column. `None` if values
/// that are equal in a group need not be equal in a set, or if several columns may be NULL.
fn counted(args: &[ColumnId], typed: &Columns) -> Result<Option<Columns>> {
    let mut counted = Columns::new();
    for arg in args {
        let ty = type_in(typed, *arg)?;
        let plain = ty.without_nullable();
        if plain.is_float() || !(plain.fixed_width().is_some() || plain.is_string()) {
            return Ok(None);
        }
        if ty.is_nullable() {
            counted.push((*arg, ty.clone()));
        }
    }
    Ok((counted.is_empty() || args.len() == 1).then_some(counted))
}

fn pays(planner: &Planner<'_>, node: &Aggregate, values: &[ColumnId]) -> bool {
    let rows = Estimator::default().relation(&node.input, values);
    if node.keys.is_empty() {
        return rows.rows >= LEAST_ROWS;
    }
    let in_order = planner.settings.aggregation_in_order;
    let few = rows.groups(&node.keys).is_some_and(|groups| groups <= MOST_GROUPS);
    let many = rows.groups(values).is_some_and(|values| values >= LEAST_VALUES);
    !in_order && few && many
}
