//! Common table expressions that are used several times: their rows are computed once, before the
//! query, if that saves more than reading rows again.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_analyze::bind::{self, Connective};
use entasis_analyze::query::{CteUse, RowsSlot, SharedUse};
use entasis_analyze::{Query, tree};
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr, SetSlot};
use entasis_types::DataType;

use crate::explain_tree::inputs;
use crate::lower::conjunction;
use crate::physical::{Filter, Rows};
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
    definitions: Vec<Definition>,
}

/// A common table expression whose rows are computed once.
struct Definition {
    rows: Arc<RowsSlot>,
    /// Its plan, not optimised.
    plan: Plan,
    /// The columns of the rows.
    outputs: Vec<ColumnId>,
}

impl<'f> Shared<'f> {
    pub(crate) fn new(uses: &'f [CteUse]) -> Self {
        Self { uses, known: HashMap::new(), pending: Vec::new(), definitions: Vec::new() }
    }

    /// The plans that must run before the subquery that was planned just now.
    pub(crate) fn take_pending(&mut self) -> Vec<Subquery> {
        std::mem::take(&mut self.pending)
    }

    /// The subqueries without those that only uses need that read the rows of another use, and
    /// without `joined` sets that nothing reads. Those of the query are given with their positions.
    pub(crate) fn without_spare(
        &self,
        subqueries: Vec<(Option<usize>, Subquery)>,
        joined: &[Arc<SetSlot>],
        query: &QueryPlan,
    ) -> Vec<Subquery> {
        let mut kept: Vec<Subquery> = Vec::with_capacity(subqueries.len());
        // Only what follows a subquery can need it.
        for (at, subquery) in subqueries.into_iter().rev() {
            let is_joined = joined.iter().any(|slot| subquery.fills(slot));
            let is_needed = !is_joined && at.is_none_or(|at| !self.is_spare(at))
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
        let pays = is_costly(&planned.plan) && is_bounded(&planned.plan);
        if planned.totals.is_some() || !pays {
            self.shared.known.insert(of.cte, None);
            return Ok(planned);
        }
        let rows = Arc::new(RowsSlot::default());
        let outputs = query.outputs.iter().map(|output| output.id).collect();
        let (of_rows, plan) = (Arc::clone(&rows), planned.plan.clone());
        self.shared.definitions.push(Definition { rows: of_rows, plan, outputs });
        let plan = self.finished(query, planned)?;
        let shared =
            SharedRows { rows: Arc::clone(&rows), estimate: estimate(&plan.root), at: of.at };
        self.shared.pending.push(Subquery::Rows(rows, plan));
        let planned = self.read_shared(query, &shared);
        self.shared.known.insert(of.cte, Some(shared));
        Ok(planned)
    }

    /// Leaves rows of common table expressions out that none of their uses wants. All uses are
    /// planned by now, so that their conditions stand right above the rows.
    pub(crate) fn narrow_shared(
        &mut self,
        subqueries: &mut [(Option<usize>, Subquery)],
        query: &QueryPlan,
    ) -> Result<()> {
        for definition in std::mem::take(&mut self.shared.definitions).into_iter().rev() {
            let of = &definition.rows;
            let is_it =
                |s: &Subquery| matches!(s, Subquery::Rows(rows, _) if Arc::ptr_eq(rows, of));
            let mut wanted = Some(Vec::new());
            let inner = subqueries.iter().map(|(_, subquery)| subquery.plan());
            for plan in inner.chain([query]) {
                for root in [Some(&plan.root), plan.totals.as_ref()].into_iter().flatten() {
                    definition.collect(root, &mut wanted);
                }
            }
            let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) else { continue };
            let any = match wanted.len() {
                1 => wanted,
                _ => vec![bind::connect(Connective::Or, wanted)?],
            };
            let narrowed = crate::lower::filter(definition.plan.clone(), &any);
            let root = self.optimize(narrowed, &definition.outputs)?;
            let found = subqueries.iter_mut().find(|(_, subquery)| is_it(subquery));
            if let Some((_, Subquery::Rows(_, plan))) = found {
                plan.root = root;
            }
        }
        Ok(())
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

impl Definition {
    /// Adds the conditions of the uses in a plan; `None` if a use wants all rows.
    fn collect(&self, plan: &Plan, wanted: &mut Option<Vec<Expr>>) {
        let is_it =
            |plan: &Plan| matches!(plan, Plan::Rows(rows) if Arc::ptr_eq(&rows.rows, &self.rows));
        match plan {
            Plan::Filter(Filter { input, predicates }) if is_it(input) => {
                let Plan::Rows(rows) = &**input else { return };
                let of_definition = |id: ColumnId| {
                    let at = rows.columns.iter().position(|(known, _)| *known == id)?;
                    Some(Expr::column(self.outputs[at], rows.columns[at].1.clone()))
                };
                let usable = predicates.iter().filter(|p| is_known(p));
                let usable = usable.map(|p| tree::substitute(p, &of_definition)).collect();
                match (conjunction(usable), &mut *wanted) {
                    (Some(condition), Some(wanted)) => wanted.push(condition),
                    _ => *wanted = None,
                }
            }
            _ if is_it(plan) => *wanted = None,
            _ => inputs(plan).into_iter().for_each(|input| self.collect(input, wanted)),
        }
    }
}

/// Whether a condition can be evaluated before any subquery has run, and always has the same value.
fn is_known(condition: &Expr) -> bool {
    let is_open = |e: &Expr| match e {
        Expr::Scalar(_) => true,
        Expr::InSet { set, .. } => set.set.get().is_none(),
        _ => false,
    };
    tree::is_deterministic(condition) && !tree::any(condition, &mut |e| is_open(e))
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
        Plan::Aggregate(_) | Plan::Distinct(_) | Plan::Join(_) | Plan::Window(_) | Plan::Limit(_)
    );
    here || inputs(plan).into_iter().any(is_costly)
}

/// Whether all rows can be computed before the query: the sizes of all tables are known, so that
/// none is endless, and the rows do not come from a step of a recursion.
fn is_bounded(plan: &Plan) -> bool {
    let here = match plan {
        Plan::Scan(scan) => scan.table.row_count().is_some(),
        Plan::Rows(rows) => rows.estimate.is_some(),
        _ => true,
    };
    here && inputs(plan).into_iter().all(is_bounded)
}
