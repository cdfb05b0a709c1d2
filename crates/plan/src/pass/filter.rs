//! Moves conditions down as far as possible: through projections and groupings by their keys, to
//! the sides of joins, and into scans. A condition that is never true makes the result empty.

use crate::physical::{
    Aggregate, ArrayJoin, Distinct, Filter, LimitBy, Project, Scan, Sort, Union, Values,
};
use std::collections::HashSet;

use entasis_analyze::bind::{self, Connective};
use entasis_analyze::join::{common_key, sides_of};
use entasis_analyze::tree;
use entasis_base::{Result, scope};
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr, Predicate};
use entasis_table_api::{ScanSpec, Snapshot};

use super::connect;
use super::outer::{self, Simplified};
use super::project::MOST_NODES;
use crate::lower::{conjunction, extend};
use crate::{Join, JoinKind, Plan, Planner, Strictness, Window};

/// Moves all conditions of the plan down.
pub(crate) fn push_down(planner: &mut Planner<'_>, plan: Plan) -> Result<Plan> {
    push(planner, plan, Vec::new())
}

/// The plan, filtered by a condition.
pub(crate) fn restrict(planner: &mut Planner<'_>, plan: Plan, condition: Expr) -> Result<Plan> {
    push(planner, plan, vec![condition])
}

/// The plan, filtered by the given conditions.
fn push(planner: &mut Planner<'_>, plan: Plan, mut conditions: Vec<Expr>) -> Result<Plan> {
    scope::check()?;
    if conditions.iter().any(|c| tree::truth(c) == Some(false)) {
        return empty(&plan);
    }
    match plan {
        Plan::Filter(Filter { input, predicates }) => {
            let mut all = Vec::with_capacity(predicates.len() + conditions.len());
            for predicate in predicates {
                tree::conjuncts(predicate, &mut all);
            }
            all.append(&mut conditions);
            push(planner, *input, all)
        }
        Plan::Project(Project { input, exprs }) => push_project(planner, *input, exprs, conditions),
        Plan::Scan(Scan { table, name, types, mut spec }) => {
            let (down, stay) = split(conditions, |c| goes_into(c, &*table, &spec));
            spec.filter.extend(down);
            Ok(filter(Plan::Scan(Scan { table, name, types, spec }), stay))
        }
        Plan::Aggregate(node) => push_aggregate(planner, node, conditions),
        Plan::Sort(Sort { input, keys, limit: None, threshold }) => {
            let (down, stay) = split(conditions, tree::is_deterministic);
            let input = Box::new(push(planner, *input, down)?);
            Ok(filter(Plan::Sort(Sort { input, keys, limit: None, threshold }), stay))
        }
        Plan::Distinct(Distinct { input, limit: None }) => {
            let (down, stay) = split(conditions, tree::is_deterministic);
            let input = Box::new(push(planner, *input, down)?);
            Ok(filter(Plan::Distinct(Distinct { input, limit: None }), stay))
        }
        Plan::LimitBy(LimitBy { input, keys, offset, limit }) => {
            let in_keys = |id: ColumnId| keys.contains(&id);
            let (down, stay) = split(conditions, |c| movable(c, &in_keys));
            let input = Box::new(push(planner, *input, down)?);
            Ok(filter(Plan::LimitBy(LimitBy { input, keys, offset, limit }), stay))
        }
        Plan::Union(Union { inputs, columns }) => {
            let (down, stay) = split(conditions, tree::is_deterministic);
            let mut pushed = Vec::with_capacity(inputs.len());
            for input in inputs {
                let outputs = input.header()?;
                let renamed = down.iter().map(|c| {
                    tree::substitute(c, &|id| {
                        let at = columns.iter().position(|(i, _)| *i == id)?;
                        Some(Expr::column(outputs[at].0, outputs[at].1.clone()))
                    })
                });
                let renamed = renamed.collect();
                pushed.push(push(planner, input, renamed)?);
            }
            Ok(filter(Plan::Union(Union { inputs: pushed, columns }), stay))
        }
        Plan::ArrayJoin(ArrayJoin { input, arrays, left, unaligned }) => {
            let element = |id: ColumnId| arrays.iter().any(|(_, to)| *to == id);
            let (down, stay) = split(conditions, |c| movable(c, &|id| !element(id)));
            let input = Box::new(push(planner, *input, down)?);
            Ok(filter(Plan::ArrayJoin(ArrayJoin { input, arrays, left, unaligned }), stay))
        }
        Plan::Window(window) => push_window(planner, window, conditions),
        Plan::Join(join) => push_join(planner, join, conditions),
        other => {
            let plan = try_inputs(planner, other)?;
            Ok(filter(plan, conditions))
        }
    }
}

/// For limits, and sorts or DISTINCT with a limit: no condition passes them, but conditions below
/// them move on.
fn try_inputs(planner: &mut Planner<'_>, plan: Plan) -> Result<Plan> {
    let mut failed = None;
    let plan = super::map_inputs(plan, &mut |input| match push(planner, input, Vec::new()) {
        Ok(plan) => plan,
        Err(e) => {
            failed = Some(e);
            Plan::Values(Values { columns: Vec::new(), chunk: Chunk::default() })
        }
    });
    failed.map_or(Ok(plan), Err)
}

/// Rewrites conditions over a projection's columns to the expressions of these columns.
fn push_project(
    planner: &mut Planner<'_>,
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
        tree::conjuncts(decided(tree::substitute(&condition, &of)), &mut moved);
    }
    // In a branch of a union over several tables, the table's name is a constant.
    if moved.iter().any(|c| constant_truth(c) == Some(false)) {
        return empty(&Plan::Project(Project { input: Box::new(input), exprs }));
    }
    moved.retain(|c| constant_truth(c) != Some(true));
    let input = Box::new(push(planner, input, moved)?);
    Ok(filter(Plan::Project(Project { input, exprs }), kept))
}

/// Conditions on the keys remove whole groups, so they can be evaluated early.
fn push_aggregate(
    planner: &mut Planner<'_>,
    node: Aggregate,
    conditions: Vec<Expr>,
) -> Result<Plan> {
    let Aggregate { input, keys, calls, limit, algorithm } = node;
    let in_keys = |id: ColumnId| keys.contains(&id);
    let (mut down, stay) = split(conditions, |c| !keys.is_empty() && movable(c, &in_keys));
    if !keys.is_empty() {
        down.extend(stay.iter().filter_map(|c| implied(c, &in_keys)));
    }
    let input = Box::new(push(planner, *input, down)?);
    Ok(filter(Plan::Aggregate(Aggregate { input, keys, calls, limit, algorithm }), stay))
}

/// Conditions on the partition keys remove whole partitions, so they can be evaluated early.
fn push_window(
    planner: &mut Planner<'_>,
    mut window: Box<Window>,
    conditions: Vec<Expr>,
) -> Result<Plan> {
    let in_keys = |id: ColumnId| window.partition.contains(&id);
    let (down, stay) = split(conditions, |c| movable(c, &in_keys));
    window.input = push(planner, window.input, down)?;
    Ok(filter(Plan::Window(window), stay))
}

fn push_join(planner: &mut Planner<'_>, join: Box<Join>, conditions: Vec<Expr>) -> Result<Plan> {
    let Simplified { join, conditions, types } = outer::simplify(planner, join, conditions)?;
    Ok(outer::restored(push_simplified(planner, join, conditions)?, types))
}

fn push_simplified(
    planner: &mut Planner<'_>,
    join: Box<Join>,
    conditions: Vec<Expr>,
) -> Result<Plan> {
    let Some(ordered) = connect::in_order(&join, &conditions) else {
        return push_to_sides(planner, join, conditions);
    };
    // The parent may depend on the order of columns, so a projection restores it.
    let columns = Plan::Join(join).header()?;
    let exprs = columns.into_iter().map(|(id, ty)| (id, Expr::column(id, ty))).collect();
    let input = Box::new(push_to_sides(planner, ordered, conditions)?);
    Ok(Plan::Project(Project { input, exprs }))
}

fn push_to_sides(
    planner: &mut Planner<'_>,
    mut join: Box<Join>,
    conditions: Vec<Expr>,
) -> Result<Plan> {
    let left_ids: HashSet<ColumnId> = join.left_outputs.iter().copied().collect();
    let right_ids: HashSet<ColumnId> = join.right_outputs.iter().copied().collect();
    let of_left = |c: &Expr| movable(c, &|id| left_ids.contains(&id));
    let of_right = |c: &Expr| movable(c, &|id| right_ids.contains(&id));
    let all = join.strictness == Strictness::All;
    // Rows of a side can be dropped early unless this would turn matched rows of the other side
    // into unmatched ones of the result.
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
        // A condition of ON over one side only filters that side, unless unmatched rows of that
        // side are kept.
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
            return empty(&Plan::Join(join));
        }
        rest = take_keys(planner, &mut join, rest, &of_left, &of_right)?;
        if join.kind == JoinKind::Inner {
            let both = |c: &Expr| tree::is_deterministic(c);
            (residual, rest) = split(rest, both);
        }
    }
    join.residual = conjunction(residual);
    drop_nulls(planner, &mut join)?;
    join.left = push(planner, join.left, left)?;
    join.right = push(planner, join.right, right)?;
    Ok(filter(Plan::Join(join), rest))
}

/// Simplifies outer joins below a join of which it drops the rows that have NULL in a key.
fn drop_nulls(planner: &Planner<'_>, join: &mut Join) -> Result<()> {
    let (of_left, of_right) = match (join.kind, join.strictness) {
        (JoinKind::Inner, Strictness::All) | (_, Strictness::Semi) => (true, true),
        (JoinKind::Left, Strictness::All | Strictness::Anti) => (false, true),
        (JoinKind::Right, Strictness::All | Strictness::Anti) => (true, false),
        _ => return Ok(()),
    };
    let (left, right): (Vec<ColumnId>, Vec<ColumnId>) = join.keys.iter().copied().unzip();
    for (side, keys, drops) in [(&mut join.left, left, of_left), (&mut join.right, right, of_right)]
    {
        if drops && matches!(side, Plan::Join(_) | Plan::Filter(_) | Plan::Project(_)) {
            let plan = std::mem::replace(side, crate::join_order::nothing());
            *side = outer::without_nulls(planner, plan, &keys)?;
        }
    }
    Ok(())
}

/// Turns equalities between the sides of a cross join into its keys.
fn take_keys(
    planner: &mut Planner<'_>,
    join: &mut Join,
    conditions: Vec<Expr>,
    of_left: &dyn Fn(&Expr) -> bool,
    of_right: &dyn Fn(&Expr) -> bool,
) -> Result<Vec<Expr>> {
    let mut rest = Vec::new();
    let (mut left_new, mut right_new) = (Vec::new(), Vec::new());
    for condition in conditions {
        let key = match sides_of(&condition, of_left, of_right) {
            Some((l, r)) => common_key(l.clone(), r.clone(), planner.context).ok(),
            None => None,
        };
        let Some((l, r)) = key else {
            rest.push(condition);
            continue;
        };
        let left = key_column(planner, l, &mut left_new);
        let right = key_column(planner, r, &mut right_new);
        join.keys.push((left, right));
    }
    if join.keys.is_empty() {
        return Ok(rest);
    }
    join.kind = JoinKind::Inner;
    let none = Plan::Values(Values { columns: Vec::new(), chunk: Chunk::default() });
    let left = std::mem::replace(&mut join.left, none.clone());
    join.left = extend(left, left_new)?;
    let right = std::mem::replace(&mut join.right, none);
    join.right = extend(right, right_new)?;
    Ok(rest)
}

fn key_column(planner: &mut Planner<'_>, expr: Expr, new: &mut Vec<(ColumnId, Expr)>) -> ColumnId {
    if let Expr::Column { id, .. } = &expr {
        return *id;
    }
    let id = planner.fresh();
    new.push((id, expr));
    id
}

/// Whether a condition can be evaluated where only the columns accepted by `known` exist. A
/// condition without columns stays where it is.
fn movable(condition: &Expr, known: &dyn Fn(ColumnId) -> bool) -> bool {
    let mut ids = Vec::new();
    condition.columns(&mut ids);
    !ids.is_empty() && ids.into_iter().all(known) && tree::is_deterministic(condition)
}

/// Of a condition with alternatives, of which each says something about the columns that `known`
/// accepts: what follows from it for these columns.
fn implied(condition: &Expr, known: &dyn Fn(ColumnId) -> bool) -> Option<Expr> {
    let Expr::Or(alternatives, _) = condition else { return None };
    let mut of_known = Vec::with_capacity(alternatives.len());
    for alternative in alternatives.iter() {
        let mut all = Vec::new();
        tree::conjuncts(alternative.clone(), &mut all);
        all.retain(|c| movable(c, known));
        of_known.push(conjunction(all)?);
    }
    bind::connect(Connective::Or, of_known).ok()
}

/// A condition without the constants in it, as far as they are known.
fn decided(condition: Expr) -> Expr {
    let (connective, args, ty) = match &condition {
        Expr::And(args, ty) => (Connective::And, args, ty),
        Expr::Or(args, ty) => (Connective::Or, args, ty),
        _ => return condition,
    };
    // A constant with this truth decides, others do not matter.
    let decides = connective == Connective::Or;
    let mut left = Vec::with_capacity(args.len());
    for arg in args.iter() {
        let arg = decided(arg.clone());
        match constant_truth(&arg) {
            Some(truth) if truth == decides => return tree::bool_literal(decides, ty.clone()),
            Some(_) => {}
            None => left.push(arg),
        }
    }
    match left.len() {
        0 => tree::bool_literal(!decides, ty.clone()),
        1 => left.remove(0),
        n if n == args.len() => condition,
        _ => bind::connect(connective, left).unwrap_or(condition),
    }
}

/// Whether a condition that reads nothing is true; `None` if it is not known before the query runs.
fn constant_truth(condition: &Expr) -> Option<bool> {
    let is_open = |e: &Expr| match e {
        Expr::Column { .. } | Expr::Scalar(_) => true,
        Expr::InSet { set, .. } => set.set.get().is_none(),
        _ => false,
    };
    if tree::any(condition, &mut |e| is_open(e)) {
        return None;
    }
    let one = Chunk::new(Vec::new(), 1);
    let mask = Predicate::new(std::slice::from_ref(condition), &[]).ok()?.mask(&one);
    // An error is one of the query, if it ever looks at a row.
    Some(mask.ok()?.get(0))
}

/// Whether a scan can take a condition. With FINAL, only conditions on the key are evaluated before
/// the merge: rows that are merged share the key, so they are dropped together.
fn goes_into(condition: &Expr, table: &dyn Snapshot, spec: &ScanSpec) -> bool {
    if !spec.final_ {
        return tree::is_deterministic(condition);
    }
    let key = table.final_key();
    movable(condition, &|id| {
        spec.whole_position(id).is_some_and(|position| key.contains(&position))
    })
}

fn split(conditions: Vec<Expr>, down: impl Fn(&Expr) -> bool) -> (Vec<Expr>, Vec<Expr>) {
    conditions.into_iter().partition(|c| down(c))
}

fn filter(input: Plan, predicates: Vec<Expr>) -> Plan {
    if predicates.is_empty() {
        return input;
    }
    Plan::Filter(Filter { input: Box::new(input), predicates })
}

/// A plan without rows, but with the columns of `plan`.
fn empty(plan: &Plan) -> Result<Plan> {
    let columns = plan.header()?;
    let values = columns.iter().map(|(_, ty)| Column::default_of(ty, 0)).collect();
    Ok(Plan::Values(Values { columns, chunk: Chunk::new(values, 0) }))
}
