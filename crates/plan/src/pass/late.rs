//! Reads wide columns late: only for the rows that a top-N leaves.
//!
//! Below a LIMIT, a column of a table that no condition, key or sort needs is dropped from the
//! scan, which gives the address of each row instead. A [`Plan::Fetch`] above the limit adds the
//! column for the rows that are left. Expressions over such columns move above it, too. Joins,
//! windows and further sorts in between carry the address along.
//!
//! This pays where rows wait between the scan and the limit: in a sort, or on the build side of a
//! join. Without that, a scan ends as soon as there are enough rows.

mod lift;

use std::collections::HashSet;

use entasis_expr::{ColumnId, Expr};

use self::lift::{Below, Lift, Lifted};
use super::{map_inputs, project, prune};
use crate::physical::{Fetch, Limit, LimitTies, Project, Sort};
use crate::{Plan, Planner};

/// Which columns are read late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateReading {
    /// Whether any are.
    pub enabled: bool,
    /// Whether those of files may be.
    pub of_files: bool,
    /// The greatest limit for which they are; 0 means no bound.
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
    let mut changed = false;
    let plan = attach_below(planner, plan, &mut changed);
    if changed { project::merge(plan) } else { plan }
}

fn attach_below(planner: &mut Planner<'_>, plan: Plan, changed: &mut bool) -> Plan {
    let late = planner.settings.late.rows(&plan).and_then(|rows| read_late(planner, &plan, rows));
    *changed |= late.is_some();
    map_inputs(late.unwrap_or(plan), &mut |input| attach_below(planner, input, changed))
}

/// The plan with columns that are read after it; `None` if there are none.
fn read_late(planner: &mut Planner<'_>, plan: &Plan, rows: u64) -> Option<Plan> {
    let header = plan.header().ok()?;
    let below = Below { waits: false, only_columns: false };
    let lifted = Lift::new(planner, rows).lift(plan, &HashSet::new(), below)?;
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
