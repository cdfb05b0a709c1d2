//! Adds what follows from the equalities of a region: of `a = b AND b = c`, that `a = c`, which
//! allows more orders; and of `a = b AND a < 5`, that `b < 5`, which leaves fewer rows to join.

use std::collections::{HashMap, HashSet};

use entasis_analyze::{bind, tree};
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_function::{Comparison, Operation};
use entasis_types::DataType;

use super::region::{Condition, Region};
use crate::lower::conjunction;
use crate::pass::predicate;
use crate::physical::{Filter, Project, Scan};
use crate::{Plan, Planner, Strictness};

/// Columns of the same type that are equal in every row of the region.
struct Class {
    ty: DataType,
    members: Vec<ColumnId>,
}

/// The class of each column that has one.
pub(super) type Classes = HashMap<ColumnId, usize>;

/// Adds equalities and conditions to the region. Returns which columns are equal.
pub(super) fn add(planner: &mut Planner<'_>, region: &mut Region) -> Result<Classes> {
    split_alternatives(planner, region)?;
    let classes = classes(region);
    for class in &classes {
        equate(planner, region, class)?;
        copy_within(planner, region, class)?;
    }
    copy_to_followers(planner, region, &classes)?;
    let numbered = classes.iter().enumerate();
    Ok(numbered.flat_map(|(at, class)| class.members.iter().map(move |id| (*id, at))).collect())
}

/// Of a condition with alternatives over several inputs, of which each alternative says something
/// about one input, follows a condition on that input: of `(a = 1 AND b = 2) OR (a = 3 AND b = 4)`
/// that `a = 1 OR a = 3`.
fn split_alternatives(planner: &mut Planner<'_>, region: &mut Region) -> Result<()> {
    let mut new = Vec::new();
    for condition in &region.conditions {
        let Condition::Holds(Expr::Or(args, _)) = condition else { continue };
        let branches: Vec<Vec<Expr>> = args.iter().map(conjuncts).collect();
        for (node, input) in region.nodes.iter().enumerate() {
            if input.follows.is_some() {
                continue;
            }
            let only_here = |expr: &&Expr| region.nodes_of(expr) == 1 << node && is_safe(expr);
            let parts = branches.iter().map(|branch| {
                let here: Vec<Expr> = branch.iter().filter(only_here).cloned().collect();
                conjunction(here)
            });
            let Some(parts) = parts.collect::<Option<Vec<Expr>>>() else { continue };
            let any = bind::connect(bind::Connective::Or, parts)?;
            new.push((node, predicate::condition(any, planner.context)));
        }
    }
    for (node, condition) in new {
        region.restrict(planner, node, condition)?;
    }
    Ok(())
}

fn conjuncts(expr: &Expr) -> Vec<Expr> {
    let mut out = Vec::new();
    tree::conjuncts(expr.clone(), &mut out);
    out
}

/// Whether a condition can be tested on more rows than the query says.
fn is_safe(expr: &Expr) -> bool {
    let fails = |expr: &Expr| matches!(expr, Expr::Call { function, .. } if function.can_fail);
    tree::is_deterministic(expr) && !tree::any(expr, &mut |expr| fails(expr))
}

fn classes(region: &Region) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for condition in &region.conditions {
        let Some((l, r, ty)) = column_pair(region, condition) else { continue };
        let place = |id: ColumnId| classes.iter().position(|class| class.members.contains(&id));
        match (place(l), place(r)) {
            (None, None) => classes.push(Class { ty: ty.clone(), members: vec![l, r] }),
            (Some(at), None) => classes[at].members.push(r),
            (None, Some(at)) => classes[at].members.push(l),
            (Some(a), Some(b)) if a != b => {
                let merged = std::mem::take(&mut classes[b].members);
                classes[a].members.extend(merged);
                classes.remove(b);
            }
            _ => {}
        }
    }
    classes
}

/// The columns of an equality between plain columns of inputs that are no right sides of outer
/// joins. NaN excludes floats: it can be equal as a key, but not in a condition.
pub(super) fn column_pair<'c>(
    region: &Region,
    condition: &'c Condition,
) -> Option<(ColumnId, ColumnId, &'c DataType)> {
    let Condition::Equal(Expr::Column { id: l, ty }, Expr::Column { id: r, .. }) = condition else {
        return None;
    };
    let free =
        |id: ColumnId| region.node_of(id).is_some_and(|node| region.nodes[node].follows.is_none());
    let plain = ty.without_nullable();
    let exact = plain.is_any_integer() || plain.is_string() || plain.fixed_width().is_some();
    (exact && !plain.is_float() && free(*l) && free(*r)).then_some((*l, *r, ty))
}

/// Adds the missing equalities of a class.
fn equate(planner: &mut Planner<'_>, region: &mut Region, class: &Class) -> Result<()> {
    let pairs = region.conditions.iter().filter_map(|condition| column_pair(region, condition));
    let known: HashSet<(ColumnId, ColumnId)> =
        pairs.flat_map(|(l, r, _)| [(l, r), (r, l)]).collect();
    let column = |id: ColumnId| Expr::column(id, class.ty.clone());
    for (at, l) in class.members.iter().enumerate() {
        for r in &class.members[at + 1..] {
            if region.node_of(*l) == region.node_of(*r) {
                let Some(node) = region.node_of(*l) else { continue };
                let equal = planner.call("equals", vec![column(*l), column(*r)])?;
                region.restrict(planner, node, equal)?;
            } else if !known.contains(&(*l, *r)) {
                region.conditions.push(Condition::Equal(column(*l), column(*r)));
            }
        }
    }
    Ok(())
}

/// Copies conditions on each member of a class to the others.
fn copy_within(planner: &mut Planner<'_>, region: &mut Region, class: &Class) -> Result<()> {
    let mut found: Vec<(ColumnId, Vec<Expr>)> = Vec::with_capacity(class.members.len());
    for id in &class.members {
        let Some(node) = region.node_of(*id) else { continue };
        found.push((*id, conditions_on(&region.nodes[node].plan, *id)));
    }
    for (to, own) in &found {
        let Some(node) = region.node_of(*to) else { continue };
        let mut new: Vec<Expr> = Vec::new();
        for (from, conditions) in &found {
            if from != to {
                add_renamed(conditions, (*from, *to), &class.ty, own, &mut new);
            }
        }
        for condition in new {
            region.restrict(planner, node, condition)?;
        }
    }
    Ok(())
}

/// Copies conditions on a column to the right sides of LEFT, SEMI and ANTI joins by that column:
/// other rows have no match.
fn copy_to_followers(
    planner: &mut Planner<'_>,
    region: &mut Region,
    classes: &[Class],
) -> Result<()> {
    for node in 0..region.nodes.len() {
        let Some(follows) = &region.nodes[node].follows else { continue };
        let mut new: Vec<Expr> = Vec::new();
        for (key, to) in &follows.keys {
            let Expr::Column { id, ty } = key else { continue };
            let alone = [*id];
            let class = classes.iter().find(|class| class.members.contains(id));
            let members = class.map_or(&alone[..], |class| &class.members[..]);
            let own = conditions_on(&region.nodes[node].plan, *to);
            for from in members {
                let source = region.node_of(*from).map(|at| &region.nodes[at]);
                let Some(source) = source.filter(|source| source.follows.is_none()) else {
                    continue;
                };
                add_renamed(&conditions_on(&source.plan, *from), (*from, *to), ty, &own, &mut new);
            }
        }
        debug_assert!(follows.strictness != Strictness::Any);
        for condition in new {
            region.restrict(planner, node, condition)?;
        }
    }
    Ok(())
}

fn add_renamed(
    conditions: &[Expr],
    (from, to): (ColumnId, ColumnId),
    ty: &DataType,
    own: &[Expr],
    out: &mut Vec<Expr>,
) {
    for condition in conditions {
        let renamed =
            tree::substitute(condition, &|id| (id == from).then(|| Expr::column(to, ty.clone())));
        if !own.iter().chain(out.iter()).any(|known| tree::same(known, &renamed)) {
            out.push(renamed);
        }
    }
}

/// The simple conditions that a plan applies to one of its columns, over that column.
fn conditions_on(plan: &Plan, id: ColumnId) -> Vec<Expr> {
    let of = |conditions: &[Expr]| {
        conditions.iter().filter(|c| is_simple(c, id)).cloned().collect::<Vec<Expr>>()
    };
    match plan {
        Plan::Scan(Scan { spec, .. }) => of(&spec.filter),
        Plan::Filter(Filter { input, predicates }) => {
            let mut all = of(predicates);
            all.extend(conditions_on(input, id));
            all
        }
        Plan::Project(Project { input, exprs }) => {
            let expr = exprs.iter().find(|(known, _)| *known == id).map(|(_, expr)| expr);
            let Some(Expr::Column { id: from, ty }) = expr else { return Vec::new() };
            let column = |known: ColumnId| (known == *from).then(|| Expr::column(id, ty.clone()));
            let inner = conditions_on(input, *from);
            inner.iter().map(|condition| tree::substitute(condition, &column)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the condition compares only this column, and only with constants.
fn is_simple(condition: &Expr, id: ColumnId) -> bool {
    let is_column = |expr: &Expr| matches!(expr, Expr::Column { id: of, .. } if *of == id);
    match condition {
        Expr::And(args, _) | Expr::Or(args, _) => args.iter().all(|arg| is_simple(arg, id)),
        Expr::InSet { args, negated: false, .. } => matches!(&args[..], [arg] if is_column(arg)),
        Expr::Call { function, args, lambda: None } => match (function.operation(), &args[..]) {
            (Operation::Compare(Comparison::NotEquals), _) => false,
            (Operation::Compare(_), [arg, Expr::Literal { .. }] | [Expr::Literal { .. }, arg]) => {
                is_column(arg)
            }
            _ => false,
        },
        _ => false,
    }
}
