//! Joins on an OR of equalities: `a.x = b.x OR (a.y = b.y AND a.z = b.z)`. Each branch has a hash
//! table of its own, and a pair that several branches find counts once.

use entasis_analyze::join::{common_key, sides_of};
use entasis_analyze::tree;
use entasis_expr::program::can_fail;
use entasis_expr::{ColumnId, Expr};

use super::Sides;
use crate::Planner;

/// Most branches: each of them is a hash table, and each row is looked up in all of them.
const MOST_BRANCHES: usize = 16;

/// The keys of a branch, and whether it has no further conditions.
type Branch = (Vec<(Expr, Expr)>, bool);

/// The keys of each branch of the first condition that is an OR of equalities. The condition is
/// taken out if it has no other parts.
pub(super) fn find(
    planner: &mut Planner<'_>,
    sides: &mut Sides,
    conditions: &mut Vec<Expr>,
) -> Option<Vec<Vec<(ColumnId, ColumnId)>>> {
    let found = |(at, condition)| Some((at, branches(planner, sides, condition)?));
    let (at, branches) = conditions.iter().enumerate().find_map(found)?;
    if branches.iter().all(|(_, is_whole)| *is_whole) {
        conditions.remove(at);
    }
    let mut lists = Vec::with_capacity(branches.len());
    for (keys, _) in branches {
        let mut list = Vec::with_capacity(keys.len());
        for (l, r) in &keys {
            let pair = (sides.left_column(planner, l), sides.right_column(planner, r));
            if !list.contains(&pair) {
                list.push(pair);
            }
        }
        if !lists.contains(&list) {
            lists.push(list);
        }
    }
    Some(lists)
}

/// The branches of an OR, if each has an equality between both sides.
fn branches(planner: &Planner<'_>, sides: &Sides, condition: &Expr) -> Option<Vec<Branch>> {
    let Expr::Or(args, _) = condition else { return None };
    if args.len() > MOST_BRANCHES {
        return None;
    }
    args.iter().map(|arg| branch(planner, sides, arg)).collect()
}

fn branch(planner: &Planner<'_>, sides: &Sides, condition: &Expr) -> Option<Branch> {
    let mut parts = Vec::new();
    tree::conjuncts(condition.clone(), &mut parts);
    let (mut keys, mut is_whole) = (Vec::new(), true);
    for part in &parts {
        let pair = sides_of(part, &|e| sides.is_left(e), &|e| sides.is_right(e))
            .filter(|(l, r)| can_be_key(l) && can_be_key(r));
        let key = pair.and_then(|(l, r)| common_key(l.clone(), r.clone(), planner.context).ok());
        match key {
            Some(key) => keys.push(key),
            None => is_whole = false,
        }
    }
    (!keys.is_empty()).then_some((keys, is_whole))
}

/// Whether an expression can be looked up in a hash table. Keys are computed for all rows, which an
/// expression that fails for some does not stand. A float equals others than those of its bits.
fn can_be_key(expr: &Expr) -> bool {
    !can_fail(expr) && !expr.ty().without_nullable().is_float()
}
