//! Removes steps that change nothing because rows are unique already: DISTINCT over the keys of a
//! GROUP BY, and outer joins whose columns are not used and that have one match for each row at
//! most.

use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};

use super::map_inputs;
use crate::header::type_in;
use crate::physical::{
    Aggregate, Bound, Distinct, Filter, Limit, LimitBy, Project, Scan, Sort, Values,
};
use crate::{Join, JoinKind, Plan, Strictness};

/// Removes such steps from the plan. A plan without joins and DISTINCT stays as it is. Returns
/// whether there was one, whose columns are then not needed any more.
pub(crate) fn remove_useless(plan: Plan) -> Result<(Plan, bool)> {
    let mut found = false;
    let plan = if has_candidate(&plan) { removed(plan, &mut found)? } else { plan };
    Ok((plan, found))
}

fn removed(plan: Plan, found: &mut bool) -> Result<Plan> {
    let mut failed = None;
    let plan = map_inputs(plan, &mut |input| match removed(input, found) {
        Ok(plan) => plan,
        Err(error) => {
            failed = Some(error);
            crate::join_order::nothing()
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    match plan {
        Plan::Distinct(Distinct { input, limit }) => {
            let outputs = input.outputs();
            let is_unique =
                unique(&input).is_some_and(|keys| keys.iter().all(|key| outputs.contains(key)));
            *found |= is_unique;
            Ok(if is_unique { *input } else { Plan::Distinct(Distinct { input, limit }) })
        }
        Plan::Join(join) => kept_side(join, found),
        other => Ok(other),
    }
}

fn has_candidate(plan: &Plan) -> bool {
    matches!(plan, Plan::Join(_) | Plan::Distinct(_))
        || crate::explain_tree::inputs(plan).into_iter().any(has_candidate)
}

/// One side of a join that returns each row of this side once, and nothing else; otherwise the
/// join.
fn kept_side(join: Box<Join>, found: &mut bool) -> Result<Plan> {
    let once = |side: &Plan, keys: &mut dyn Iterator<Item = ColumnId>| {
        let keys: Vec<ColumnId> = keys.collect();
        join.strictness == Strictness::Any && can_be_read(side)
            || join.strictness == Strictness::All
                && unique(side).is_some_and(|unique| unique.iter().all(|id| keys.contains(id)))
    };
    let left_kept = join.kind == JoinKind::Left
        && join.right_outputs.is_empty()
        && once(&join.right, &mut join.keys.iter().map(|(_, r)| *r));
    let right_kept = join.kind == JoinKind::Right
        && join.strictness == Strictness::All
        && join.left_outputs.is_empty()
        && once(&join.left, &mut join.keys.iter().map(|(l, _)| *l));
    *found |= left_kept || right_kept;
    match (left_kept, right_kept) {
        (true, _) => exactly(join.left, &join.left_outputs),
        (_, true) => exactly(join.right, &join.right_outputs),
        _ => Ok(Plan::Join(join)),
    }
}

/// Whether the tables of a plan certainly can be read: a Set table cannot, and a query that reads
/// it must fail. Tables of which the stored bytes are known can. The totals of a subquery belong to
/// the result, so that it must run.
fn can_be_read(plan: &Plan) -> bool {
    match plan {
        Plan::Totals(_) => false,
        Plan::Scan(Scan { table, .. }) => table.column_bytes(0).is_some(),
        other => crate::explain_tree::inputs(other).into_iter().all(can_be_read),
    }
}

/// The plan with these of its columns.
fn exactly(plan: Plan, wanted: &[ColumnId]) -> Result<Plan> {
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

/// Columns that are together different in all rows, where NULL is a value like others; `None` if no
/// such columns are known.
fn unique(plan: &Plan) -> Option<Vec<ColumnId>> {
    match plan {
        Plan::Values(Values { chunk, .. }) => (chunk.rows <= 1).then(Vec::new),
        Plan::Aggregate(Aggregate { keys, .. }) => Some(keys.clone()),
        Plan::Distinct(Distinct { input, .. }) => Some(input.outputs()),
        Plan::LimitBy(LimitBy { keys, limit: 1, .. }) => Some(keys.clone()),
        Plan::LimitBy(LimitBy { input, .. })
        | Plan::Filter(Filter { input, .. })
        | Plan::Sort(Sort { input, .. })
        | Plan::Limit(Limit { input, .. })
        | Plan::Bound(Bound { input, .. }) => unique(input),
        Plan::Project(Project { input, exprs }) => {
            let renamed = |key: &ColumnId| {
                let is_it = |expr: &Expr| matches!(expr, Expr::Column { id, .. } if id == key);
                exprs.iter().find(|(_, expr)| is_it(expr)).map(|(id, _)| *id)
            };
            unique(input)?.iter().map(renamed).collect()
        }
        Plan::Join(join) => match (join.kind, join.strictness) {
            (JoinKind::Left, Strictness::Semi | Strictness::Anti) => unique(&join.left),
            (JoinKind::Right, Strictness::Semi | Strictness::Anti) => unique(&join.right),
            _ => None,
        },
        _ => None,
    }
}
