//! Conditions move as far down as they may: through projections, grouping by their keys, to the
//! sides of joins, into scans. A condition that is never true makes an empty result.

use std::collections::HashSet;

use entasis_analyze::join::key_type;
use entasis_analyze::{bind, tree};
use entasis_base::{Result, scope};
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr};
use entasis_table::{ScanSpec, Snapshot};

use super::connect;
use super::project::MOST_NODES;
use crate::aggregates::NoFacts;
use crate::lower::conjunction;
use crate::{Join, JoinKind, Plan, Planner, Strictness, Window};

/// Moves all conditions of the plan.
pub(crate) fn push_down(planner: &mut Planner, plan: Plan) -> Result<Plan> {
    push(planner, plan, Vec::new())
}

/// The plan under the given conditions.
fn push(planner: &mut Planner, plan: Plan, mut conditions: Vec<Expr>) -> Result<Plan> {
    scope::check()?;
    if conditions.iter().any(|c| tree::truth(c) == Some(false)) {
        return Ok(empty(planner, &plan));
    }
    match plan {
        Plan::Filter { input, predicates } => {
            let mut all = Vec::with_capacity(predicates.len() + conditions.len());
            for predicate in predicates {
                tree::conjuncts(predicate, &mut all);
            }
            all.append(&mut conditions);
            push(planner, *input, all)
        }
        Plan::Project { input, exprs } => push_project(planner, *input, exprs, conditions),
        Plan::Scan { table, name, mut spec } => {
            let (down, stay) = split(conditions, |c| goes_into(c, &*table, &spec));
            spec.filter.extend(down);
            Ok(filter(Plan::Scan { table, name, spec }, stay))
        }
        Plan::Aggregate { input, keys, calls, limit, in_order } => {
            let ids: Vec<ColumnId> = keys.iter().map(|(id, _)| *id).collect();
            let (down, stay) =
                split(conditions, |c| !ids.is_empty() && movable(c, &|id| ids.contains(&id)));
            let input = Box::new(push(planner, *input, down)?);
            Ok(filter(Plan::Aggregate { input, keys, calls, limit, in_order }, stay))
        }
        Plan::Sort { input, keys, limit: None, threshold } => {
            let (down, stay) = split(conditions, tree::is_deterministic);
            let input = Box::new(push(planner, *input, down)?);
            Ok(filter(Plan::Sort { input, keys, limit: None, threshold }, stay))
        }
        Plan::Distinct { input, types, limit: None } => {
            let (down, stay) = split(conditions, tree::is_deterministic);
            let input = Box::new(push(planner, *input, down)?);
            Ok(filter(Plan::Distinct { input, types, limit: None }, stay))
        }
        Plan::LimitBy { input, keys, offset, limit } => {
            let in_keys = |id: ColumnId| keys.iter().any(|(k, _)| *k == id);
            let (down, stay) = split(conditions, |c| movable(c, &in_keys));
            let input = Box::new(push(planner, *input, down)?);
            Ok(filter(Plan::LimitBy { input, keys, offset, limit }, stay))
        }
        Plan::Union { inputs, columns } => {
            let (down, stay) = split(conditions, tree::is_deterministic);
            let mut pushed = Vec::with_capacity(inputs.len());
            for input in inputs {
                let outputs = input.outputs();
                let renamed = down.iter().map(|c| {
                    tree::substitute(c, &|id| {
                        let at = columns.iter().position(|i| *i == id)?;
                        Some(Expr::column(outputs[at], planner.type_of(outputs[at])))
                    })
                });
                let renamed = renamed.collect();
                pushed.push(push(planner, input, renamed)?);
            }
            Ok(filter(Plan::Union { inputs: pushed, columns }, stay))
        }
        Plan::ArrayJoin { input, arrays, left, unaligned } => {
            let element = |id: ColumnId| arrays.iter().any(|(_, to)| *to == id);
            let (down, stay) = split(conditions, |c| movable(c, &|id| !element(id)));
            let input = Box::new(push(planner, *input, down)?);
            Ok(filter(Plan::ArrayJoin { input, arrays, left, unaligned }, stay))
        }
        Plan::Window(window) => push_window(planner, window, conditions),
        Plan::Join(join) => push_join(planner, join, conditions),
        other => {
            let plan = try_inputs(planner, other)?;
            Ok(filter(plan, conditions))
        }
    }
}

/// Limits, and what is sorted or made distinct under a limit: nothing passes, but the conditions
/// below move on.
fn try_inputs(planner: &mut Planner, plan: Plan) -> Result<Plan> {
    let mut failed = None;
    let plan = super::map_inputs(plan, &mut |input| {
        let outputs = input.outputs();
        match push(planner, input, Vec::new()) {
            Ok(plan) => plan,
            Err(e) => {
                failed = Some(e);
                Plan::Values { columns: outputs, chunk: Chunk::default() }
            }
        }
    });
    failed.map_or(Ok(plan), Err)
}

/// Conditions over a projection's columns become conditions over what these are made of.
fn push_project(
    planner: &mut Planner,
    input: Plan,
    exprs: Vec<(ColumnId, Expr)>,
    conditions: Vec<Expr>,
) -> Result<Plan> {
    let (down, stay) = split(conditions, tree::is_deterministic);
    let of = |id: ColumnId| exprs.iter().find(|(i, _)| *i == id).map(|(_, e)| e.clone());
    let pure = |c: &Expr| {
        !tree::any(c, &mut |e| {
            matches!(e, Expr::Column { id, .. }
                if of(*id).is_some_and(|e| !tree::is_deterministic(&e)))
        })
    };
    let small = |c: &Expr| {
        let size = |id: ColumnId| of(id).map_or(1, |e| tree::size(&e));
        tree::substituted_size(c, &size) <= MOST_NODES
    };
    let (down, mut kept) = split(down, |c| pure(c) && small(c));
    kept.extend(stay);
    let mut moved = Vec::with_capacity(down.len());
    for condition in down {
        tree::conjuncts(tree::substitute(&condition, &of), &mut moved);
    }
    let input = Box::new(push(planner, input, moved)?);
    Ok(filter(Plan::Project { input, exprs }, kept))
}

/// Whole partitions may leave early.
fn push_window(
    planner: &mut Planner,
    mut window: Box<Window>,
    conditions: Vec<Expr>,
) -> Result<Plan> {
    let in_keys = |id: ColumnId| window.partition.iter().any(|(key, _)| *key == id);
    let (down, stay) = split(conditions, |c| movable(c, &in_keys));
    window.input = push(planner, window.input, down)?;
    Ok(filter(Plan::Window(window), stay))
}

fn push_join(planner: &mut Planner, join: Box<Join>, conditions: Vec<Expr>) -> Result<Plan> {
    let Some(ordered) = connect::in_order(planner, &join, &conditions) else {
        return push_to_sides(planner, join, conditions);
    };
    // Whoever reads the plan may count on the columns' order.
    let columns = join.left_outputs.iter().chain(&join.right_outputs);
    let exprs = columns.map(|(id, ty)| (*id, Expr::column(*id, ty.clone()))).collect();
    let input = Box::new(push_to_sides(planner, ordered, conditions)?);
    Ok(Plan::Project { input, exprs })
}

fn push_to_sides(
    planner: &mut Planner,
    mut join: Box<Join>,
    conditions: Vec<Expr>,
) -> Result<Plan> {
    let left_ids: HashSet<ColumnId> = join.left_outputs.iter().map(|(id, _)| *id).collect();
    let right_ids: HashSet<ColumnId> = join.right_outputs.iter().map(|(id, _)| *id).collect();
    let of_left = |c: &Expr| movable(c, &|id| left_ids.contains(&id));
    let of_right = |c: &Expr| movable(c, &|id| right_ids.contains(&id));
    let all = join.strictness == Strictness::All;
    // Rows of a side may be dropped early if they cannot come out unmatched and changed.
    let inner = matches!(join.kind, JoinKind::Inner | JoinKind::Cross);
    let to_left = inner || join.kind == JoinKind::Left;
    let to_right = (inner && all) || join.kind == JoinKind::Right;
    let (left, rest) = split(conditions, |c| to_left && of_left(c));
    let (right, rest) = split(rest, |c| to_right && of_right(c));
    let (mut left, mut right) = (left, right);
    let mut residual = Vec::new();
    if let Some(condition) = join.residual.take() {
        tree::conjuncts(condition, &mut residual);
    }
    if all || matches!(join.strictness, Strictness::Semi) {
        // A condition of ON that looks at one side only filters it, unless that side's rows stay
        // without a match.
        let semi_or_inner = inner || join.strictness == Strictness::Semi;
        let (l, kept) =
            split(residual, |c| (semi_or_inner || join.kind == JoinKind::Right) && of_left(c));
        let (r, kept) =
            split(kept, |c| (semi_or_inner || join.kind == JoinKind::Left) && of_right(c));
        left.extend(l);
        right.extend(r);
        residual = kept;
    }
    let mut rest = rest;
    if inner && all {
        rest.extend(std::mem::take(&mut residual));
        if rest.iter().any(|c| tree::truth(c) == Some(false)) {
            return Ok(empty(planner, &Plan::Join(join)));
        }
        rest = take_keys(planner, &mut join, rest, &of_left, &of_right)?;
        if join.kind == JoinKind::Inner {
            let both = |c: &Expr| tree::is_deterministic(c);
            (residual, rest) = split(rest, both);
        }
    }
    join.residual = conjunction(residual);
    join.left = push(planner, join.left, left)?;
    join.right = push(planner, join.right, right)?;
    Ok(filter(Plan::Join(join), rest))
}

/// Equalities between the sides of a cross join become its keys.
fn take_keys(
    planner: &mut Planner,
    join: &mut Join,
    conditions: Vec<Expr>,
    of_left: &dyn Fn(&Expr) -> bool,
    of_right: &dyn Fn(&Expr) -> bool,
) -> Result<Vec<Expr>> {
    let mut rest = Vec::new();
    let (mut left_new, mut right_new) = (Vec::new(), Vec::new());
    for condition in conditions {
        let Expr::Call { function, args, .. } = &condition else {
            rest.push(condition);
            continue;
        };
        let sides = match &args[..] {
            [a, b] if function.name == "equals" && of_left(a) && of_right(b) => Some((a, b)),
            [a, b] if function.name == "equals" && of_left(b) && of_right(a) => Some((b, a)),
            _ => None,
        };
        let common = sides.and_then(|(l, r)| key_type(l.ty(), r.ty()).ok());
        let (Some((l, r)), Some(ty)) = (sides, common) else {
            rest.push(condition);
            continue;
        };
        let left = key_column(planner, bind::cast(l.clone(), &ty, &NoFacts)?, &mut left_new);
        let right = key_column(planner, bind::cast(r.clone(), &ty, &NoFacts)?, &mut right_new);
        join.keys.push((left, right, ty));
    }
    if join.keys.is_empty() {
        return Ok(rest);
    }
    join.kind = JoinKind::Inner;
    let none = Plan::Values { columns: Vec::new(), chunk: Chunk::default() };
    let left = std::mem::replace(&mut join.left, none.clone());
    join.left = planner.extend(left, left_new);
    let right = std::mem::replace(&mut join.right, none);
    join.right = planner.extend(right, right_new);
    Ok(rest)
}

fn key_column(planner: &mut Planner, expr: Expr, new: &mut Vec<(ColumnId, Expr)>) -> ColumnId {
    if let Expr::Column { id, .. } = &expr {
        return *id;
    }
    let id = planner.fresh(expr.ty().clone());
    new.push((id, expr));
    id
}

/// Whether a condition may be evaluated where only columns for which `known` holds exist. One that
/// reads no column at all stays where it is.
fn movable(condition: &Expr, known: &dyn Fn(ColumnId) -> bool) -> bool {
    let mut ids = Vec::new();
    condition.columns(&mut ids);
    !ids.is_empty() && ids.into_iter().all(known) && tree::is_deterministic(condition)
}

/// Whether a scan may take a condition. What FINAL merges must be whole: before that, only
/// conditions on the key, which the rows that become one share.
fn goes_into(condition: &Expr, table: &dyn Snapshot, spec: &ScanSpec) -> bool {
    if !spec.merged {
        return tree::is_deterministic(condition);
    }
    let key = table.sorted_by();
    movable(condition, &|id| {
        spec.columns.iter().any(|(column, position)| *column == id && key.contains(position))
    })
}

fn split(conditions: Vec<Expr>, down: impl Fn(&Expr) -> bool) -> (Vec<Expr>, Vec<Expr>) {
    conditions.into_iter().partition(|c| down(c))
}

fn filter(input: Plan, predicates: Vec<Expr>) -> Plan {
    if predicates.is_empty() {
        return input;
    }
    Plan::Filter { input: Box::new(input), predicates }
}

/// No rows, with the columns of `plan`.
fn empty(planner: &Planner, plan: &Plan) -> Plan {
    let columns = plan.outputs();
    let values = columns.iter().map(|id| Column::default_of(&planner.type_of(*id), 0)).collect();
    Plan::Values { columns, chunk: Chunk::new(values, 0) }
}
