//! Makes inner joins of outer joins whose rows without a match are dropped later anyway: by a
//! condition that is not true for them, or because a join compares a column that is NULL in them.
//! Missing columns have default values, or NULL if they are Nullable; so a condition is evaluated
//! on a row of defaults.

use std::collections::HashMap;

use entasis_analyze::{bind, tree};
use entasis_base::Result;
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr, Predicate};
use entasis_function::Operation;
use entasis_types::DataType;

use crate::physical::{Filter, Project};
use crate::{Columns, Join, JoinKind, Plan, Planner, Strictness};

/// Which rows of an outer join are dropped: those without a left row, those without a right row.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Dropped {
    left_missing: bool,
    right_missing: bool,
}

impl Dropped {
    /// The kind of the join without these rows.
    fn kind(self, kind: JoinKind) -> JoinKind {
        match (kind, self.left_missing, self.right_missing) {
            (JoinKind::Left, _, true)
            | (JoinKind::Right, true, _)
            | (JoinKind::Full, true, true) => JoinKind::Inner,
            (JoinKind::Full, true, false) => JoinKind::Left,
            (JoinKind::Full, false, true) => JoinKind::Right,
            (other, ..) => other,
        }
    }
}

/// Whether the join is an outer join that could be simplified.
fn is_outer(join: &Join) -> bool {
    join.strictness == Strictness::All
        && matches!(join.kind, JoinKind::Left | JoinKind::Right | JoinKind::Full)
}

/// A simplified join, and conditions above it, which read its columns.
pub(super) struct Simplified {
    /// The join.
    pub join: Box<Join>,
    /// The conditions, over the join's columns.
    pub conditions: Vec<Expr>,
    /// What restores the types of the join's columns; `None` if they are the same.
    pub types: Option<Vec<(ColumnId, Expr)>>,
}

/// Simplifies a join below these conditions.
pub(super) fn simplify(
    planner: &Planner<'_>,
    join: Box<Join>,
    conditions: Vec<Expr>,
) -> Result<Simplified> {
    let is_on = planner.settings.join_order.simplifies_outer;
    if !is_on || !is_outer(&join) || conditions.is_empty() {
        return Ok(Simplified { join, conditions, types: None });
    }
    let (left, right) = join.headers()?;
    let drops = |missing: &Columns| conditions.iter().any(|c| is_false(planner, c, missing));
    let dropped = Dropped {
        left_missing: join.kind != JoinKind::Left && drops(&left),
        right_missing: join.kind != JoinKind::Right && drops(&right),
    };
    without(planner, join, dropped, conditions)
}

/// The join without these rows.
fn without(
    planner: &Planner<'_>,
    mut join: Box<Join>,
    dropped: Dropped,
    mut conditions: Vec<Expr>,
) -> Result<Simplified> {
    let kind = dropped.kind(join.kind);
    if kind == join.kind {
        return Ok(Simplified { join, conditions, types: None });
    }
    let (left, right) = join.headers()?;
    join.kind = kind;
    join.use_nulls &= kind != JoinKind::Inner;
    let (new_left, new_right) = join.headers()?;
    let (before, after) = ([left, right].concat(), [new_left, new_right].concat());
    if before == after {
        return Ok(Simplified { join, conditions, types: None });
    }
    let mut types = Vec::with_capacity(before.len());
    let mut changed = HashMap::new();
    for ((id, old), (_, new)) in before.into_iter().zip(after) {
        let column = Expr::column(id, new.clone());
        if old == new {
            types.push((id, column));
        } else {
            types.push((id, bind::cast(column, &old, planner.context)?));
            changed.insert(id, new);
        }
    }
    let of = |id: ColumnId| {
        let expr = types.iter().find(|(known, _)| *known == id).map(|(_, expr)| expr);
        expr.filter(|_| changed.contains_key(&id)).cloned()
    };
    for condition in &mut conditions {
        let plain = retyped(planner, condition, &changed);
        *condition = plain.unwrap_or_else(|| tree::substitute(condition, &of));
    }
    Ok(Simplified { join, conditions, types: Some(types) })
}

/// A comparison of columns whose types are less often NULL now, without converting them first;
/// `None` for other conditions.
fn retyped(
    planner: &Planner<'_>,
    expr: &Expr,
    changed: &HashMap<ColumnId, DataType>,
) -> Option<Expr> {
    match expr {
        Expr::Column { id, ty } => Some(Expr::column(*id, changed.get(id).unwrap_or(ty).clone())),
        Expr::Literal { .. } => Some(expr.clone()),
        Expr::Call { function, args, lambda: None } => {
            let is_simple = matches!(
                function.operation(),
                Operation::Compare(_)
                    | Operation::Not
                    | Operation::IsNull { .. }
                    | Operation::Like { .. }
            );
            let args: Option<Vec<Expr>> =
                args.iter().map(|arg| retyped(planner, arg, changed)).collect();
            is_simple.then(|| planner.call(function.name, args?).ok()).flatten()
        }
        Expr::Or(args, _) => {
            let args: Option<Vec<Expr>> =
                args.iter().map(|arg| retyped(planner, arg, changed)).collect();
            bind::connect(bind::Connective::Or, args?).ok()
        }
        _ => None,
    }
}

/// Simplifies the outer joins of a plan of which rows with NULL in one of these columns are dropped
/// later.
pub(super) fn without_nulls(
    planner: &Planner<'_>,
    plan: Plan,
    columns: &[ColumnId],
) -> Result<Plan> {
    if columns.is_empty() || !planner.settings.join_order.simplifies_outer {
        return Ok(plan);
    }
    match plan {
        Plan::Filter(Filter { input, predicates }) => {
            let input = Box::new(without_nulls(planner, *input, columns)?);
            Ok(Plan::Filter(Filter { input, predicates }))
        }
        Plan::Project(Project { input, exprs }) => {
            let below: Vec<ColumnId> =
                columns.iter().filter_map(|id| source(&exprs, *id)).collect();
            let input = Box::new(without_nulls(planner, *input, &below)?);
            Ok(Plan::Project(Project { input, exprs }))
        }
        Plan::Join(join) => in_join(planner, join, columns),
        other => Ok(other),
    }
}

/// The column that is NULL in the same rows as a projection's column.
fn source(exprs: &[(ColumnId, Expr)], id: ColumnId) -> Option<ColumnId> {
    match exprs.iter().find(|(known, _)| *known == id) {
        Some((_, Expr::Column { id, .. })) => Some(*id),
        Some((_, Expr::Call { function, args, lambda: None }))
            if function.operation() == Operation::Cast =>
        {
            match &args[..] {
                [Expr::Column { id, .. }, ..] => Some(*id),
                _ => None,
            }
        }
        _ => None,
    }
}

fn in_join(planner: &Planner<'_>, join: Box<Join>, columns: &[ColumnId]) -> Result<Plan> {
    if join.strictness != Strictness::All || join.kind == JoinKind::Paste {
        return Ok(Plan::Join(join));
    }
    let mut dropped = Dropped::default();
    if is_outer(&join) {
        let (left, right) = join.headers()?;
        let is_null =
            |side: &Columns| side.iter().any(|(id, ty)| columns.contains(id) && ty.is_nullable());
        dropped.left_missing = join.kind != JoinKind::Left && is_null(&left);
        dropped.right_missing = join.kind != JoinKind::Right && is_null(&right);
    }
    let Simplified { mut join, types, .. } = without(planner, join, dropped, Vec::new())?;
    let all = matches!(join.kind, JoinKind::Inner | JoinKind::Cross);
    let nothing = || crate::join_order::nothing();
    if all || join.kind == JoinKind::Left {
        let left = std::mem::replace(&mut join.left, nothing());
        join.left = without_nulls(planner, left, columns)?;
    }
    if all || join.kind == JoinKind::Right {
        let right = std::mem::replace(&mut join.right, nothing());
        join.right = without_nulls(planner, right, columns)?;
    }
    Ok(restored(Plan::Join(join), types))
}

/// The plan with the columns that it had.
pub(super) fn restored(plan: Plan, types: Option<Vec<(ColumnId, Expr)>>) -> Plan {
    match types {
        Some(exprs) => Plan::Project(Project { input: Box::new(plan), exprs }),
        None => plan,
    }
}

/// Whether a condition is not true for rows in which these columns are missing, whatever the
/// others are.
fn is_false(planner: &Planner<'_>, condition: &Expr, missing: &Columns) -> bool {
    if !tree::is_deterministic(condition) {
        return false;
    }
    match condition {
        Expr::And(args, _) => args.iter().any(|arg| is_false(planner, arg, missing)),
        Expr::Or(args, _) => args.iter().all(|arg| is_false(planner, arg, missing)),
        other => truth(other, missing) == Some(false) || is_null(planner, other, missing),
    }
}

/// Whether an expression is NULL for rows in which these columns are missing.
fn is_null(planner: &Planner<'_>, expr: &Expr, missing: &Columns) -> bool {
    if !expr.ty().is_nullable() {
        return false;
    }
    if let Expr::Column { id, .. } = expr {
        return missing.iter().any(|(known, _)| known == id);
    }
    if let Expr::Call { function, args, lambda: None } = expr {
        let passes_null = matches!(
            function.operation(),
            Operation::Compare(_) | Operation::Not | Operation::Plus | Operation::Minus
        );
        if passes_null && args.iter().any(|arg| is_null(planner, arg, missing)) {
            return true;
        }
    }
    let asked = planner.call("isNull", vec![expr.clone()]);
    asked.is_ok_and(|asked| truth(&asked, missing) == Some(true))
}

/// The truth of a condition that reads only missing columns; `None` if it reads others, or is not
/// known before the query runs.
fn truth(condition: &Expr, missing: &Columns) -> Option<bool> {
    let is_open = |expr: &Expr| match expr {
        Expr::Column { id, .. } => !missing.iter().any(|(known, _)| known == id),
        Expr::Scalar(_) => true,
        Expr::InSet { set, .. } => set.set.get().is_none(),
        Expr::Call { lambda, .. } => lambda.is_some(),
        _ => false,
    };
    if tree::any(condition, &mut |expr| is_open(expr)) {
        return None;
    }
    let mut ids = Vec::new();
    condition.columns(&mut ids);
    if ids.is_empty() {
        return None;
    }
    let mut values = Vec::with_capacity(ids.len());
    for id in &ids {
        let (_, ty) = missing.iter().find(|(known, _)| known == id)?;
        values.push(Column::default_of(ty, 1));
    }
    let mut predicate = Predicate::new(std::slice::from_ref(condition), &ids).ok()?;
    // An error is one of the query, if it ever looks at such a row.
    Some(predicate.mask(&Chunk::new(values, 1)).ok()?.get(0))
}
