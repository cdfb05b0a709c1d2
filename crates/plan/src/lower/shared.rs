//! Common table expressions that are used several times: their rows are computed once, before the
//! query, if that saves more than reading rows again.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_analyze::query::{CteUse, RowsSlot, SharedUse};
use entasis_analyze::{Query, tree};
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_types::DataType;

use crate::explain_tree::inputs;
use crate::physical::Rows;
use crate::walk::all_expressions;
use crate::{Plan, Planned, Planner, QueryPlan, Subquery, estimate};

/// The rows of a common table expression.
#[derive(Clone)]
pub(crate) struct SharedRows {
    rows: Arc<RowsSlot>,
    /// The estimated number of rows.
    estimate: f64,
    /// The use whose plan computes the rows.
    at: usize,
}

/// What the planner knows about common table expressions.
pub(crate) struct Shared<'f> {
    /// All uses of all of them.
    uses: &'f [CteUse],
    /// Those that were lowered once; `None` stands for one that is computed at each use.
    known: HashMap<usize, Option<SharedRows>>,
    /// Their plans, which run before the next subquery.
    pending: Vec<Subquery>,
}

impl<'f> Shared<'f> {
    pub(crate) fn new(uses: &'f [CteUse]) -> Self {
        Self { uses, known: HashMap::new(), pending: Vec::new() }
    }

    /// The plans that must run before the subquery that was planned just now.
    pub(crate) fn take_pending(&mut self) -> Vec<Subquery> {
        std::mem::take(&mut self.pending)
    }

    /// The subqueries without those that only uses need that read the rows of another use. Those of
    /// the query are given with their positions.
    pub(crate) fn without_spare(
        &self,
        subqueries: Vec<(Option<usize>, Subquery)>,
        query: &QueryPlan,
    ) -> Vec<Subquery> {
        let mut kept: Vec<Subquery> = Vec::with_capacity(subqueries.len());
        // Only what follows a subquery can need it.
        for (at, subquery) in subqueries.into_iter().rev() {
            let is_needed = at.is_none_or(|at| !self.is_spare(at))
                || reads(query, &subquery)
                || kept.iter().any(|later| reads(later.plan(), &subquery));
            if is_needed {
                kept.push(subquery);
            }
        }
        kept.reverse();
        kept
    }

    /// Whether a subquery belongs to a use that reads the rows of another use.
    fn is_spare(&self, subquery: usize) -> bool {
        self.uses.iter().enumerate().any(|(at, of)| {
            let rows = self.known.get(&of.cte).and_then(Option::as_ref);
            of.subqueries.contains(&subquery) && rows.is_some_and(|rows| rows.at != at)
        })
    }
}

impl Planner<'_> {
    /// Plans a use of a common table expression.
    pub(crate) fn shared_query(&mut self, query: &Query, of: SharedUse) -> Result<Planned> {
        let uses = self.shared.uses.iter().filter(|other| other.cte == of.cte).count();
        if uses < 2 || !self.settings.enable_optimizations {
            return self.query_body(query);
        }
        let known = match self.shared.known.get(&of.cte) {
            Some(known) => known.clone(),
            None => return self.first_use(query, of),
        };
        match known {
            Some(rows) => Ok(self.read_shared(query, &rows)),
            None => self.query_body(query),
        }
    }

    fn first_use(&mut self, query: &Query, of: SharedUse) -> Result<Planned> {
        let planned = self.query_body(query)?;
        if planned.totals.is_some() || !is_costly(&planned.plan) {
            self.shared.known.insert(of.cte, None);
            return Ok(planned);
        }
        let plan = self.finished(query, planned)?;
        let rows = Arc::new(RowsSlot::default());
        let shared =
            SharedRows { rows: Arc::clone(&rows), estimate: estimate(&plan.root), at: of.at };
        self.shared.pending.push(Subquery::Rows(rows, plan));
        let planned = self.read_shared(query, &shared);
        self.shared.known.insert(of.cte, Some(shared));
        Ok(planned)
    }

    /// Reads the rows under the columns of a use.
    fn read_shared(&mut self, query: &Query, shared: &SharedRows) -> Planned {
        let mut columns: Vec<(ColumnId, DataType)> = Vec::with_capacity(query.outputs.len());
        for output in &query.outputs {
            let is_known = columns.iter().any(|(id, _)| *id == output.id);
            let id = if is_known { self.fresh() } else { output.id };
            columns.push((id, output.ty.clone()));
        }
        let (rows, estimate) = (Arc::clone(&shared.rows), Some(shared.estimate));
        Planned { plan: Plan::Rows(Rows { columns, rows, estimate }), totals: None }
    }
}

/// Whether a plan needs what a subquery computes.
fn reads(plan: &QueryPlan, subquery: &Subquery) -> bool {
    let is_it = |e: &Expr| match (e, subquery) {
        (Expr::InSet { set, .. }, Subquery::Set(slot, _)) => Arc::ptr_eq(set, slot),
        (Expr::Scalar(value), Subquery::Scalar(slot, _)) => Arc::ptr_eq(value, slot),
        _ => false,
    };
    let mut found = false;
    for root in [Some(&plan.root), plan.totals.as_ref()].into_iter().flatten() {
        all_expressions(root, &mut |expr| found |= tree::any(expr, &mut |e| is_it(e)));
    }
    found
}

/// Whether computing rows takes more than reading and filtering a table.
fn is_costly(plan: &Plan) -> bool {
    let here = matches!(
        plan,
        Plan::Aggregate(_) | Plan::Distinct(_) | Plan::Join(_) | Plan::Window(_) | Plan::Sort(_)
    );
    here || inputs(plan).into_iter().any(is_costly)
}
