//! Reads wide columns late: only for the rows that are left at the end.
//!
//! Below a LIMIT, or below joins that keep few rows, a column of a table that no condition, key or
//! sort needs is dropped from the scan, which gives the address of each row instead. A
//! [`Plan::Fetch`] above adds the column for the rows that are left. Expressions over such columns
//! move above it, too. Joins, windows and further sorts in between carry the address along.
//!
//! Below a LIMIT this pays where rows wait between the scan and the limit: in a sort, or on the
//! build side of a join. Without that, a scan ends as soon as there are enough rows. Without a
//! LIMIT it pays if estimates say that a join leaves a small share of the rows of a side, and if
//! the side's scan does not leave the others out by itself, because it knows the keys of the join.

mod lift;

use std::collections::HashSet;

use entasis_expr::{ColumnId, Expr};

use self::lift::{Below, LEAST_REDUCTION, Left, Lift, Lifted};
use super::{map_inputs, project, prune};
use crate::estimate::Estimator;
use crate::explain_tree::inputs;
use crate::physical::{Aggregate, Distinct, Fetch, Filter, Limit, LimitTies, Project, Scan, Sort};
use crate::{Plan, Planner};

/// Which columns are read late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateReading {
    /// Whether any are.
    pub enabled: bool,
    /// Whether those of files may be.
    pub of_files: bool,
    /// The greatest limit below which they are; 0 means no bound.
    pub max_limit: u64,
}

impl Default for LateReading {
    fn default() -> Self {
        Self { enabled: true, of_files: true, max_limit: 10_000 }
    }
}

impl LateReading {
    /// Whether this node leaves few enough rows to read columns of them late. Answers how many.
    fn rows(self, plan: &Plan) -> Option<u64> {
        let rows = match plan {
            Plan::Limit(Limit { limit, .. }) | Plan::Sort(Sort { limit, .. }) => *limit,
            Plan::LimitTies(LimitTies { limit, .. }) => Some(*limit),
            _ => None,
        };
        rows.filter(|rows| self.max_limit == 0 || *rows <= self.max_limit)
    }
}

/// Reads columns late wherever that pays.
pub(crate) fn attach(planner: &mut Planner<'_>, plan: Plan) -> Plan {
    if !planner.settings.late.enabled {
        return plan;
    }
    let mut pass = Pass { planner, estimator: Estimator::default(), changed: false };
    let plan = attach_below(&mut pass, plan, Above::default());
    if pass.changed { project::merge(plan) } else { plan }
}

/// What all steps of the pass share.
struct Pass<'p, 'f> {
    planner: &'p mut Planner<'f>,
    estimator: Estimator,
    changed: bool,
}

/// What becomes of the rows of a node.
#[derive(Clone, Copy, Default)]
struct Above {
    /// They must pass as they come: a limit may end the reading, or their order in morsels counts.
    streams: bool,
    /// The keys of a join above may filter scans below, which they would not reach through a fetch.
    filtered: bool,
}

impl Above {
    /// The same of the rows of an input.
    fn input(self, plan: &Plan) -> Self {
        match plan {
            Plan::Sort(_) | Plan::Window(_) => Self::default(),
            Plan::Limit(Limit { limit, .. }) | Plan::Distinct(Distinct { limit, .. }) => {
                Self { streams: self.streams || limit.is_some(), ..self }
            }
            Plan::LimitTies(_) => Self { streams: true, ..self },
            Plan::Aggregate(Aggregate { limit, algorithm, .. }) => {
                Self { streams: limit.is_some() || !algorithm.sorted().is_empty(), ..self }
            }
            _ => self,
        }
    }
}

fn attach_below(pass: &mut Pass<'_, '_>, plan: Plan, above: Above) -> Plan {
    let left = match pass.planner.settings.late.rows(&plan) {
        Some(rows) => Some(Left::AtMost(rows as f64)),
        None if above.streams || above.filtered => None,
        None => left_by_joins(&pass.estimator, &plan).map(Left::About),
    };
    let late = left.and_then(|left| read_late(pass, &plan, left));
    pass.changed |= late.is_some();
    let plan = late.unwrap_or(plan);
    let of_input = above.input(&plan);
    match plan {
        Plan::Join(mut join) => {
            let left = Above { filtered: true, ..of_input };
            join.left = attach_below(pass, join.left, left);
            join.right = attach_below(pass, join.right, Above::default());
            Plan::Join(join)
        }
        other => map_inputs(other, &mut |input| attach_below(pass, input, of_input)),
    }
}

/// About how many rows a join and the conditions above it leave, if they are few compared with a
/// table below.
fn left_by_joins(estimator: &Estimator, plan: &Plan) -> Option<f64> {
    let joins = match plan {
        Plan::Join(_) => true,
        Plan::Filter(Filter { input, .. }) => matches!(**input, Plan::Join(_)),
        _ => false,
    };
    let rows = joins.then(|| estimator.relation(plan, &[]).rows)?;
    (largest(plan) >= rows * LEAST_REDUCTION).then_some(rows)
}

/// The number of rows of the largest table below a node.
fn largest(plan: &Plan) -> f64 {
    match plan {
        Plan::Scan(Scan { table, .. }) => table.row_count().map_or(0.0, |rows| rows as f64),
        other => inputs(other).into_iter().map(largest).fold(0.0, f64::max),
    }
}

/// The plan with columns that are read after it; `None` if there are none.
fn read_late(pass: &mut Pass<'_, '_>, plan: &Plan, left: Left) -> Option<Plan> {
    let header = plan.header().ok()?;
    let below = Below { waits: false, only_columns: false, most: f64::INFINITY };
    let lifted = Lift::new(pass, left).lift(plan, &HashSet::new(), below)?;
    if lifted.fetches.is_empty() {
        return None;
    }
    let Lifted { mut plan, fetches, computed } = lifted;
    for fetched in fetches {
        plan = Plan::Fetch(Box::new(Fetch { input: plan, ..fetched }));
    }
    let plan = with_computed(plan, computed)?;
    let exprs = header.iter().map(|(id, ty)| (*id, Expr::column(*id, ty.clone()))).collect();
    let plan = Plan::Project(Project { input: Box::new(plan), exprs });
    let needed = header.into_iter().map(|(id, _)| id).collect();
    prune::prune(plan, &needed).ok()
}

/// Computes expressions above a plan. An expression may read those before it.
fn with_computed(mut plan: Plan, mut computed: Vec<(ColumnId, Expr)>) -> Option<Plan> {
    while !computed.is_empty() {
        let waiting: Vec<ColumnId> = computed.iter().map(|(id, _)| *id).collect();
        let is_ready = |(_, expr): &(ColumnId, Expr)| {
            let mut read = Vec::new();
            expr.columns(&mut read);
            !read.iter().any(|id| waiting.contains(id))
        };
        let (ready, later): (Vec<_>, Vec<_>) = computed.into_iter().partition(is_ready);
        if ready.is_empty() {
            return None;
        }
        let known = plan.header().ok()?;
        let known = known.into_iter().map(|(id, ty)| (id, Expr::column(id, ty)));
        let exprs = known.chain(ready).collect();
        plan = Plan::Project(Project { input: Box::new(plan), exprs });
        computed = later;
    }
    Some(plan)
}
