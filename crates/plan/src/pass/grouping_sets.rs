//! Groups before rows are repeated for each grouping set: `GROUP BY ROLLUP(a, b)` repeats every row
//! three times. If there are few groups of `(a, b)`, the rows are grouped by them first, and the
//! states of these groups are repeated and merged.

use std::sync::Arc;

use entasis_analyze::tree;
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr, replaced};
use entasis_function::registry;
use entasis_types::DataType;

use super::map_inputs;
use crate::header::type_in;
use crate::physical::{Aggregate, AggregateAlgorithm, ArrayJoin, Project};
use crate::{AggregateCall, Plan, Planner, estimate};

/// Most groups per row for which two groupings take less work than one over repeated rows. What is
/// assumed where nothing is known of the keys is less than that.
const MOST_GROUPS: f64 = 0.15;

/// Rewrites all groupings by several sets for which this pays.
pub(crate) fn group_first(planner: &mut Planner<'_>, plan: Plan) -> Plan {
    let plan = map_inputs(plan, &mut |input| group_first(planner, input));
    let Plan::Aggregate(node) = plan else { return plan };
    match repeated(&node).map(|parts| rewritten(planner, &node, &parts)) {
        Some(Ok(Some(new))) => new,
        _ => Plan::Aggregate(node),
    }
}

/// The parts of a grouping over rows that are repeated for each grouping set.
struct Repeated<'p> {
    /// The rows before they are repeated.
    rows: Plan,
    /// The array of the sets' numbers, and its columns before and after the array join.
    numbers: (Expr, ColumnId, ColumnId),
    /// The keys and the arguments of the aggregates.
    exprs: &'p [(ColumnId, Expr)],
}

fn repeated(node: &Aggregate) -> Option<Repeated<'_>> {
    let Plan::Project(Project { input, exprs }) = &*node.input else { return None };
    let Plan::ArrayJoin(ArrayJoin { input, arrays, left: false, .. }) = &**input else {
        return None;
    };
    let [(array, number)] = arrays[..] else { return None };
    let Plan::Project(Project { input: rows, exprs: below }) = &**input else { return None };
    let numbers = below.iter().find(|(id, _)| *id == array).map(|(_, expr)| expr)?;
    let is_set = matches!(numbers, Expr::Literal { .. }) && node.keys.contains(&number);
    let simple =
        node.limit.is_none() && node.algorithm.sorted().is_empty() && !node.calls.is_empty();
    let numbers = (numbers.clone(), array, number);
    (is_set && simple).then(|| Repeated { rows: without(rows, below, array), numbers, exprs })
}

/// The rows with all columns of a projection but one.
fn without(rows: &Plan, exprs: &[(ColumnId, Expr)], column: ColumnId) -> Plan {
    let kept = || exprs.iter().filter(|(id, _)| *id != column);
    let is_own =
        |(id, expr): &(ColumnId, Expr)| matches!(expr, Expr::Column { id: own, .. } if own == id);
    if kept().all(is_own) {
        return rows.clone();
    }
    let exprs = kept().cloned().collect();
    Plan::Project(Project { input: Box::new(rows.clone()), exprs })
}

fn rewritten(
    planner: &mut Planner<'_>,
    node: &Aggregate,
    parts: &Repeated<'_>,
) -> Result<Option<Plan>> {
    let (numbers, array, number) = &parts.numbers;
    let is_key = |id: &ColumnId| node.keys.contains(id);
    let (mut keys, args): (Vec<_>, Vec<_>) =
        parts.exprs.iter().cloned().partition(|(id, _)| is_key(id));
    let mut exprs = Vec::new();
    for (_, masked) in &mut keys {
        collect_keys(planner, masked, *number, &mut exprs);
        *masked = replaced(masked, &mut |part| {
            let known = exprs.iter().find(|(_, key)| tree::same(key, part));
            known.map(|(id, key)| Expr::column(*id, key.ty().clone()))
        });
    }
    let columns: Vec<ColumnId> = exprs.iter().map(|(id, _)| *id).collect();
    if columns.is_empty() || args.iter().any(|(_, arg)| reads(arg, *number)) {
        return Ok(None);
    }
    // An argument may be a column that keys read as well.
    exprs.extend(args.into_iter().filter(|(id, _)| !columns.contains(id)));
    let input = Box::new(Plan::Project(Project { input: Box::new(parts.rows.clone()), exprs }));
    let typed = input.header()?;
    let Some((states, merges)) = two_steps(planner, &node.calls, &typed)? else { return Ok(None) };
    let first = Aggregate {
        input,
        keys: columns,
        calls: states,
        limit: None,
        algorithm: AggregateAlgorithm::default(),
    };
    let first = Plan::Aggregate(first);
    if estimate(&first) > MOST_GROUPS * estimate(&parts.rows) {
        return Ok(None);
    }
    let groups = first.header()?;
    let mut exprs: Vec<(ColumnId, Expr)> =
        groups.iter().map(|(id, ty)| (*id, Expr::column(*id, ty.clone()))).collect();
    exprs.push((*array, numbers.clone()));
    let input = Box::new(Plan::Project(Project { input: Box::new(first), exprs }));
    let arrays = vec![(*array, *number)];
    let repeated = Plan::ArrayJoin(ArrayJoin { input, arrays, left: false, unaligned: false });
    let states = merges.iter().flat_map(|call| &call.args);
    let states = states.map(|id| Ok((*id, Expr::column(*id, type_in(&groups, *id)?.clone()))));
    let exprs = keys.into_iter().map(Ok).chain(states).collect::<Result<Vec<_>>>()?;
    let input = Box::new(Plan::Project(Project { input: Box::new(repeated), exprs }));
    let (keys, algorithm) = (node.keys.clone(), AggregateAlgorithm::default());
    let second = Aggregate { input, keys, calls: merges, limit: None, algorithm };
    Ok(Some(Plan::Aggregate(second)))
}

/// Adds the largest parts of a key that do not depend on the grouping set, each with a column.
fn collect_keys(
    planner: &mut Planner<'_>,
    expr: &Expr,
    number: ColumnId,
    out: &mut Vec<(ColumnId, Expr)>,
) {
    if reads(expr, number) {
        expr.children().into_iter().for_each(|child| collect_keys(planner, child, number, out));
        return;
    }
    let mut ids = Vec::new();
    expr.columns(&mut ids);
    if ids.is_empty() || out.iter().any(|(_, known)| tree::same(known, expr)) {
        return;
    }
    let id = match expr {
        Expr::Column { id, .. } => *id,
        _ => planner.fresh(),
    };
    out.push((id, expr.clone()));
}

fn reads(expr: &Expr, column: ColumnId) -> bool {
    let mut ids = Vec::new();
    expr.columns(&mut ids);
    ids.contains(&column)
}

/// The aggregates that make states, and those that merge them under the ids of `calls`; `None` if
/// one has no state.
pub(super) fn two_steps(
    planner: &mut Planner<'_>,
    calls: &[AggregateCall],
    input: &[(ColumnId, DataType)],
) -> Result<Option<(Vec<AggregateCall>, Vec<AggregateCall>)>> {
    let (mut states, mut merges) = (Vec::new(), Vec::new());
    for call in calls {
        let types = call.args.iter().map(|arg| type_in(input, *arg).cloned());
        let types = types.collect::<Result<Vec<_>>>()?;
        let name: Arc<str> = format!("{}State", call.name).into();
        let state = registry::bind_aggregate(&name, &call.params, &types, planner.context)?;
        let ty = state.return_type();
        let DataType::AggregateFunction(of) = &ty else { return Ok(None) };
        let merge: Arc<str> = format!("{}Merge", of.name).into();
        let types = [ty.clone()];
        let function = registry::bind_aggregate(&merge, &of.params, &types, planner.context)?;
        if function.return_type() != call.function.return_type() {
            return Ok(None);
        }
        let id = planner.fresh();
        merges.push(AggregateCall {
            id: call.id,
            name: merge,
            params: Vec::new(),
            function,
            args: vec![id],
        });
        states.push(AggregateCall { id, name, function: state, ..call.clone() });
    }
    Ok(Some((states, merges)))
}
