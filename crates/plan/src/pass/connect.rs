//! Orders a list of tables in FROM. `FROM a, b, c WHERE a.x = c.x AND b.y = c.y` has no condition
//! between the first two tables, and their cross product could be very large. Each table is
//! therefore followed by the next one of the list that an equality connects with the tables before
//! it. Tables that are not connected form separate groups, which are joined on their own and then
//! crossed.

use std::collections::HashSet;

use entasis_analyze::join::key_type;
use entasis_analyze::tree;
use entasis_expr::{ColumnId, Expr};

use crate::{Join, JoinKind, Plan, Strictness};

type Ids = HashSet<ColumnId>;

/// Whether a join only combines all rows of its sides.
fn is_cross(join: &Join) -> bool {
    join.kind == JoinKind::Cross
        && join.strictness == Strictness::All
        && join.keys.is_empty()
        && join.residual.is_none()
        && !join.use_nulls
}

/// Orders a cross join's tables so that conditions connect as many neighbours as possible; `None`
/// if they are in that order already.
pub(super) fn in_order(join: &Join, conditions: &[Expr]) -> Option<Box<Join>> {
    let mut tables = Vec::new();
    if !is_cross(join) {
        return None;
    }
    collect(&join.left, &mut tables);
    collect(&join.right, &mut tables);
    if tables.len() < 3 {
        return None;
    }
    let columns: Vec<Ids> = tables.iter().map(|t| t.outputs().into_iter().collect()).collect();
    let edges: Vec<(Ids, Ids)> = conditions.iter().filter_map(edge).collect();
    let groups = groups(&columns, &edges);
    let is_chain = groups.iter().skip(1).all(|group| group.len() == 1);
    if is_chain && groups.iter().flatten().is_sorted() {
        return None;
    }
    let mut plans = groups.iter().map(|group| {
        let mut tables = group.iter().map(|i| tables[*i].clone());
        let first = tables.next()?;
        Some(tables.fold(first, |left, right| Plan::Join(Box::new(Join::cross(left, right)))))
    });
    let first = plans.next()??;
    let plan =
        plans.flatten().fold(first, |left, right| Plan::Join(Box::new(Join::cross(left, right))));
    match plan {
        Plan::Join(join) => Some(join),
        _ => None,
    }
}

fn collect<'p>(plan: &'p Plan, tables: &mut Vec<&'p Plan>) {
    match plan {
        Plan::Join(join) if is_cross(join) => {
            collect(&join.left, tables);
            collect(&join.right, tables);
        }
        other => tables.push(other),
    }
}

/// The columns on both sides of an equality that can be a join's key.
fn edge(condition: &Expr) -> Option<(Ids, Ids)> {
    let Expr::Call { function, args, .. } = condition else { return None };
    let [a, b] = &args[..] else { return None };
    if !function.is_equals() || !tree::is_deterministic(condition) {
        return None;
    }
    key_type(a.ty(), b.ty()).ok()?;
    let ids = |expr: &Expr| {
        let mut ids = Vec::new();
        expr.columns(&mut ids);
        ids.into_iter().collect::<Ids>()
    };
    let (a, b) = (ids(a), ids(b));
    (!a.is_empty() && !b.is_empty()).then_some((a, b))
}

/// The tables by index, in connected groups.
fn groups(columns: &[Ids], edges: &[(Ids, Ids)]) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = (0..columns.len()).collect();
    let mut out = Vec::new();
    while !left.is_empty() {
        let first = left.remove(0);
        let (mut group, mut known) = (vec![first], columns[first].clone());
        let connected = |known: &Ids, table: usize| {
            let table = &columns[table];
            edges.iter().any(|(a, b)| {
                a.is_subset(known) && b.is_subset(table) || b.is_subset(known) && a.is_subset(table)
            })
        };
        while let Some(at) = left.iter().position(|table| connected(&known, *table)) {
            let next = left.remove(at);
            known.extend(&columns[next]);
            group.push(next);
        }
        out.push(group);
    }
    out
}
