//! From an analysed query to an optimised physical plan. Pure: no I/O, no threads.
//!
//! [`lower`] builds the plan as the query is written, node by node; then each pass of [`pass`]
//! rewrites the whole tree once. With `enable_optimizations = false` only lowering happens (and the
//! pruning of columns, which execution relies on).
#![forbid(unsafe_code)]

mod aggregates;
mod explain;
mod lower;
pub mod pass;
pub mod physical;

use std::collections::HashSet;

use entasis_analyze::Query;
use entasis_analyze::query::Subquery as Analysed;
use entasis_base::Result;
use entasis_column::{Field, Header};
use entasis_expr::ColumnId;
use entasis_types::DataType;

pub use explain::explain;
pub use physical::{
    AggregateCall, Closest, Inequality, Join, JoinKind, Plan, QueryPlan, SortKey, Strictness,
    Subquery,
};

/// Settings of the planner.
#[derive(Clone, Debug)]
pub struct PlanSettings {
    /// Everything that may change how, never what.
    pub enable_optimizations: bool,
}

impl Default for PlanSettings {
    fn default() -> Self {
        Self { enable_optimizations: true }
    }
}

/// The plan of a query.
pub fn plan(query: &Query, settings: &PlanSettings) -> Result<QueryPlan> {
    let mut planner = Planner {
        optimize: settings.enable_optimizations,
        next_id: query.next_id,
        types: Vec::with_capacity(query.next_id as usize + 8),
    };
    let mut subqueries = Vec::with_capacity(query.subqueries.len());
    for subquery in &query.subqueries {
        subqueries.push(match subquery {
            Analysed::Set(slot, inner) => {
                let mut inner = planner.query_plan(inner)?;
                if planner.optimize {
                    inner.root = pass::sort::remove_useless(inner.root, true);
                }
                Subquery::Set(std::sync::Arc::clone(slot), inner)
            }
            Analysed::Scalar(slot, inner) => {
                Subquery::Scalar(std::sync::Arc::clone(slot), planner.query_plan(inner)?)
            }
        });
    }
    let mut result = planner.query_plan(query)?;
    result.subqueries = subqueries;
    Ok(result)
}

/// The state of planning one query.
pub(crate) struct Planner {
    optimize: bool,
    next_id: u32,
    /// Types of columns by id, as far as met.
    types: Vec<Option<DataType>>,
}

impl Planner {
    fn query_plan(&mut self, query: &Query) -> Result<QueryPlan> {
        let root = self.query(query)?;
        let outputs: Vec<ColumnId> = query.outputs.iter().map(|o| o.id).collect();
        let root = self.optimize(root, &outputs)?;
        let fields =
            query.outputs.iter().map(|o| Field::new(std::sync::Arc::clone(&o.name), o.ty.clone()));
        let header = Header::new(fields.collect());
        Ok(QueryPlan { root, header, outputs, subqueries: Vec::new() })
    }

    fn optimize(&mut self, mut root: Plan, outputs: &[ColumnId]) -> Result<Plan> {
        if self.optimize {
            root = pass::predicate::simplify(root);
            root = pass::filter::push_down(self, root)?;
            root = pass::sort::remove_useless(root, false);
        }
        let needed: HashSet<ColumnId> = outputs.iter().copied().collect();
        root = pass::prune::prune(root, &needed, self);
        if self.optimize {
            root = pass::project::merge(root);
            root = pass::metadata::answer(root);
            root = pass::join::choose_sides(root);
            root = pass::limit::push(root);
            root = pass::order::conjuncts(root);
            root = pass::threshold::attach(root, self);
        }
        Ok(root)
    }

    /// A new column.
    fn fresh(&mut self, ty: DataType) -> ColumnId {
        let id = ColumnId(self.next_id);
        self.next_id += 1;
        self.set_type(id, ty);
        id
    }

    fn set_type(&mut self, id: ColumnId, ty: DataType) {
        let at = id.0 as usize;
        if self.types.len() <= at {
            self.types.resize(at + 1, None);
        }
        self.types[at].get_or_insert(ty);
    }

    /// From here on a column may be NULL.
    fn make_nullable(&mut self, id: ColumnId) {
        let ty = self.type_of(id);
        if ty.can_be_nullable()
            && let Some(slot) = self.types.get_mut(id.0 as usize)
        {
            *slot = Some(DataType::nullable(ty));
        }
    }

    /// The type of a column that was met before.
    fn type_of(&self, id: ColumnId) -> DataType {
        self.types.get(id.0 as usize).cloned().flatten().unwrap_or(DataType::Nothing)
    }
}

#[cfg(test)]
mod tests;
