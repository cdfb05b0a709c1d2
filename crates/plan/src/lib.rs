//! Turns an analysed query into an optimised physical plan. Pure: no I/O, no threads.
//!
//! [`lower`] builds the plan as the query is written, node by node; then each pass of [`pass`]
//! rewrites the whole tree once. With `enable_optimizations = false`, only lowering happens, and
//! the pruning of columns, which execution relies on.
#![forbid(unsafe_code)]

mod aggregates;
mod cost;
mod estimate;
mod explain;
mod explain_tree;
mod header;
mod join_algorithm;
mod join_order;
mod lower;
pub mod pass;
pub mod physical;
mod unnest;
mod walk;

use crate::physical::Limit;
use std::collections::HashSet;
use std::sync::Arc;

use entasis_analyze::query::Subquery as Analysed;
use entasis_analyze::{Query, bind};
use entasis_base::Result;
use entasis_column::{Field, Header};
use entasis_expr::{ColumnId, Correlated, Expr, SetSlot};
use entasis_function::FunctionContext;
pub use estimate::{estimate, has_few_values};
pub use explain_tree::{
    AskScan, ExplainOptions, PlanNode, explain, explain_lines, explain_tree, scans,
};
pub use header::Columns;
pub use join_algorithm::{JoinAlgorithms, converted_column};
pub use join_order::{BuildSide, JoinOrder};
pub use pass::late::LateReading;
use pass::projections::Found;
pub use pass::projections::ProjectionUse;
pub use pass::sort::ignore_order;
pub use physical::{
    AggregateCall, AsofKey, Band, BandEnd, Bounded, Count, Fetch, Fill, FillRule, FillStep,
    FillValue, Inequality, Join, JoinAlgorithm, JoinKind, KeyRange, Limits, Merging, Most,
    OverWindow, Overflow, Plan, QueryPlan, Recursive, RowsSlot, Slice, SortKey, Strictness,
    Subquery, Window, WindowCall,
};
pub use unnest::SetJoins;

/// Settings of the planner.
#[derive(Clone, Debug)]
pub struct PlanSettings {
    /// Enables all optimisations. They change how a result is computed, but never the result.
    pub enable_optimizations: bool,
    /// The result ends after this many rows, besides the query's own LIMIT; 0 means no limit.
    pub limit: u64,
    /// Number of rows of the result that are skipped.
    pub offset: u64,
    /// The most that the result may be.
    pub result: Most,
    /// What the steps of a SELECT may hold that states nothing else.
    pub limits: Limits,
    /// The most of a set for IN.
    pub set: Most,
    /// Which sets for IN become joins.
    pub set_joins: SetJoins,
    /// Most partitions that are read of a table; 0 means no bound, `None` that the table decides.
    pub max_partitions_to_read: Option<usize>,
    /// FINAL merges only rows of the same partition.
    pub final_by_partition: bool,
    /// Tables are read by their primary key, or the query fails.
    pub force_primary_key: bool,
    /// Tables that have a partition key are read by it, or the query fails.
    pub force_partition_key: bool,
    /// Most columns that are read of a table; 0 means no bound.
    pub max_columns_to_read: u64,
    /// Most columns, constants among them, that a step computes with; 0 means no bound.
    pub max_temporary_columns: u64,
    /// The same without constants.
    pub max_temporary_non_const_columns: u64,
    /// Functions that need only a subcolumn read the subcolumn alone.
    pub functions_to_subcolumns: bool,
    /// GROUP BY reads tables in the order of its keys, if they are sorted so.
    pub aggregation_in_order: bool,
    /// Exact distinct counts are two groupings, also where this is not expected to pay.
    pub count_distinct_twice: bool,
    /// All rows that arrive at the result's limit are counted, so no step below it ends early.
    pub exact_rows_before_limit: bool,
    /// How scans may use skipping indices.
    pub indices: Arc<entasis_table_api::SkipIndices>,
    /// Which projections are used.
    pub projections: ProjectionUse,
    /// In which order tables are joined.
    pub join_order: JoinOrder,
    /// Which columns are read late.
    pub late: LateReading,
    /// Which algorithms joins may use.
    pub join_algorithms: JoinAlgorithms,
    /// Bytes beyond which a hash join would write to disk.
    pub join_memory: u64,
    /// The keys of one side of a join filter scans of the other side.
    pub join_filters: bool,
}

impl Default for PlanSettings {
    fn default() -> Self {
        Self {
            enable_optimizations: true,
            limit: 0,
            offset: 0,
            result: Most::default(),
            limits: Limits { totals_exclude_overflow: true, ..Limits::default() },
            set: Most::default(),
            set_joins: SetJoins::default(),
            max_partitions_to_read: None,
            final_by_partition: false,
            force_primary_key: false,
            force_partition_key: false,
            max_columns_to_read: 0,
            max_temporary_columns: 0,
            max_temporary_non_const_columns: 0,
            functions_to_subcolumns: true,
            aggregation_in_order: false,
            count_distinct_twice: false,
            exact_rows_before_limit: false,
            indices: Arc::default(),
            projections: ProjectionUse::default(),
            join_order: JoinOrder::default(),
            late: LateReading::default(),
            join_algorithms: JoinAlgorithms::default(),
            join_memory: u64::MAX,
            join_filters: true,
        }
    }
}

/// Plans a query. Functions that the planner adds are bound with the query's `context`, like those
/// of the query itself.
pub fn plan(
    query: &Query,
    settings: &PlanSettings,
    context: &dyn FunctionContext,
) -> Result<QueryPlan> {
    let mut kept = Vec::new();
    loop {
        let (plan, of_both) = plan_with(query, settings, context, &kept)?;
        if of_both.is_empty() {
            return Ok(plan);
        }
        kept.extend(of_both);
    }
}

/// A plan, and the sets for IN that it joins and yet reads as sets. The sets `kept` are not joined.
fn plan_with(
    query: &Query,
    settings: &PlanSettings,
    context: &dyn FunctionContext,
    kept: &[Arc<SetSlot>],
) -> Result<(QueryPlan, Vec<Arc<SetSlot>>)> {
    let mut planner = Planner {
        settings: settings.clone(),
        next_id: query.next_id,
        context,
        found: Found::default(),
        correlated: &query.correlated,
        shared: lower::Shared::new(&query.uses),
        sets: Vec::new(),
        kept_sets: kept.to_vec(),
    };
    let mut subqueries = Vec::with_capacity(query.subqueries.len());
    for (at, subquery) in query.subqueries.iter().enumerate() {
        let subquery = planner.subquery(subquery)?;
        let before = planner.shared.take_pending();
        subqueries.extend(before.into_iter().map(|rows| (None, rows)));
        subqueries.push((Some(at), subquery));
    }
    let planned = planner.query(query)?;
    let root = planner.bounded(planned.plan);
    let mut result = planner.finished(query, Planned { plan: root, ..planned })?;
    let last = planner.shared.take_pending();
    subqueries.extend(last.into_iter().map(|rows| (None, rows)));
    planner.narrow_shared(&mut subqueries, &result)?;
    let joined: Vec<Arc<SetSlot>> = planner.joined_sets().map(Arc::clone).collect();
    result.subqueries = planner.shared.without_spare(subqueries, &joined, &result);
    pass::projections::check(&planner)?;
    header::verify(&result)?;
    let is_read = |slot: &Arc<SetSlot>| result.subqueries.iter().any(|s| s.fills(slot));
    let both = joined.into_iter().filter(is_read).collect();
    Ok((result, both))
}

/// A plan, and the plan of its row of totals.
pub(crate) struct Planned {
    pub plan: Plan,
    pub totals: Option<Plan>,
}

/// The state of planning one query.
pub(crate) struct Planner<'f> {
    settings: PlanSettings,
    next_id: u32,
    /// The context in which the planner binds functions.
    context: &'f dyn FunctionContext,
    /// What was found about projections so far.
    found: Found,
    /// The queries of correlated subqueries.
    correlated: &'f [(Arc<Correlated>, Query)],
    /// The common table expressions whose rows are computed once.
    shared: lower::Shared<'f>,
    /// The sets for IN that are joined.
    sets: Vec<unnest::JoinableSet>,
    /// Those that are not, however large they are.
    kept_sets: Vec<Arc<SetSlot>>,
}

impl Planner<'_> {
    fn subquery(&mut self, subquery: &Analysed) -> Result<Subquery> {
        Ok(match subquery {
            Analysed::Set(slot, inner) => {
                let planned = self.query(inner)?;
                let lowered = self.joins_sets().then(|| planned.plan.clone());
                let mut inner = self.finished(inner, planned)?;
                if let Some(lowered) = lowered {
                    let lowered = pass::sort::remove_useless(lowered, true);
                    self.offer_set(slot, lowered, &inner);
                }
                if self.settings.enable_optimizations {
                    inner.root = pass::sort::remove_useless(inner.root, true);
                }
                let inner = pass::bounds::set(inner, self.settings.set)?;
                Subquery::Set(Arc::clone(slot), inner)
            }
            Analysed::Scalar(slot, inner) => {
                Subquery::Scalar(Arc::clone(slot), self.query_plan(inner)?)
            }
        })
    }

    fn query_plan(&mut self, query: &Query) -> Result<QueryPlan> {
        let planned = self.query(query)?;
        self.finished(query, planned)
    }

    /// Adds the limits that the settings set for the whole result.
    fn bounded(&self, mut plan: Plan) -> Plan {
        let PlanSettings { limit, offset, result, .. } = self.settings;
        if limit > 0 || offset > 0 {
            let limit = (limit > 0).then_some(limit);
            plan = Plan::Limit(Limit { input: Box::new(plan), offset, limit });
        }
        pass::bounds::bound(plan, result, Bounded::Result)
    }

    /// The optimised plan with its header.
    fn finished(&mut self, query: &Query, planned: Planned) -> Result<QueryPlan> {
        let outputs: Vec<ColumnId> = query.outputs.iter().map(|o| o.id).collect();
        let root = self.optimize(planned.plan, &outputs)?;
        let totals = match planned.totals {
            Some(totals) => Some(self.optimize(totals, &outputs)?),
            None => None,
        };
        let fields = query.outputs.iter().map(|o| Field::new(Arc::clone(&o.name), o.ty.clone()));
        let header = Header::new(fields.collect());
        Ok(QueryPlan { root, header, outputs, subqueries: Vec::new(), totals })
    }

    fn optimize(&mut self, mut root: Plan, outputs: &[ColumnId]) -> Result<Plan> {
        let exact = self.settings.exact_rows_before_limit;
        if self.settings.enable_optimizations {
            root = pass::predicate::simplify(root, self.context);
            root = pass::filter::push_down(self, root)?;
            root = pass::sort::remove_useless(root, false);
        }
        root = pass::search::attach(self, root);
        let needed: HashSet<ColumnId> = outputs.iter().copied().collect();
        root = pass::prune::prune(root, &needed)?;
        if self.settings.enable_optimizations {
            root = pass::project::merge(root);
            let (simpler, found) = pass::unique::remove_useless(root)?;
            root = if found { pass::prune::prune(simpler, &needed)? } else { simpler };
            root = pass::sort::group_distinct(root, false);
            root = join_order::order(self, root)?;
            root = pass::eager::group_below_joins(self, root);
            if join_algorithm::has_join(&root) {
                root = join_algorithm::choose(self, root)?;
                root = pass::prune::prune(root, &needed)?;
                root = pass::project::merge(root);
            }
            root = pass::grouping_sets::group_first(self, root);
            root = pass::metadata::answer(root);
            root = pass::projections::choose(self, root);
            root = pass::count_distinct::group_twice(self, root);
            if self.settings.functions_to_subcolumns {
                root = pass::subcolumns::attach(self, root);
            }
            if !exact {
                root = pass::sort::behind_limit_by(root);
                root = pass::limit::push(root);
            }
            root = pass::order::conjuncts(root);
            if !exact {
                root = pass::threshold::attach(root);
            }
            root = pass::after_final::attach(root);
        }
        if exact {
            root = pass::limit::push_to_endless(root);
        }
        root = pass::aggregation::choose(root, self.settings.aggregation_in_order && !exact)?;
        root = pass::bounds::attach(root, &self.settings)?;
        if self.settings.enable_optimizations {
            root = pass::late::attach(self, root);
        }
        Ok(root)
    }

    /// A new column id.
    fn fresh(&mut self) -> ColumnId {
        self.next_id += 1;
        ColumnId(self.next_id - 1)
    }

    /// A call of a scalar function.
    fn call(&self, name: &str, args: Vec<Expr>) -> Result<Expr> {
        bind::call(name, args, self.context)
    }
}

#[cfg(test)]
mod tests;
