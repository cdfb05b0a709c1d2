//! Every node gives only the columns that someone above reads; scans read only what they give and
//! what they filter by.

use std::collections::HashSet;

use entasis_base::scope;
use entasis_column::Chunk;
use entasis_expr::{ColumnId, Expr};

use crate::{Join, Plan, Planner};

type Needed = HashSet<ColumnId>;

/// The plan with at least the columns `needed`, and few others.
pub(crate) fn prune(plan: Plan, needed: &Needed, planner: &Planner) -> Plan {
    scope::insist(0);
    match plan {
        Plan::Values { columns, chunk } => {
            let keep: Vec<bool> = columns.iter().map(|id| needed.contains(id)).collect();
            let kept = |i: &usize| keep[*i];
            let all = 0..columns.len();
            let values = all.clone().filter(kept).map(|i| chunk.columns[i].clone()).collect();
            let columns = all.filter(kept).map(|i| columns[i]).collect();
            Plan::Values { columns, chunk: Chunk::new(values, chunk.rows) }
        }
        Plan::Scan { table, name, mut spec } => {
            spec.outputs.retain(|id| needed.contains(id));
            let mut read = Vec::new();
            spec.filter.iter().for_each(|f| f.columns(&mut read));
            spec.columns.retain(|(id, _)| spec.outputs.contains(id) || read.contains(id));
            Plan::Scan { table, name, spec }
        }
        Plan::Rows { .. } => plan,
        Plan::Filter { input, predicates } => {
            let input = Box::new(prune(*input, &with_exprs(needed, predicates.iter()), planner));
            Plan::Filter { input, predicates }
        }
        Plan::Project { input, mut exprs } => {
            exprs.retain(|(id, _)| needed.contains(id));
            let below = with_exprs(&Needed::new(), exprs.iter().map(|(_, e)| e));
            Plan::Project { input: Box::new(prune(*input, &below, planner)), exprs }
        }
        Plan::Aggregate { input, keys, mut calls, limit, in_order } => {
            calls.retain(|c| needed.contains(&c.id));
            if keys.is_empty() && calls.is_empty() {
                return one_row();
            }
            let args = calls.iter().flat_map(|c| c.args.iter().copied());
            let below: Needed = keys.iter().map(|(id, _)| *id).chain(args).collect();
            let input = Box::new(prune(*input, &below, planner));
            Plan::Aggregate { input, keys, calls, limit, in_order }
        }
        Plan::Distinct { input, types, limit } => {
            // All columns of the input are keys.
            let outputs = input.outputs();
            let input = prune(*input, &outputs.iter().copied().collect(), planner);
            Plan::Distinct { input: Box::new(exactly(input, &outputs, planner)), types, limit }
        }
        Plan::Sort { input, keys, limit, threshold } => {
            let below = with_ids(needed, keys.iter().map(|k| k.column));
            Plan::Sort { input: Box::new(prune(*input, &below, planner)), keys, limit, threshold }
        }
        Plan::Limit { input, offset, limit } => {
            Plan::Limit { input: Box::new(prune(*input, needed, planner)), offset, limit }
        }
        Plan::LimitBy { input, keys, offset, limit } => {
            let below = with_ids(needed, keys.iter().map(|(id, _)| *id));
            Plan::LimitBy { input: Box::new(prune(*input, &below, planner)), keys, offset, limit }
        }
        Plan::Union { inputs, columns } => prune_union(inputs, columns, needed, planner),
        Plan::Join(join) => Plan::Join(prune_join(join, needed, planner)),
        Plan::ArrayJoin { input, arrays, left, unaligned } => {
            let below = with_ids(needed, arrays.iter().map(|(from, _)| *from));
            Plan::ArrayJoin {
                input: Box::new(prune(*input, &below, planner)),
                arrays,
                left,
                unaligned,
            }
        }
        rare => prune_rare(rare, needed, planner),
    }
}

/// Nodes of clauses that few queries have.
fn prune_rare(plan: Plan, needed: &Needed, planner: &Planner) -> Plan {
    match plan {
        Plan::LimitTies { input, offset, limit, keys } => {
            let below = with_ids(needed, keys.iter().copied());
            let input = Box::new(prune(*input, &below, planner));
            Plan::LimitTies { input, offset, limit, keys }
        }
        Plan::Bound { input, rows, what } => {
            Plan::Bound { input: Box::new(prune(*input, needed, planner)), rows, what }
        }
        Plan::Totals { input, calls, rows } => {
            let below = with_ids(needed, calls.iter().flat_map(|c| c.args.iter().copied()));
            Plan::Totals { input: Box::new(prune(*input, &below, planner)), calls, rows }
        }
        Plan::Window(mut window) => {
            window.calls.retain(|c| needed.contains(&c.id));
            let args = window.calls.iter().flat_map(|c| c.args.iter().copied());
            let partition = window.partition.iter().map(|(id, _)| *id);
            let order = window.order.iter().map(|k| k.column);
            let below = with_ids(needed, args.chain(partition).chain(order));
            window.input = prune(window.input, &below, planner);
            if window.calls.is_empty() {
                return window.input;
            }
            Plan::Window(window)
        }
        Plan::Recursive(mut recursive) => {
            // The step reads columns by their places: all stay.
            let all = |plan: Plan| {
                let outputs = plan.outputs();
                let pruned = prune(plan, &outputs.iter().copied().collect(), planner);
                exactly(pruned, &outputs, planner)
            };
            recursive.base = all(recursive.base);
            recursive.step = all(recursive.step);
            Plan::Recursive(recursive)
        }
        other => other,
    }
}

fn prune_join(mut join: Box<Join>, needed: &Needed, planner: &Planner) -> Box<Join> {
    let mut below = needed.clone();
    if let Some(residual) = &join.residual {
        below = with_exprs(&below, std::iter::once(residual));
    }
    // Columns that only the condition reads need not come out.
    join.left_outputs.retain(|(id, _)| needed.contains(id));
    join.right_outputs.retain(|(id, _)| needed.contains(id));
    below.extend(join.keys.iter().flat_map(|(l, r, _)| [*l, *r]));
    below.extend(join.closest.iter().flat_map(|c| [c.left, c.right]));
    join.left = prune(join.left, &below, planner);
    join.right = prune(join.right, &below, planner);
    join
}

fn prune_union(
    inputs: Vec<Plan>,
    columns: Vec<ColumnId>,
    needed: &Needed,
    planner: &Planner,
) -> Plan {
    let keep: Vec<bool> = columns.iter().map(|id| needed.contains(id)).collect();
    let mut pruned = Vec::with_capacity(inputs.len());
    for input in inputs {
        let outputs = input.outputs().into_iter().zip(&keep);
        let wanted: Vec<ColumnId> = outputs.filter(|(_, k)| **k).map(|(id, _)| id).collect();
        let input = prune(input, &wanted.iter().copied().collect(), planner);
        pruned.push(exactly(input, &wanted, planner));
    }
    let columns = columns.into_iter().zip(&keep).filter(|(_, k)| **k).map(|(id, _)| id).collect();
    Plan::Union { inputs: pruned, columns }
}

/// The plan with these columns in this order and no others.
fn exactly(plan: Plan, wanted: &[ColumnId], planner: &Planner) -> Plan {
    if plan.outputs() == wanted {
        return plan;
    }
    let exprs = wanted.iter().map(|id| (*id, Expr::column(*id, planner.type_of(*id)))).collect();
    Plan::Project { input: Box::new(plan), exprs }
}

fn with_exprs<'e>(needed: &Needed, exprs: impl Iterator<Item = &'e Expr>) -> Needed {
    let mut ids = Vec::new();
    exprs.for_each(|e| e.columns(&mut ids));
    with_ids(needed, ids.into_iter())
}

fn with_ids(needed: &Needed, ids: impl Iterator<Item = ColumnId>) -> Needed {
    needed.iter().copied().chain(ids).collect()
}

/// What an aggregation without keys is of which nothing is wanted, whatever its input.
fn one_row() -> Plan {
    Plan::Values { columns: Vec::new(), chunk: Chunk::new(Vec::new(), 1) }
}
