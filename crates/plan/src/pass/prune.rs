//! Removes columns that no node above reads; scans read only their outputs and the columns of their
//! filters.

use crate::physical::{
    Aggregate, ArrayJoin, Bound, Distinct, Filter, Limit, LimitBy, LimitTies, OrElse, Project,
    Scan, Sort, Totals, Union, Values,
};
use std::collections::HashSet;

use entasis_base::{Result, scope};
use entasis_column::Chunk;
use entasis_expr::{ColumnId, Expr};
use entasis_types::DataType;

use crate::header::type_in;
use crate::{Join, Plan};

type Needed = HashSet<ColumnId>;

/// The plan with at least the columns `needed`, and few others.
pub(crate) fn prune(plan: Plan, needed: &Needed) -> Result<Plan> {
    scope::check()?;
    let below = |input: Box<Plan>, needed: &Needed| prune(*input, needed).map(Box::new);
    Ok(match plan {
        Plan::Values(Values { columns, chunk }) => {
            let keep: Vec<bool> = columns.iter().map(|(id, _)| needed.contains(id)).collect();
            let kept = |i: &usize| keep[*i];
            let all = 0..columns.len();
            let values = all.clone().filter(kept).map(|i| chunk.columns[i].clone()).collect();
            let columns = all.filter(kept).map(|i| columns[i].clone()).collect();
            Plan::Values(Values { columns, chunk: Chunk::new(values, chunk.rows) })
        }
        Plan::Scan(Scan { table, name, types, mut spec }) => {
            spec.outputs.retain(|id| needed.contains(id));
            let mut read = Vec::new();
            spec.filter.iter().for_each(|f| f.columns(&mut read));
            spec.columns.retain(|c| spec.outputs.contains(&c.id) || read.contains(&c.id));
            Plan::Scan(Scan { table, name, types, spec })
        }
        Plan::Rows(_) => plan,
        Plan::Filter(Filter { input, predicates }) => {
            let input = below(input, &with_exprs(needed, predicates.iter()))?;
            Plan::Filter(Filter { input, predicates })
        }
        Plan::Project(Project { input, mut exprs }) => {
            exprs.retain(|(id, _)| needed.contains(id));
            let read = with_exprs(&Needed::new(), exprs.iter().map(|(_, e)| e));
            Plan::Project(Project { input: below(input, &read)?, exprs })
        }
        Plan::Aggregate(Aggregate { input, keys, mut calls, limit, algorithm }) => {
            calls.retain(|c| needed.contains(&c.id));
            if keys.is_empty() && calls.is_empty() {
                return Ok(one_row());
            }
            let args = calls.iter().flat_map(|c| c.args.iter().copied());
            let read: Needed = keys.iter().copied().chain(args).collect();
            Plan::Aggregate(Aggregate {
                input: below(input, &read)?,
                keys,
                calls,
                limit,
                algorithm,
            })
        }
        Plan::Distinct(Distinct { input, limit }) => {
            // All columns of the input are keys of the DISTINCT.
            Plan::Distinct(Distinct { input: Box::new(whole(*input)?), limit })
        }
        Plan::Sort(Sort { input, keys, limit, threshold }) => {
            let read = with_ids(needed, keys.iter().map(|k| k.column));
            Plan::Sort(Sort { input: below(input, &read)?, keys, limit, threshold })
        }
        Plan::Limit(Limit { input, offset, limit }) => {
            Plan::Limit(Limit { input: below(input, needed)?, offset, limit })
        }
        Plan::LimitBy(LimitBy { input, keys, offset, limit }) => {
            let read = with_ids(needed, keys.iter().copied());
            Plan::LimitBy(LimitBy { input: below(input, &read)?, keys, offset, limit })
        }
        Plan::Union(Union { inputs, columns }) => prune_union(inputs, columns, needed)?,
        Plan::Join(join) => Plan::Join(prune_join(join, needed)?),
        Plan::ArrayJoin(ArrayJoin { input, arrays, left, unaligned }) => {
            let read = with_ids(needed, arrays.iter().map(|(from, _)| *from));
            Plan::ArrayJoin(ArrayJoin { input: below(input, &read)?, arrays, left, unaligned })
        }
        rare => prune_rare(rare, needed)?,
    })
}

/// Prunes nodes of rarely used clauses.
fn prune_rare(plan: Plan, needed: &Needed) -> Result<Plan> {
    let below = |input: Box<Plan>, needed: &Needed| prune(*input, needed).map(Box::new);
    Ok(match plan {
        Plan::LimitTies(LimitTies { input, offset, limit, keys }) => {
            let input = below(input, &with_ids(needed, keys.iter().copied()))?;
            Plan::LimitTies(LimitTies { input, offset, limit, keys })
        }
        Plan::Bound(Bound { input, most, what, keys }) => {
            let read = with_ids(needed, keys.iter().copied());
            Plan::Bound(Bound { input: below(input, &read)?, most, what, keys })
        }
        Plan::Totals(Totals { input, calls, rows }) => {
            let read = with_ids(needed, calls.iter().flat_map(|c| c.args.iter().copied()));
            Plan::Totals(Totals { input: below(input, &read)?, calls, rows })
        }
        Plan::OrElse(OrElse { input, otherwise }) => {
            let input = below(input, needed)?;
            let otherwise = Box::new(exactly(*otherwise, &input.outputs())?);
            Plan::OrElse(OrElse { input, otherwise })
        }
        Plan::Fetch(mut fetch) => {
            fetch.columns.retain(|(column, _)| needed.contains(&column.id));
            if fetch.columns.is_empty() {
                return prune(fetch.input, needed);
            }
            fetch.input = prune(fetch.input, &with_ids(needed, [fetch.address].into_iter()))?;
            Plan::Fetch(fetch)
        }
        Plan::Slice(mut slice) => {
            let read = with_ids(needed, slice.by.iter().chain(&slice.ties).copied());
            slice.input = prune(slice.input, &read)?;
            Plan::Slice(slice)
        }
        Plan::Fill(mut fill) => {
            let filled = fill.columns.iter().map(|(id, _)| *id);
            let mut read = with_ids(needed, fill.prefix.iter().copied().chain(filled));
            // Values may depend on each other, so that all are kept if one of them is needed.
            if !fill.interpolate.iter().any(|(id, _)| needed.contains(id)) {
                fill.interpolate.clear();
            }
            read.extend(fill.interpolate.iter().map(|(id, _)| *id));
            read = with_exprs(&read, fill.interpolate.iter().map(|(_, value)| value));
            fill.input = prune(fill.input, &read)?;
            Plan::Fill(fill)
        }
        Plan::Window(mut window) => {
            window.calls.retain(|c| needed.contains(&c.id));
            let args = window.calls.iter().flat_map(|c| c.args.iter().copied());
            let order = window.order.iter().map(|k| k.column);
            let read = with_ids(needed, args.chain(window.partition.iter().copied()).chain(order));
            window.input = prune(window.input, &read)?;
            if window.calls.is_empty() {
                return Ok(window.input);
            }
            Plan::Window(window)
        }
        Plan::Recursive(mut recursive) => {
            // The step reads columns by position, so all of them stay.
            recursive.base = whole(recursive.base)?;
            recursive.step = whole(recursive.step)?;
            Plan::Recursive(recursive)
        }
        other => other,
    })
}

fn prune_join(mut join: Box<Join>, needed: &Needed) -> Result<Box<Join>> {
    let mut below = needed.clone();
    if let Some(residual) = &join.residual {
        below = with_exprs(&below, std::iter::once(residual));
    }
    // Columns that only the condition reads are no outputs.
    join.left_outputs.retain(|id| needed.contains(id));
    join.right_outputs.retain(|id| needed.contains(id));
    below.extend(join.compared().into_iter().flat_map(|(l, r)| [l, r]));
    join.left = prune(join.left, &below)?;
    join.right = prune(join.right, &below)?;
    Ok(join)
}

fn prune_union(
    inputs: Vec<Plan>,
    mut columns: Vec<(ColumnId, DataType)>,
    needed: &Needed,
) -> Result<Plan> {
    let keep: Vec<bool> = columns.iter().map(|(id, _)| needed.contains(id)).collect();
    let mut pruned = Vec::with_capacity(inputs.len());
    for input in inputs {
        let outputs = input.outputs().into_iter().zip(&keep);
        let wanted: Vec<ColumnId> = outputs.filter(|(_, k)| **k).map(|(id, _)| id).collect();
        pruned.push(exactly(input, &wanted)?);
    }
    columns.retain(|(id, _)| needed.contains(id));
    Ok(Plan::Union(Union { inputs: pruned, columns }))
}

/// The pruned plan with all its columns, in their order.
fn whole(plan: Plan) -> Result<Plan> {
    let outputs = plan.outputs();
    exactly(plan, &outputs)
}

/// The pruned plan with exactly these columns, in this order.
fn exactly(plan: Plan, wanted: &[ColumnId]) -> Result<Plan> {
    let plan = prune(plan, &wanted.iter().copied().collect())?;
    if plan.outputs() == wanted {
        return Ok(plan);
    }
    let header = plan.header()?;
    let mut exprs = Vec::with_capacity(wanted.len());
    for id in wanted {
        exprs.push((*id, Expr::column(*id, type_in(&header, *id)?.clone())));
    }
    Ok(Plan::Project(Project { input: Box::new(plan), exprs }))
}

fn with_exprs<'e>(needed: &Needed, exprs: impl Iterator<Item = &'e Expr>) -> Needed {
    let mut ids = Vec::new();
    exprs.for_each(|e| e.columns(&mut ids));
    with_ids(needed, ids.into_iter())
}

fn with_ids(needed: &Needed, ids: impl Iterator<Item = ColumnId>) -> Needed {
    needed.iter().copied().chain(ids).collect()
}

/// The plan of an aggregation without keys of which no column is needed: one row, whatever its
/// input.
fn one_row() -> Plan {
    Plan::Values(Values { columns: Vec::new(), chunk: Chunk::new(Vec::new(), 1) })
}
