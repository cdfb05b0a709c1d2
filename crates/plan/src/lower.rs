//! Lowers the analysed query to a plan, one clause after the other, without optimising.

mod join;
mod limits;
mod sets;
mod shared;
mod totals;
mod window;

pub(crate) use join::conjunction;
pub(crate) use shared::Shared;

use crate::physical::{
    Aggregate, AggregateAlgorithm, ArrayJoin, Distinct, Filter, Limit, LimitBy, OrElse, Project,
    Rows, Scan, Sort, Union, Values,
};
use std::sync::Arc;

use entasis_analyze::Query;
use entasis_analyze::query::{ArrayJoinStep, Body, From, Group, Select, TableScan};
use entasis_analyze::tree;
use entasis_base::{Result, scope};
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr};
use entasis_table_api::{ScanSpec, SkipIndices};
use entasis_types::{DataType, Value};

use crate::aggregates::{self, Regrouped};
use crate::header::type_in;
use crate::pass::bounds::{self, bound};
use crate::{AggregateCall, Bounded, Most, Overflow, Plan, Planned, Planner, SortKey};

impl Planner<'_> {
    /// Plans a query; the plan's outputs include the query's.
    pub(crate) fn query(&mut self, query: &Query) -> Result<Planned> {
        match query.shared {
            Some(of) => self.shared_query(query, of),
            None => self.query_body(query),
        }
    }

    fn query_body(&mut self, query: &Query) -> Result<Planned> {
        match &query.body {
            Body::Select(select) => self.select(select),
            Body::Union(union) => self.union(union),
            Body::Recursive(recursive) => {
                let plan = self.recursive(recursive)?;
                Ok(Planned { plan, totals: None })
            }
        }
    }

    /// A SELECT, under its own bounds if it states some.
    fn select(&mut self, select: &Select) -> Result<Planned> {
        let Some(own) = select.limits.filter(|own| *own != self.settings.limits) else {
            return self.select_within(select);
        };
        let outer = std::mem::replace(&mut self.settings.limits, own);
        let planned = self.select_within(select);
        self.settings.limits = outer;
        let Planned { plan, totals } = planned?;
        Ok(Planned { plan: bounds::within(plan, &own), totals })
    }

    fn select_within(&mut self, select: &Select) -> Result<Planned> {
        let Planned { mut plan, totals } = self.source(&select.from, &select.filter)?;
        plan = self.array_steps(plan, &select.filter_arrays)?;
        plan = self.filtered(plan, &select.filter)?;
        plan = self.array_steps(plan, &select.group_arrays)?;
        let mut totals = match &select.group {
            // A grouping discards the totals of its input.
            Some(_) => None,
            None => match totals {
                Some(totals) => Some(self.array_steps(totals, &select.filter_arrays)?),
                None => None,
            },
        };
        let mut having = &select.having[..];
        if let Some(group) = &select.group {
            if let Some(wanted) = group.totals {
                let (grouped, row) = self.group_with_totals(plan, group, wanted, having)?;
                (plan, totals, having) = (grouped, Some(row), &[]);
            } else {
                plan = self.group(plan, group)?;
            }
        }
        plan = self.array_steps(plan, &select.result_arrays)?;
        plan = self.filtered(plan, having)?;
        plan = self.windows(plan, &select.windows)?;
        plan = self.filtered(plan, &select.qualify)?;
        if let Some(row) = totals.take() {
            let input = self.array_steps(row, &select.result_arrays)?;
            let input = Box::new(self.windows(input, &select.windows)?);
            let input =
                Box::new(Plan::Project(Project { input, exprs: select.projection.clone() }));
            totals = Some(Plan::Limit(Limit { input, offset: 0, limit: Some(1) }));
        }
        Ok(Planned { plan: self.result(plan, select)?, totals })
    }

    /// Projection, DISTINCT, ORDER BY, LIMIT BY, LIMIT.
    fn result(&mut self, plan: Plan, select: &Select) -> Result<Plan> {
        let mut exprs = Vec::with_capacity(select.projection.len() + 2);
        for (id, expr) in &select.projection {
            exprs.push((*id, expr.clone()));
        }
        let width = exprs.len();
        let keys: Vec<SortKey> = select
            .order_by
            .iter()
            .map(|k| SortKey { column: self.column_of(&k.expr, &mut exprs), order: k.order })
            .collect();
        let limit_by = select.limit_by.as_ref().map(|l| {
            let keys: Vec<ColumnId> =
                l.keys.iter().map(|k| self.column_of(k, &mut exprs)).collect();
            (keys, l.offset, l.limit)
        });
        let filling = self.filling(select, &keys, &mut exprs);
        let plan = self.with_subqueries(plan, exprs.iter_mut().map(|(_, expr)| expr))?;
        let mut outputs: Vec<(ColumnId, Expr)> =
            exprs[..width].iter().map(|(id, e)| (*id, Expr::column(*id, e.ty().clone()))).collect();
        let mut extra = exprs.len() > width;
        if self.settings.enable_optimizations
            && !keys.is_empty()
            && select.limit.is_some()
            && !select.distinct
            && filling.is_none()
        {
            let by = limit_by.iter().flat_map(|(keys, _, _)| keys.iter().copied());
            let used: Vec<ColumnId> = keys.iter().map(|k| k.column).chain(by).collect();
            extra |= defer(&plan.header()?, &mut exprs, &mut outputs, &used)?;
        }
        let mut plan = Plan::Project(Project { input: Box::new(plan), exprs });
        if select.distinct {
            plan = distinct(plan, &outputs, extra);
            plan = bound(plan, self.settings.limits.distinct, Bounded::Distinct);
        }
        let mut ties = Vec::new();
        if !keys.is_empty() {
            let all = limit_by.is_some() || select.with_ties || filling.is_some();
            let limit = if all { None } else { limits::first_rows(select) };
            ties.extend(keys.iter().map(|k| k.column).filter(|_| select.with_ties));
            plan = Plan::Sort(Sort { input: Box::new(plan), keys, limit, threshold: None });
        }
        if let Some((keys, offset, limit)) = limit_by {
            plan = limits::limit_by(plan, keys, offset, limit);
        }
        if let Some(mut fill) = filling {
            fill.input = plan;
            plan = Plan::Fill(fill);
        }
        plan = limits::limit(plan, select, ties);
        if extra {
            plan = Plan::Project(Project { input: Box::new(plan), exprs: outputs });
        }
        Ok(plan)
    }

    /// The column that holds an expression. If there is none in `exprs`, the expression is added.
    pub(crate) fn column_of(&mut self, expr: &Expr, exprs: &mut Vec<(ColumnId, Expr)>) -> ColumnId {
        if let Some((id, _)) = exprs.iter().find(|(_, e)| tree::same(e, expr)) {
            return *id;
        }
        let id = match expr {
            Expr::Column { id, .. } => *id,
            _ => self.fresh(),
        };
        exprs.push((id, expr.clone()));
        id
    }

    /// The rows of a FROM tree, and the totals of subqueries in it. Rows for which a condition of
    /// `above` is false are not needed, but may be among them.
    pub(crate) fn source(&mut self, from: &From, above: &[Expr]) -> Result<Planned> {
        scope::check()?;
        let plan = match from {
            From::One(dummy) => {
                let chunk = Chunk::new(vec![Column::from(vec![0u8])], 1);
                Plan::Values(Values { columns: vec![(*dummy, DataType::UInt8)], chunk })
            }
            From::Table(scan) => table(scan, &self.settings.indices),
            From::Subquery(query) | From::Lateral { query, .. } => return self.query(query),
            From::Rows { columns, rows } => {
                let (columns, rows) = (columns.clone(), Arc::clone(rows));
                Plan::Rows(Rows { columns, rows, estimate: None })
            }
            From::Join(join) => return self.join(join, above),
            From::ArrayJoin { input, arrays, left, unaligned } => {
                let Planned { plan, totals } = self.source(input, &[])?;
                let totals = match totals {
                    Some(row) => Some(self.array_join(row, arrays, (*left, *unaligned))?),
                    None => None,
                };
                let plan = self.array_join(plan, arrays, (*left, *unaligned))?;
                return Ok(Planned { plan, totals });
            }
        };
        Ok(Planned { plan, totals: None })
    }

    fn array_steps(&mut self, mut plan: Plan, steps: &[ArrayJoinStep]) -> Result<Plan> {
        for step in steps {
            plan = self.array_join(plan, std::slice::from_ref(step), (false, false))?;
        }
        Ok(plan)
    }

    /// Each array is copied into a new column, so that the input's columns stay as they are.
    fn array_join(
        &mut self,
        input: Plan,
        steps: &[ArrayJoinStep],
        (left, unaligned): (bool, bool),
    ) -> Result<Plan> {
        let mut new = Vec::with_capacity(steps.len());
        let mut arrays = Vec::with_capacity(steps.len());
        for step in steps {
            let array = self.fresh();
            new.push((array, step.array.clone()));
            arrays.push((array, step.id));
        }
        let input = self.with_subqueries(input, new.iter_mut().map(|(_, expr)| expr))?;
        let input = Box::new(extend(input, new)?);
        Ok(Plan::ArrayJoin(ArrayJoin { input, arrays, left, unaligned }))
    }

    fn group(&mut self, input: Plan, whole: &Group) -> Result<Plan> {
        let Regrouped { group, after } = self.simplified(whole)?;
        let mut plan = self.aggregate(input, &group)?;
        if let Some(exprs) = after {
            plan = computed(plan, exprs);
        }
        match &whole.empty_sets {
            Some((number, sets)) if !sets.is_empty() => {
                self.or_empty_sets(plan, whole, *number, sets)
            }
            _ => Ok(plan),
        }
    }

    /// The groups; if there are none, one row for each grouping set without keys.
    fn or_empty_sets(
        &mut self,
        groups: Plan,
        group: &Group,
        number: ColumnId,
        sets: &[u64],
    ) -> Result<Plan> {
        let header = groups.header()?;
        let mut inputs = Vec::with_capacity(sets.len());
        for set in sets {
            let mut exprs = Vec::new();
            let mut calls = Vec::new();
            for call in &group.aggregates {
                let args = call.args.iter().map(|arg| self.column_of(arg, &mut exprs)).collect();
                let (id, name) = (call.id, Arc::clone(&call.name));
                let (params, function) = (call.params.clone(), Arc::clone(&call.function));
                calls.push(AggregateCall { id, name, params, function, args });
            }
            let typed = |(id, expr): &(ColumnId, Expr)| (*id, expr.ty().clone());
            let columns: Vec<(ColumnId, DataType)> = exprs.iter().map(typed).collect();
            let none = columns.iter().map(|(_, ty)| Column::default_of(ty, 0)).collect();
            let input = Box::new(Plan::Values(Values { columns, chunk: Chunk::new(none, 0) }));
            let (limit, algorithm) = (None, AggregateAlgorithm::default());
            let row =
                Plan::Aggregate(Aggregate { input, keys: Vec::new(), calls, limit, algorithm });
            let of_row = |(id, ty): &(ColumnId, DataType)| {
                let expr = match group.keys.iter().any(|(key, _)| key == id) {
                    true if *id == number => Expr::literal(Value::UInt(*set), ty.clone()),
                    true => Expr::literal(ty.default_value(), ty.clone()),
                    false => Expr::column(*id, ty.clone()),
                };
                (*id, expr)
            };
            inputs.push(computed(row, header.iter().map(of_row).collect()));
        }
        let otherwise = Box::new(Plan::Union(Union { inputs, columns: header }));
        Ok(Plan::OrElse(OrElse { input: Box::new(groups), otherwise }))
    }

    fn simplified(&mut self, group: &Group) -> Result<Regrouped> {
        if self.settings.enable_optimizations {
            return aggregates::simplify(self, group);
        }
        Ok(Regrouped { group: group.clone(), after: None })
    }

    fn aggregate(&mut self, input: Plan, group: &Group) -> Result<Plan> {
        let mut exprs = Vec::with_capacity(group.keys.len() + group.aggregates.len());
        let mut keys = Vec::with_capacity(group.keys.len());
        for (id, key) in &group.keys {
            exprs.push((*id, key.clone()));
            keys.push(*id);
        }
        let mut calls = Vec::with_capacity(group.aggregates.len());
        for call in &group.aggregates {
            let args = call.args.iter().map(|arg| self.column_of(arg, &mut exprs)).collect();
            let (name, function) = (Arc::clone(&call.name), Arc::clone(&call.function));
            let params = call.params.clone();
            calls.push(AggregateCall { id: call.id, name, params, function, args });
        }
        let input = self.with_subqueries(input, exprs.iter_mut().map(|(_, expr)| expr))?;
        let input = Plan::Project(Project { input: Box::new(input), exprs });
        let most = if keys.is_empty() { Most::default() } else { self.settings.limits.groups };
        if most.overflow == Overflow::Throw {
            let plan = grouped(input, keys, calls);
            return Ok(bound(plan, most, Bounded::Groups));
        }
        Ok(grouped(bounds::groups(input, most, &keys), keys, calls))
    }
}

fn grouped(input: Plan, keys: Vec<ColumnId>, calls: Vec<AggregateCall>) -> Plan {
    Plan::Aggregate(Aggregate {
        input: Box::new(input),
        keys,
        calls,
        limit: None,
        algorithm: AggregateAlgorithm::default(),
    })
}

/// The rows for which all predicates are true.
pub(crate) fn filter(plan: Plan, predicates: &[Expr]) -> Plan {
    if predicates.is_empty() {
        return plan;
    }
    Plan::Filter(Filter { input: Box::new(plan), predicates: predicates.to_vec() })
}

/// All columns of the input, and the new ones.
pub(crate) fn extend(input: Plan, new: Vec<(ColumnId, Expr)>) -> Result<Plan> {
    if new.is_empty() {
        return Ok(input);
    }
    let known = input.header()?.into_iter();
    let mut exprs: Vec<(ColumnId, Expr)> =
        known.map(|(id, ty)| (id, Expr::column(id, ty))).collect();
    exprs.extend(new);
    Ok(Plan::Project(Project { input: Box::new(input), exprs }))
}

/// Exactly these columns, computed from the input.
fn computed(input: Plan, exprs: Vec<(ColumnId, Expr)>) -> Plan {
    Plan::Project(Project { input: Box::new(input), exprs })
}

fn table(scan: &TableScan, indices: &Arc<SkipIndices>) -> Plan {
    let types: Vec<(ColumnId, DataType)> =
        scan.columns.iter().map(|(column, ty)| (column.id, ty.clone())).collect();
    let spec = ScanSpec {
        columns: scan.columns.iter().map(|(column, _)| column.clone()).collect(),
        outputs: types.iter().map(|(id, _)| *id).collect(),
        filter: scan.prewhere.clone(),
        final_: scan.final_,
        indices: Arc::clone(indices),
        ..ScanSpec::default()
    };
    let stored = types.iter().map(|(id, ty)| (*id, Expr::column(*id, ty.clone())));
    let exprs: Vec<(ColumnId, Expr)> = stored.chain(scan.computed.iter().cloned()).collect();
    let (table, name) = (Arc::clone(&scan.snapshot), Arc::clone(&scan.name));
    let plan = filter(Plan::Scan(Scan { table, name, types, spec }), &scan.filter);
    if scan.computed.is_empty() { plan } else { computed(plan, exprs) }
}

/// Moves expressions that a top-N does not sort by behind it, where few rows are left. Returns
/// whether there are any.
fn defer(
    input: &[(ColumnId, DataType)],
    exprs: &mut Vec<(ColumnId, Expr)>,
    outputs: &mut [(ColumnId, Expr)],
    used: &[ColumnId],
) -> Result<bool> {
    let plain = |e: &Expr| matches!(e, Expr::Column { .. } | Expr::Literal { .. });
    let mut reads = Vec::new();
    let before = exprs.len();
    exprs.retain(|(id, expr)| {
        let Some(output) = outputs.iter_mut().find(|(o, _)| o == id) else { return true };
        if used.contains(id) || plain(expr) || !tree::is_deterministic(expr) {
            return true;
        }
        expr.columns(&mut reads);
        output.1 = expr.clone();
        false
    });
    let deferred = exprs.len() < before;
    for id in reads {
        if !exprs.iter().any(|(known, _)| *known == id) {
            exprs.push((id, Expr::column(id, type_in(input, id)?.clone())));
        }
    }
    Ok(deferred)
}

/// DISTINCT over `outputs`. If `extra` columns of the input are needed, the first row of each group
/// supplies them.
fn distinct(input: Plan, outputs: &[(ColumnId, Expr)], extra: bool) -> Plan {
    let input = Box::new(input);
    if !extra {
        return Plan::Distinct(Distinct { input, limit: None });
    }
    let keys = outputs.iter().map(|(id, _)| *id).collect();
    Plan::LimitBy(LimitBy { input, keys, offset: 0, limit: 1 })
}
