//! Chooses how each join finds its pairs of rows, after the order of the joins.
//!
//! A join with equalities uses a hash table, unless the setting `join_algorithm` names a merge join
//! first ([`allowed`]), or the right side is a table that keeps hash tables ([`direct`]), or both
//! sides are large and come in the order of the keys ([`merge`], [`row_order`]). A join
//! without them would look at all pairs of rows. It does not have to if its condition is an OR of
//! equalities ([`alternatives`]), or compares a column of the right side with columns of the left
//! one ([`band`]). With equalities, a band is worthwhile if the keys have many rows.

mod allowed;
mod alternatives;
mod band;
pub(crate) mod direct;
mod left_first;
mod merge;
mod row_order;

use std::collections::HashSet;

use entasis_analyze::tree;
use entasis_base::{Result, scope};
use entasis_expr::{ColumnId, Expr, is_deterministic};

pub use self::allowed::JoinAlgorithms;
pub use self::row_order::converted_column;
use crate::estimate::Estimator;
use crate::lower::{conjunction, extend};
use crate::pass::map_inputs;
use crate::physical::{Filter, Project};
use crate::{Join, JoinAlgorithm, JoinKind, Plan, Planner, Strictness};

/// Rows of one key that are worth sorting.
const ROWS_OF_KEY: f64 = 16.0;

/// Chooses the algorithms of all joins of a plan. The result has the plan's columns, and may have
/// more columns within.
pub(crate) fn choose(planner: &mut Planner<'_>, plan: Plan) -> Result<Plan> {
    chosen(planner, &Estimator::default(), plan)
}

fn chosen(planner: &mut Planner<'_>, estimator: &Estimator, plan: Plan) -> Result<Plan> {
    scope::check()?;
    let plan = in_inputs(planner, estimator, plan)?;
    match plan {
        Plan::Filter(Filter { input, predicates }) => match *input {
            Plan::Join(join) if is_cross(&join) => of_cross(planner, join, predicates),
            other => Ok(filter(other, predicates)),
        },
        Plan::Join(join) => Ok(Plan::Join(of_join(planner, estimator, join)?)),
        other => Ok(other),
    }
}

fn in_inputs(planner: &mut Planner<'_>, estimator: &Estimator, plan: Plan) -> Result<Plan> {
    let mut failed = None;
    let plan = map_inputs(plan, &mut |input| match chosen(planner, estimator, input) {
        Ok(plan) => plan,
        Err(error) => {
            failed = Some(error);
            crate::join_order::nothing()
        }
    });
    failed.map_or(Ok(plan), Err)
}

/// Whether a plan has a join for which there is a choice.
pub(crate) fn has_join(plan: &Plan) -> bool {
    let is_join = matches!(plan, Plan::Join(join) if join.kind != JoinKind::Paste);
    is_join || crate::explain_tree::inputs(plan).into_iter().any(has_join)
}

fn is_cross(join: &Join) -> bool {
    let is_plain = join.strictness == Strictness::All && join.residual.is_none();
    join.kind == JoinKind::Cross && is_plain && join.keys.is_empty() && !join.use_nulls
}

fn filter(input: Plan, predicates: Vec<Expr>) -> Plan {
    if predicates.is_empty() {
        return input;
    }
    Plan::Filter(Filter { input: Box::new(input), predicates })
}

/// A cross join whose rows are filtered: conditions that find pairs become a part of the join.
fn of_cross(
    planner: &mut Planner<'_>,
    mut join: Box<Join>,
    mut predicates: Vec<Expr>,
) -> Result<Plan> {
    if let Some(algorithm) = pairs(planner, &mut join, &mut predicates)? {
        join.kind = JoinKind::Inner;
        join.algorithm = algorithm;
        join.residual = conjunction(std::mem::take(&mut predicates));
    }
    Ok(filter(Plan::Join(join), predicates))
}

fn of_join(
    planner: &mut Planner<'_>,
    estimator: &Estimator,
    mut join: Box<Join>,
) -> Result<Box<Join>> {
    if matches!(join.kind, JoinKind::Cross | JoinKind::Paste) {
        return Ok(join);
    }
    join.filters_left = planner.settings.join_filters;
    let has_keys = !join.keys.iter().all(|pair| is_constant(&join, *pair));
    if has_keys {
        let keys: Vec<ColumnId> = join.keys.iter().map(|(_, right)| *right).collect();
        let is_direct =
            direct::computes(join.kind, join.strictness) && direct::has_key(&join.right, &keys);
        let is_direct = is_direct && planner.settings.join_algorithms.prefers_direct();
        if is_direct && direct::asks(estimator, &join) {
            join.algorithm = JoinAlgorithm::Lookup;
        } else if is_direct && direct::keeps(&join.right) {
            join.algorithm = JoinAlgorithm::Direct;
        } else if !merge::choose(planner, estimator, &mut join)?
            && let Some(residual) = join.residual.clone().filter(|_| many_rows(estimator, &join))
        {
            let mut conditions = Vec::new();
            tree::conjuncts(residual, &mut conditions);
            // All conditions are tested again, since rows with NULL have a place among those of
            // their key.
            let mut sides = Sides::of(&join);
            if conditions.iter().all(is_deterministic)
                && let Some(band) = band::find(planner, &mut sides, &mut conditions)
            {
                sides.extend(&mut join)?;
                join.algorithm = JoinAlgorithm::Band(band);
            }
        }
        if matches!(join.algorithm, JoinAlgorithm::Hash) && join.filters_left {
            join.left_first = left_first::most_rows(estimator, &join);
        }
        return Ok(join);
    }
    // The first pair of each key needs keys.
    let finds = match join.strictness {
        Strictness::Asof => false,
        Strictness::Any => join.kind == JoinKind::Left,
        _ => true,
    };
    let Some(residual) = join.residual.clone().filter(|_| finds) else { return Ok(join) };
    let mut conditions = Vec::new();
    tree::conjuncts(residual, &mut conditions);
    if let Some(algorithm) = pairs(planner, &mut join, &mut conditions)? {
        join.keys.clear();
        join.residual = conjunction(conditions);
        join.algorithm = algorithm;
    }
    Ok(join)
}

/// How conditions between both sides find the pairs of a join without keys. Conditions that need
/// not be tested again are taken out.
fn pairs(
    planner: &mut Planner<'_>,
    join: &mut Join,
    conditions: &mut Vec<Expr>,
) -> Result<Option<JoinAlgorithm>> {
    if !conditions.iter().all(is_deterministic) {
        return Ok(None);
    }
    let mut sides = Sides::of(join);
    let found = match alternatives::find(planner, &mut sides, conditions) {
        Some(lists) => Some(JoinAlgorithm::Alternatives(lists)),
        None => band::find(planner, &mut sides, conditions).map(JoinAlgorithm::Band),
    };
    sides.extend(join)?;
    Ok(found)
}

/// The columns of a join's sides, and those that a condition adds to them.
struct Sides {
    left: HashSet<ColumnId>,
    right: HashSet<ColumnId>,
    new: [Vec<(ColumnId, Expr)>; 2],
}

impl Sides {
    fn of(join: &Join) -> Self {
        let [left, right] = [&join.left, &join.right].map(|p| p.outputs().into_iter().collect());
        Self { left, right, new: Default::default() }
    }

    /// Adds the new columns to the join's sides.
    fn extend(self, join: &mut Join) -> Result<()> {
        let [left, right] = self.new;
        let take = |side: &mut Plan| std::mem::replace(side, crate::join_order::nothing());
        join.left = extend(take(&mut join.left), left)?;
        join.right = extend(take(&mut join.right), right)?;
        Ok(())
    }

    fn is_left(&self, expr: &Expr) -> bool {
        reads_only(expr, &self.left)
    }

    fn is_right(&self, expr: &Expr) -> bool {
        reads_only(expr, &self.right)
    }

    /// The column of the left side that holds an expression.
    fn left_column(&mut self, planner: &mut Planner<'_>, expr: &Expr) -> ColumnId {
        planner.key_of(expr, &mut self.new[0])
    }

    /// The column of the right side that holds an expression.
    fn right_column(&mut self, planner: &mut Planner<'_>, expr: &Expr) -> ColumnId {
        planner.key_of(expr, &mut self.new[1])
    }
}

/// Whether an expression reads columns, and only these.
fn reads_only(expr: &Expr, columns: &HashSet<ColumnId>) -> bool {
    let mut ids = Vec::new();
    expr.columns(&mut ids);
    !ids.is_empty() && ids.iter().all(|id| columns.contains(id))
}

/// Whether both columns of a key are the same constant in all rows.
fn is_constant(join: &Join, (left, right): (ColumnId, ColumnId)) -> bool {
    match (constant(&join.left, left), constant(&join.right, right)) {
        (Some(Expr::Literal { value: a, .. }), Some(Expr::Literal { value: b, .. })) => {
            a == b && !a.is_null()
        }
        _ => false,
    }
}

fn constant(plan: &Plan, id: ColumnId) -> Option<&Expr> {
    match plan {
        Plan::Project(Project { input, exprs }) => {
            match &exprs.iter().find(|(known, _)| *known == id)?.1 {
                Expr::Column { id: from, .. } => constant(input, *from),
                expr @ Expr::Literal { .. } => Some(expr),
                _ => None,
            }
        }
        Plan::Filter(Filter { input, .. }) => constant(input, id),
        _ => None,
    }
}

/// Whether a key of a join has so many right rows that they are worth sorting, and it does not
/// matter which of them comes first.
fn many_rows(estimator: &Estimator, join: &Join) -> bool {
    let is_any = match join.strictness {
        Strictness::All => false,
        Strictness::Semi | Strictness::Anti => !join.right_outputs.is_empty(),
        Strictness::Any | Strictness::Asof => true,
    };
    if is_any {
        return false;
    }
    let keys: Vec<ColumnId> = join.keys.iter().map(|(_, right)| *right).collect();
    let relation = estimator.relation(&join.right, &keys);
    let distinct = keys.iter().map(|id| relation.numbers(*id).and_then(|numbers| numbers.distinct));
    let known: Option<Vec<f64>> = distinct.collect();
    known.is_some_and(|known| relation.rows / known.iter().product::<f64>().max(1.0) >= ROWS_OF_KEY)
}
