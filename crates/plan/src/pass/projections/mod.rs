//! Reads projections instead of tables, where they hold all that is needed and less has to be read.
//!
//! [`grouped`] replaces an aggregation by one over the states of a projection; [`sorted`] replaces
//! a scan by one of the same rows in another order. Parts of the table that lack the projection are
//! read as they are, in the same query.
//!
//! Invariant: a projection never changes an answer. It is left aside for FINAL, and expressions
//! that another time zone could change count only if it was bound in the query's.

mod grouped;
mod sorted;

use crate::physical::Scan;
use std::sync::Arc;

use entasis_analyze::tree;
use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{ProjectionQuery, ProjectionSnapshot, ReadEstimate, ScanSpec, Snapshot};
use entasis_types::DataType;

use super::map_inputs;
use crate::{Plan, Planner};

/// Which projections a query uses.
#[derive(Clone, Debug, Default)]
pub struct ProjectionUse {
    /// Projections are not used at all.
    pub off: bool,
    /// The projection that is used wherever it can be, whatever it costs; empty for none.
    pub preferred: String,
    /// The query fails if it reads tables with projections and uses none.
    pub force: bool,
    /// The query fails if it does not use this projection; empty for none.
    pub force_name: String,
}

/// What was found while the parts of a query were planned.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The names of the projections that are read.
    used: Vec<Arc<str>>,
    /// Whether there is a table that is read without a projection.
    reads_tables: bool,
}

/// Replaces scans of tables by scans of projections.
pub(crate) fn choose(planner: &mut Planner<'_>, plan: Plan) -> Plan {
    if planner.settings.projections.off {
        return plan;
    }
    if let Some(answer) = grouped::find(planner, &plan) {
        return grouped::replaced(planner, plan, answer);
    }
    if let Plan::Scan(_) = &plan {
        return sorted::replaced(planner, plan);
    }
    map_inputs(plan, &mut |input| choose(planner, input))
}

/// Fails if the settings of a query insist on projections that it does not use.
pub(crate) fn check(planner: &Planner<'_>) -> Result<()> {
    let (wanted, found) = (&planner.settings.projections, &planner.found);
    if wanted.off {
        return Ok(());
    }
    if wanted.force && found.reads_tables && found.used.is_empty() {
        let message = "No projection is used when optimize_use_projections = 1 and \
                       force_optimize_projection = 1";
        return Err(Error::new(codes::PROJECTION_NOT_USED, message));
    }
    let name = &wanted.force_name;
    if !name.is_empty() && !found.used.iter().any(|used| **used == **name) {
        let message = format!(
            "Projection {name} is specified in setting force_optimize_projection_name but not used"
        );
        return Err(Error::new(codes::INCORRECT_DATA, message));
    }
    Ok(())
}

/// A scan of a table, taken apart.
struct TableRead {
    table: Arc<dyn Snapshot>,
    name: Arc<str>,
    types: Vec<(ColumnId, DataType)>,
    spec: ScanSpec,
}

impl TableRead {
    /// The scan of a node, if its rows may come from projections.
    fn of(plan: &Plan) -> Option<Self> {
        let Plan::Scan(Scan { table, name, types, spec }) = plan else { return None };
        let is_plain = !spec.final_ && spec.limit.is_none() && spec.sorted_prefix == 0;
        is_plain.then(|| Self {
            table: Arc::clone(table),
            name: Arc::clone(name),
            types: types.clone(),
            spec: spec.clone(),
        })
    }

    fn scan(&self, table: &Arc<dyn Snapshot>, spec: ScanSpec) -> Plan {
        let (table, name) = (Arc::clone(table), Arc::clone(&self.name));
        Plan::Scan(Scan { table, name, types: self.types.clone(), spec })
    }

    /// Replaces positions of the table in an expression of a projection by the scan's columns.
    /// `None` if the scan does not read one of them.
    fn over_scan(&self, expr: &Expr) -> Option<Expr> {
        let mut ids = Vec::new();
        expr.columns(&mut ids);
        let of = |id: ColumnId| {
            let is_it =
                |c: &&entasis_table_api::ScanColumn| c.whole_position() == Some(id.0 as usize);
            let column = self.spec.columns.iter().find(is_it)?;
            let (_, ty) = self.types.iter().find(|(of, _)| *of == column.id)?;
            Some(Expr::column(column.id, ty.clone()))
        };
        if !ids.iter().all(|id| of(*id).is_some()) {
            return None;
        }
        Some(tree::substitute(expr, &of))
    }

    /// The conditions of the scan that a projection has not yet applied. `None` if it leaves out
    /// rows that the scan wants.
    fn rest_of_filter(&self, query: &ProjectionQuery) -> Option<Vec<Expr>> {
        let mut applied = Vec::with_capacity(query.filter.len());
        for condition in &query.filter {
            applied.push(self.over_scan(condition)?);
        }
        let is_wanted = |c: &Expr| self.spec.filter.iter().any(|own| tree::same(own, c));
        if !applied.iter().all(is_wanted) {
            return None;
        }
        let is_left = |c: &&Expr| !applied.iter().any(|done| tree::same(done, c));
        Some(self.spec.filter.iter().filter(is_left).cloned().collect())
    }
}

/// Whether an expression of a projection means the same in the query. Only calls can depend on
/// where they were bound.
fn means_the_same(planner: &Planner<'_>, query: &ProjectionQuery, expr: &Expr) -> bool {
    query.time_zone == planner.context.time_zone()
        || !tree::any(expr, &mut |e| matches!(e, Expr::Call { .. }))
}

/// What a scan of a projection and of the parts without it reads.
fn cost(
    projection: &ProjectionSnapshot,
    own: &ScanSpec,
    of_table: &ScanSpec,
) -> Option<ReadEstimate> {
    let mut cost = projection.rows.estimate(own)?;
    if let Some(rest) = &projection.rest {
        let rest = rest.estimate(of_table)?;
        cost.granules += rest.granules;
        cost.rows += rest.rows;
    }
    Some(cost)
}

/// Whether the first of two ways to read is the better one. `preferred` counts above all.
fn is_better(
    planner: &Planner<'_>,
    (name, cost): (&str, ReadEstimate),
    (other, best): (&str, ReadEstimate),
) -> bool {
    let preferred = &planner.settings.projections.preferred;
    let rank = |name: &str, cost: ReadEstimate| {
        (preferred.is_empty() || name != preferred, cost.granules, cost.rows)
    };
    rank(name, cost) < rank(other, best)
}
