//! Moves the conditions that read parameters up to the top of a subquery's plan. The columns that
//! they read come up with them: an equality of an inner expression with an outer one makes the
//! inner expression a further key of every grouping, window and limit on its way.

use std::collections::HashSet;

use entasis_analyze::bind;
use entasis_analyze::join::sides_of;
use entasis_analyze::tree;
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_function::{Operation, registry};
use entasis_types::{DataType, Value};

use super::free::{is_dependent, reads};
use super::{Unnested, Values};
use crate::physical::{
    Aggregate, ArrayJoin, Bound, Distinct, Filter, Limit, LimitBy, Project, Sort,
};
use crate::{AggregateCall, Join, JoinKind, Plan, Planner, Strictness, Window};

type Params = HashSet<ColumnId>;

impl Planner<'_> {
    /// The plan without its parameters; `None` if conditions cannot be moved to its top.
    /// `only_rows` says that it only matters whether there is a row.
    pub(super) fn pulled(
        &mut self,
        plan: Plan,
        params: &Params,
        only_rows: bool,
    ) -> Result<Option<Unnested>> {
        if !is_dependent(&plan, params) {
            let (conditions, values, when_empty) = (Vec::new(), Vec::new(), None);
            return Ok(Some(Unnested { plan, conditions, values, when_empty }));
        }
        match plan {
            Plan::Filter(node) => self.pull_filter(node, params),
            Plan::Project(node) => self.pull_project(node, params, only_rows),
            Plan::Aggregate(node) => self.pull_aggregate(node, params),
            Plan::Distinct(Distinct { input, limit: None }) => {
                let Some(mut below) = self.pulled(*input, params, only_rows)? else {
                    return Ok(None);
                };
                if only_rows {
                    return Ok(Some(below));
                }
                if self.equality_keys(&mut below, params)?.is_none() {
                    return Ok(None);
                }
                let input = Box::new(below.plan);
                below.plan = Plan::Distinct(Distinct { input, limit: None });
                Ok(Some(below))
            }
            Plan::Sort(node) if node.limit.is_none() => self.pull_sort(node, params, only_rows),
            Plan::Limit(node) => self.pull_limit(node, params, only_rows),
            Plan::LimitBy(node) => self.pull_limit_by(node, params),
            Plan::Window(window) => self.pull_window(*window, params),
            Plan::Join(join) => self.pull_join(*join, params),
            Plan::ArrayJoin(node) => self.pull_array_join(node, params),
            Plan::Bound(Bound { input, .. }) => self.pulled(*input, params, only_rows),
            _ => Ok(None),
        }
    }

    fn pull_filter(&mut self, node: Filter, params: &Params) -> Result<Option<Unnested>> {
        let Filter { input, predicates } = node;
        let Some(mut below) = self.pulled(*input, params, false)? else { return Ok(None) };
        let predicates: Vec<Expr> = predicates.iter().map(|p| below.resolved(p)).collect();
        if let Some(known) = &below.when_empty {
            // HAVING of a grouping without keys. A comparison with NULL drops the row that stands
            // for no rows.
            if !predicates.iter().any(|p| drops_empty(p, known)) {
                return Ok(None);
            }
            below.when_empty = None;
        }
        let (outer, inner): (Vec<Expr>, Vec<Expr>) =
            predicates.into_iter().partition(|p| reads(p, params));
        below.conditions.extend(outer);
        below.plan = crate::lower::filter(below.plan, &inner);
        Ok(Some(below))
    }

    fn pull_project(
        &mut self,
        node: Project,
        params: &Params,
        only_rows: bool,
    ) -> Result<Option<Unnested>> {
        let Project { input, exprs } = node;
        let Some(below) = self.pulled(*input, params, only_rows)? else { return Ok(None) };
        let (mut inner, mut values) = (Vec::with_capacity(exprs.len()), Vec::new());
        let mut when_empty = below.when_empty.as_ref().map(|_| Vec::new());
        for (id, expr) in exprs {
            let expr = below.resolved(&expr);
            if let (Some(known), Some(out)) = (&below.when_empty, &mut when_empty)
                && let Some(value) = value_when_empty(&expr, known, params)
            {
                out.push((id, value));
            }
            if reads(&expr, params) {
                values.push((id, expr));
            } else {
                inner.push((id, expr));
            }
        }
        let header = below.plan.header()?;
        let mut needed = Vec::new();
        for expr in below.conditions.iter().chain(values.iter().map(|(_, expr)| expr)) {
            expr.columns(&mut needed);
        }
        for (id, ty) in header {
            let is_there = inner.iter().any(|(known, _)| *known == id);
            if needed.contains(&id) && !is_there {
                inner.push((id, Expr::column(id, ty)));
            }
        }
        let input = Box::new(below.plan);
        let plan = Plan::Project(Project { input, exprs: inner });
        Ok(Some(Unnested { plan, conditions: below.conditions, values, when_empty }))
    }

    fn pull_aggregate(&mut self, node: Aggregate, params: &Params) -> Result<Option<Unnested>> {
        let Aggregate { input, mut keys, calls, limit, algorithm } = node;
        if limit.is_some() {
            return Ok(None);
        }
        let Some(mut below) = self.pulled(*input, params, false)? else { return Ok(None) };
        if !below.values.is_empty() || below.when_empty.is_some() {
            return Ok(None);
        }
        let Some(new) = self.equality_keys(&mut below, params)? else { return Ok(None) };
        let when_empty = keys.is_empty().then(|| counts(&calls));
        keys.extend(new.into_iter().filter(|id| !keys.contains(id)).collect::<Vec<_>>());
        let input = Box::new(below.plan);
        let plan = Plan::Aggregate(Aggregate { input, keys, calls, limit, algorithm });
        let (conditions, values) = (below.conditions, Vec::new());
        Ok(Some(Unnested { plan, conditions, values, when_empty }))
    }

    /// The order matters to functions such as groupArray.
    fn pull_sort(
        &mut self,
        node: Sort,
        params: &Params,
        only_rows: bool,
    ) -> Result<Option<Unnested>> {
        let Some(mut below) = self.pulled(*node.input, params, only_rows)? else {
            return Ok(None);
        };
        let is_value = |id: ColumnId| below.values.iter().any(|(known, _)| *known == id);
        if !only_rows && !node.keys.iter().any(|key| is_value(key.column)) {
            let input = Box::new(below.plan);
            below.plan = Plan::Sort(Sort { input, ..node });
        }
        Ok(Some(below))
    }

    /// The first rows of each value of the parameters.
    fn pull_limit(
        &mut self,
        node: Limit,
        params: &Params,
        only_rows: bool,
    ) -> Result<Option<Unnested>> {
        let Limit { input, offset, limit } = node;
        if only_rows && offset == 0 && limit != Some(0) {
            let input = without_limit(*input);
            return self.pulled(input, params, true);
        }
        let (input, order) = match *input {
            Plan::Sort(Sort { input, keys, .. }) => (*input, Some(keys)),
            other => (other, None),
        };
        let Some(mut below) = self.pulled(input, params, false)? else { return Ok(None) };
        if below.when_empty.is_some() {
            // A grouping without keys has one row.
            return Ok((offset == 0 && limit != Some(0)).then_some(below));
        }
        let in_values = |id: ColumnId| below.values.iter().any(|(known, _)| *known == id);
        if order.iter().flatten().any(|key| in_values(key.column)) {
            return Ok(None);
        }
        let Some(keys) = self.equality_keys(&mut below, params)? else { return Ok(None) };
        if let Some(order) = order {
            let input = Box::new(below.plan);
            let sort = Sort { input, keys: order, limit: None, threshold: None };
            below.plan = Plan::Sort(sort);
        }
        let limit = limit.unwrap_or(u64::MAX);
        let input = Box::new(below.plan);
        below.plan = Plan::LimitBy(LimitBy { input, keys, offset, limit });
        Ok(Some(below))
    }

    fn pull_limit_by(&mut self, node: LimitBy, params: &Params) -> Result<Option<Unnested>> {
        let LimitBy { input, mut keys, offset, limit } = node;
        let (input, order) = match *input {
            Plan::Sort(Sort { input, keys, limit: None, .. }) => (*input, Some(keys)),
            other => (other, None),
        };
        let Some(mut below) = self.pulled(input, params, false)? else { return Ok(None) };
        if below.when_empty.is_some() || !below.values.is_empty() {
            return Ok(None);
        }
        let Some(new) = self.equality_keys(&mut below, params)? else { return Ok(None) };
        keys.extend(new);
        if let Some(order) = order {
            let input = Box::new(below.plan);
            let sort = Sort { input, keys: order, limit: None, threshold: None };
            below.plan = Plan::Sort(sort);
        }
        let input = Box::new(below.plan);
        below.plan = Plan::LimitBy(LimitBy { input, keys, offset, limit });
        Ok(Some(below))
    }

    fn pull_window(&mut self, mut window: Window, params: &Params) -> Result<Option<Unnested>> {
        let Some(mut below) = self.pulled(window.input, params, false)? else { return Ok(None) };
        if below.when_empty.is_some() || !below.values.is_empty() {
            return Ok(None);
        }
        let Some(new) = self.equality_keys(&mut below, params)? else { return Ok(None) };
        window.partition.extend(new);
        window.input = below.plan;
        below.plan = Plan::Window(Box::new(window));
        Ok(Some(below))
    }

    fn pull_array_join(&mut self, node: ArrayJoin, params: &Params) -> Result<Option<Unnested>> {
        let ArrayJoin { input, arrays, left, unaligned } = node;
        let Some(mut below) = self.pulled(*input, params, false)? else { return Ok(None) };
        let depends = |id: &ColumnId| below.values.iter().any(|(known, _)| known == id);
        if below.when_empty.is_some() || arrays.iter().any(|(from, _)| depends(from)) {
            return Ok(None);
        }
        let input = Box::new(below.plan);
        below.plan = Plan::ArrayJoin(ArrayJoin { input, arrays, left, unaligned });
        Ok(Some(below))
    }

    /// Conditions pass a join from both sides if it is an inner join, and from the side whose rows
    /// it keeps otherwise.
    fn pull_join(&mut self, mut join: Join, params: &Params) -> Result<Option<Unnested>> {
        let inner = matches!(join.kind, JoinKind::Inner | JoinKind::Cross)
            && join.strictness == Strictness::All;
        let left_only = join.kind == JoinKind::Left
            && matches!(join.strictness, Strictness::All | Strictness::Semi | Strictness::Anti)
            && !is_dependent(&join.right, params);
        if !inner && !left_only {
            return Ok(None);
        }
        let left = self.pulled(join.left, params, false)?;
        let right = self.pulled(join.right, params, false)?;
        let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
        if left.when_empty.is_some() || right.when_empty.is_some() {
            return Ok(None);
        }
        let mut values = left.values;
        values.extend(right.values);
        let is_value = |id: &ColumnId| values.iter().any(|(known, _)| known == id);
        if join
            .keys
            .iter()
            .any(|(l, r)| is_value(l) || is_value(r) || params.contains(l) || params.contains(r))
        {
            return Ok(None);
        }
        let mut conditions = left.conditions;
        conditions.extend(right.conditions);
        if let Some(residual) = join.residual.take() {
            let residual = substituted(&residual, &values);
            let mut all = Vec::new();
            tree::conjuncts(residual, &mut all);
            let (outer, kept): (Vec<Expr>, Vec<Expr>) =
                all.into_iter().partition(|c| reads(c, params));
            if !inner && !outer.is_empty() {
                return Ok(None);
            }
            conditions.extend(outer);
            join.residual = crate::lower::conjunction(kept);
        }
        (join.left, join.right) = (left.plan, right.plan);
        let mut needed = Vec::new();
        for expr in conditions.iter().chain(values.iter().map(|(_, expr)| expr)) {
            expr.columns(&mut needed);
        }
        let exposed = |side: &Plan, outputs: &mut Vec<ColumnId>| {
            outputs.retain(|id| !is_value(id));
            let all = side.outputs();
            let new = all.into_iter().filter(|id| needed.contains(id));
            let new: Vec<ColumnId> = new.filter(|id| !outputs.contains(id)).collect();
            outputs.extend(new);
        };
        exposed(&join.left, &mut join.left_outputs);
        if join.strictness == Strictness::All {
            exposed(&join.right, &mut join.right_outputs);
        }
        let plan = Plan::Join(Box::new(join));
        Ok(Some(Unnested { plan, conditions, values, when_empty: None }))
    }

    /// The columns of the plan that are equal to expressions over the parameters; the conditions
    /// read them afterwards. `None` if a condition is no such equality.
    fn equality_keys(
        &mut self,
        below: &mut Unnested,
        params: &Params,
    ) -> Result<Option<Vec<ColumnId>>> {
        let is_outer = |e: &Expr| {
            let mut ids = Vec::new();
            e.columns(&mut ids);
            !ids.is_empty() && ids.iter().all(|id| params.contains(id))
        };
        let is_inner = |e: &Expr| !reads(e, params) && tree::is_deterministic(e);
        let (mut keys, mut new) = (Vec::new(), Vec::new());
        let mut conditions = Vec::with_capacity(below.conditions.len());
        for condition in &below.conditions {
            let Some((inner, outer)) = sides_of(condition, &is_inner, &is_outer) else {
                return Ok(None);
            };
            let id = match inner {
                Expr::Column { id, .. } => *id,
                _ => {
                    let id = self.fresh();
                    new.push((id, inner.clone()));
                    id
                }
            };
            if !keys.contains(&id) {
                keys.push(id);
            }
            let key = Expr::column(id, inner.ty().clone());
            conditions.push(bind::call("equals", vec![key, outer.clone()], self.context)?);
        }
        let none = Plan::Values(crate::physical::Values {
            columns: Vec::new(),
            chunk: entasis_column::Chunk::default(),
        });
        let plan = std::mem::replace(&mut below.plan, none);
        below.plan = crate::lower::extend(plan, new)?;
        below.conditions = conditions;
        Ok(Some(keys))
    }
}

impl Unnested {
    /// An expression over the columns of the subquery, with those that read parameters written out.
    fn resolved(&self, expr: &Expr) -> Expr {
        substituted(expr, &self.values)
    }
}

fn substituted(expr: &Expr, values: &Values) -> Expr {
    if values.is_empty() {
        return expr.clone();
    }
    let of = |id: ColumnId| values.iter().find(|(known, _)| *known == id).map(|(_, e)| e.clone());
    tree::substitute(expr, &of)
}

/// Whether a condition on the results of a grouping without keys drops the row that stands for no
/// rows: a comparison with NULL does. `known` are the columns that are not NULL in this row.
pub(super) fn drops_empty(condition: &Expr, known: &Values) -> bool {
    let mut ids = Vec::new();
    condition.columns(&mut ids);
    let is_comparison = matches!(condition, Expr::Call { function, .. }
        if matches!(function.operation(), Operation::Compare(_)));
    is_comparison && !ids.iter().any(|id| known.iter().any(|(known, _)| known == id))
}

/// The value of an expression over the results of aggregates for no rows, if it is not NULL. It may
/// read the parameters.
pub(super) fn value_when_empty(expr: &Expr, known: &Values, params: &Params) -> Option<Expr> {
    let mut ids = Vec::new();
    expr.columns(&mut ids);
    if !ids.iter().all(|id| params.contains(id) || known.iter().any(|(k, _)| k == id)) {
        return None;
    }
    Some(substituted(expr, known))
}

/// The aggregates whose result for no rows is 0 and not NULL. In the reference it is NULL for these
/// as well; SQL wants 0.
pub(super) fn counts(calls: &[AggregateCall]) -> Values {
    let counts = |call: &&AggregateCall| {
        let ty = call.function.return_type();
        let def = registry::base_aggregate(&call.name);
        ty == DataType::UInt64 && def.is_some_and(|d| d.plain_over_nulls || d.name == "count")
    };
    let zero = |call: &AggregateCall| (call.id, Expr::literal(Value::UInt(0), DataType::UInt64));
    calls.iter().filter(counts).map(zero).collect()
}

/// The input of a limit without what the limit needs.
fn without_limit(plan: Plan) -> Plan {
    match plan {
        Plan::Sort(Sort { input, keys, .. }) => {
            Plan::Sort(Sort { input, keys, limit: None, threshold: None })
        }
        other => other,
    }
}
