//! `x IN (SELECT ...)` whose set is too large for memory becomes a join, which can write to disk.
//!
//! A subquery of IN is planned before the query that tests its rows, so its size is known by then.
//! A small set stays a set: it prunes granules and needs no join. For a large one, the test is
//! written as EXISTS with the rows of the subquery as its plan, and [`super`] joins it like any
//! other: a SEMI or ANTI join below AND, a column that says whether there is a match elsewhere.
//!
//! Each subquery is joined once. If anything still reads its set, for example a second test or a
//! condition of ON, the query is planned again with this set as a set ([`crate::plan`]): computing
//! both would need more than either.

use std::sync::Arc;

use entasis_analyze::{bind, tree};
use entasis_base::Result;
use entasis_expr::{ColumnId, Correlated, CorrelatedKind, Expr, SetSlot, replaced};
use entasis_types::{DataType, Value};

use super::{Unnested, Values};
use crate::estimate::Estimator;
use crate::lower::extend;
use crate::physical::{Distinct, Project};
use crate::{Plan, Planner, QueryPlan};

/// Bytes of a set's hash table per row, besides the values.
const SLOT: f64 = 16.0;
/// Bytes of a value whose length differs from row to row.
const TEXT: f64 = 32.0;

/// When a set of IN becomes a join.
#[derive(Clone, Copy, Debug)]
pub struct SetJoins {
    /// Always.
    pub always: bool,
    /// From this estimated number of different rows on.
    pub rows: u64,
    /// From these estimated bytes on.
    pub bytes: u64,
}

impl Default for SetJoins {
    fn default() -> Self {
        Self { always: false, rows: 10_000_000, bytes: u64::MAX }
    }
}

/// The rows of a set that may be joined.
pub(crate) struct JoinableSet {
    slot: Arc<SetSlot>,
    /// The plan as it was lowered, and the columns of the rows, until they are joined.
    rows: Option<(Plan, Vec<(ColumnId, DataType)>)>,
    /// The subquery that stands for the test in the expression that was rewritten.
    subquery: Option<Arc<Correlated>>,
}

impl Planner<'_> {
    /// Whether sets may be joined. What a setting says about sets and joins applies to what the
    /// query says, so with such settings a set stays one.
    pub(crate) fn joins_sets(&self) -> bool {
        let settings = &self.settings;
        // These ask for what a set does to partitions and granules.
        let asks_for_index = settings.force_primary_key
            || settings.force_partition_key
            || settings.max_partitions_to_read.is_some();
        settings.enable_optimizations
            && !asks_for_index
            && settings.set.is_none()
            && settings.limits.join.is_none()
    }

    /// Remembers the rows of a set if it is to be joined. `lowered` is the plan of its subquery,
    /// `plan` the same after optimisation.
    pub(crate) fn offer_set(&mut self, slot: &Arc<SetSlot>, lowered: Plan, plan: &QueryPlan) {
        if self.kept_sets.iter().any(|kept| Arc::ptr_eq(kept, slot)) {
            return;
        }
        let Ok(header) = plan.root.header() else { return };
        let typed = |id: &ColumnId| header.iter().find(|(known, _)| known == id).cloned();
        let Some(columns) = plan.outputs.iter().map(typed).collect::<Option<Vec<_>>>() else {
            return;
        };
        let mut both = slot.types.iter().zip(&columns);
        if columns.len() != slot.types.len() || !both.all(|(ty, (_, of))| is_joinable(ty, of)) {
            return;
        }
        let estimator = Estimator::default();
        let relation = estimator.relation(&plan.root, &plan.outputs);
        let known = relation.groups(&plan.outputs);
        let rows = known.unwrap_or(relation.rows);
        let SetJoins { always, rows: most, bytes } = self.settings.set_joins;
        if !always && rows < most as f64 && rows * row_bytes(&slot.types) < bytes as f64 {
            return;
        }
        let repeats = known.is_none_or(|known| known < relation.rows / 2.0);
        let lowered = match repeats && !matches!(lowered, Plan::Distinct(_)) {
            true => {
                let input = Box::new(only(lowered, &columns));
                Plan::Distinct(Distinct { input, limit: None })
            }
            false => lowered,
        };
        let rows = Some((lowered, columns));
        self.sets.push(JoinableSet { slot: Arc::clone(slot), rows, subquery: None });
    }

    /// The expression over `plan` with a subquery in the place of each test of a set that is
    /// joined.
    pub(super) fn with_joined_sets(&mut self, plan: &Plan, expr: &Expr) -> Result<Expr> {
        let mut outputs = None;
        let mut error = None;
        let new = replaced(expr, &mut |part| {
            let Expr::InSet { args, set, negated, ty } = part else { return None };
            let at = self
                .sets
                .iter()
                .position(|known| known.subquery.is_none() && Arc::ptr_eq(&known.slot, set))?;
            let outputs = outputs.get_or_insert_with(|| plan.outputs());
            let usable = args.iter().zip(&set.types).all(|(arg, ty)| {
                let mut read = Vec::new();
                arg.columns(&mut read);
                let reads_rows = !read.is_empty() && read.iter().all(|id| outputs.contains(id));
                reads_rows && is_joinable(ty, arg.ty()) && tree::is_deterministic(arg)
            });
            if !usable {
                return None;
            }
            match self.test(at, args, *negated, ty) {
                Ok(test) => Some(test),
                Err(e) => {
                    error = Some(e);
                    None
                }
            }
        });
        error.map_or(Ok(new), Err)
    }

    /// A test of a set as EXISTS, in the form of [`super::exists`].
    fn test(&mut self, set: usize, args: &[Expr], negated: bool, ty: &DataType) -> Result<Expr> {
        let params = args.iter().map(|_| self.fresh()).collect();
        let kind = CorrelatedKind::Exists;
        let subquery = Arc::new(Correlated { params, kind, ty: DataType::UInt8 });
        self.sets[set].subquery = Some(Arc::clone(&subquery));
        let mut found = Expr::Correlated { args: args.into(), subquery };
        if let ([arg], true) = (args, ty.is_nullable()) {
            let is_null = self.call("isNull", vec![arg.clone()])?;
            let null = Expr::literal(Value::Null, DataType::nullable(DataType::UInt8));
            found = self.call("if", vec![is_null, null, found])?;
        }
        if negated {
            found = self.call("not", vec![found])?;
        }
        if found.ty() == ty { Ok(found) } else { bind::cast(found, ty, self.context) }
    }

    /// The rows of a set that is joined, if the subquery stands for one.
    pub(super) fn rows_of_set(&mut self, subquery: &Arc<Correlated>) -> Result<Option<Unnested>> {
        let is_it = |set: &&mut JoinableSet| {
            set.subquery.as_ref().is_some_and(|known| Arc::ptr_eq(known, subquery))
        };
        let found = self.sets.iter_mut().find(is_it).and_then(|set| set.rows.take());
        let Some((plan, columns)) = found else { return Ok(None) };
        // The columns may be those of the query around it if a subquery shows them.
        let mut exprs: Values = Vec::with_capacity(columns.len());
        let mut conditions = Vec::with_capacity(columns.len());
        for ((id, ty), param) in columns.into_iter().zip(&subquery.params) {
            let column = self.fresh();
            let sides = vec![Expr::column(column, ty.clone()), Expr::column(*param, ty.clone())];
            conditions.push(self.call("equals", sides)?);
            exprs.push((column, Expr::column(id, ty)));
        }
        let plan = extend(plan, exprs)?;
        Ok(Some(Unnested { plan, conditions, values: Vec::new(), when_empty: None }))
    }

    /// The sets that were joined.
    pub(crate) fn joined_sets(&self) -> impl Iterator<Item = &Arc<SetSlot>> {
        self.sets.iter().filter(|set| set.subquery.is_some()).map(|set| &set.slot)
    }
}

/// Whether values of both types are equal in a join where they are equal in a set, which holds
/// values of the type `ty`. That is not so for NaN.
fn is_joinable(ty: &DataType, other: &DataType) -> bool {
    let plain = ty.without_nullable();
    let is_simple = !plain.is_float() && (plain.fixed_width().is_some() || plain.is_string());
    is_simple && plain == other.without_nullable()
}

/// The bytes that a row takes in a set.
fn row_bytes(types: &[DataType]) -> f64 {
    let value = |ty: &DataType| ty.without_nullable().fixed_width().map_or(TEXT, |n| n as f64);
    SLOT + types.iter().map(value).sum::<f64>()
}

/// Exactly these columns, each once.
fn only(input: Plan, columns: &[(ColumnId, DataType)]) -> Plan {
    let mut exprs: Values = Vec::with_capacity(columns.len());
    for (id, ty) in columns {
        if !exprs.iter().any(|(known, _)| known == id) {
            exprs.push((*id, Expr::column(*id, ty.clone())));
        }
    }
    Plan::Project(Project { input: Box::new(input), exprs })
}
