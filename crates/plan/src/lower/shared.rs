//! Common table expressions that are used several times: their rows are computed once, before the
//! query, if that saves more than reading rows again.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_analyze::Query;
use entasis_analyze::query::{CteUse, RowsSlot, SharedUse};
use entasis_base::Result;
use entasis_expr::ColumnId;
use entasis_types::DataType;

use crate::explain_tree::inputs;
use crate::physical::Rows;
use crate::{Plan, Planned, Planner, Subquery, estimate};

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

    /// Whether a subquery belongs to a use that reads the rows of another use.
    pub(crate) fn is_spare(&self, subquery: usize) -> bool {
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

/// Whether computing rows takes more than reading and filtering a table.
fn is_costly(plan: &Plan) -> bool {
    let here = matches!(
        plan,
        Plan::Aggregate(_) | Plan::Distinct(_) | Plan::Join(_) | Plan::Window(_) | Plan::Sort(_)
    );
    here || inputs(plan).into_iter().any(is_costly)
}
