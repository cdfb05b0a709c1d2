//! WITH TOTALS: groups are aggregated to states. These are finished for the result, and merged for
//! the row of totals.

use crate::physical::{self, Project, Rows};
use std::sync::Arc;

use entasis_analyze::query::{self, Group, RowsSlot, Totals};
use entasis_base::{Error, Result};
use entasis_expr::{ColumnId, Expr};
use entasis_function::registry;
use entasis_types::{DataType, Value};

use super::{computed, extend, filter};
use crate::aggregates::Regrouped;
use crate::header::type_in;
use crate::{AggregateCall, Overflow, Plan, Planner};

impl Planner<'_> {
    /// The groups that pass HAVING, and the row of totals: keys with default values, then
    /// aggregates.
    pub(super) fn group_with_totals(
        &mut self,
        input: Plan,
        group: &Group,
        wanted: Totals,
        having: &[Expr],
    ) -> Result<(Plan, Plan)> {
        let most = self.settings.limits.groups;
        let any = !most.is_none() && most.overflow == Overflow::Any;
        if any && !self.settings.limits.totals_exclude_overflow {
            return Err(Error::not_implemented(
                "group_by_overflow_mode = 'any' with another totals_mode than \
                 'after_having_exclusive'",
            ));
        }
        let Regrouped { group: inner, after } = self.simplified(group)?;
        let mut states = Group { aggregates: Vec::new(), ..inner.clone() };
        for call in &inner.aggregates {
            states.aggregates.push(self.state_of(call)?);
        }
        let plan = self.aggregate(input, &states)?;
        let column = |id: ColumnId, ty: &DataType| (id, Expr::column(id, ty.clone()));
        let keys = inner.keys.iter().map(|(id, key)| column(*id, key.ty()));
        let kept: Vec<(ColumnId, Expr)> =
            states.aggregates.iter().map(|c| column(c.id, &c.function.return_type())).collect();
        let mut exprs: Vec<(ColumnId, Expr)> = keys.collect();
        for (call, (_, state)) in inner.aggregates.iter().zip(&kept) {
            let value = match state.ty() {
                DataType::AggregateFunction(_) => {
                    self.call("finalizeAggregation", vec![state.clone()])?
                }
                // Aggregates of NULL alone have no state.
                _ => state.clone(),
            };
            exprs.push((call.id, value));
        }
        exprs.extend(kept.iter().cloned());
        let mut plan = computed(plan, exprs);
        if let Some(exprs) = &after {
            plan = computed(plan, exprs.iter().chain(&kept).cloned().collect());
        }
        if !wanted.before_having {
            plan = filter(plan, having);
        }
        let (mut plan, row) = self.merged_states(plan, &inner, &states, wanted)?;
        if wanted.before_having {
            plan = filter(plan, having);
        }
        let result = group.keys.iter().map(|(id, key)| column(*id, key.ty()));
        let values = group.aggregates.iter().map(|c| column(c.id, &c.function.return_type()));
        let plan = computed(plan, result.chain(values).collect());
        Ok((plan, totals_row(row, group, wanted, after.as_deref())))
    }

    /// The aggregate with the combinator that returns its state.
    fn state_of(&mut self, call: &query::AggregateCall) -> Result<query::AggregateCall> {
        let name: Arc<str> = format!("{}State", call.name).into();
        let types: Vec<DataType> = call.args.iter().map(|a| a.ty().clone()).collect();
        let function = registry::bind_aggregate(&name, &call.params, &types, self.context)?;
        let id = self.fresh();
        Ok(query::AggregateCall { id, name, function, ..call.clone() })
    }

    /// Merges the states while the input passes, and returns a plan for the row of results.
    fn merged_states(
        &mut self,
        mut plan: Plan,
        inner: &Group,
        states: &Group,
        wanted: Totals,
    ) -> Result<(Plan, Plan)> {
        let mut condition = None;
        if let Some(set) = wanted.set {
            // The first grouping set contains every row once.
            let number = Expr::column(set, type_in(&plan.header()?, set)?.clone());
            let first = Expr::literal(Value::UInt(1), DataType::UInt8);
            let is_first = self.call("equals", vec![number, first])?;
            let id = self.fresh();
            plan = extend(plan, vec![(id, is_first)])?;
            condition = Some(id);
        }
        let mut calls = Vec::with_capacity(states.aggregates.len());
        let mut columns = Vec::with_capacity(states.aggregates.len());
        let mut exprs = Vec::with_capacity(states.aggregates.len());
        for (call, state) in inner.aggregates.iter().zip(&states.aggregates) {
            let ty = state.function.return_type();
            let DataType::AggregateFunction(of) = &ty else {
                let result = call.function.return_type();
                exprs.push((call.id, Expr::literal(result.default_value(), result)));
                continue;
            };
            let mut types = vec![ty.clone()];
            let mut args = vec![state.id];
            let mut name = format!("{}Merge", of.name);
            if let Some(condition) = condition {
                name.push_str("If");
                types.push(DataType::UInt8);
                args.push(condition);
            }
            let function = registry::bind_aggregate(&name, &of.params, &types, self.context)?;
            let id = self.fresh();
            columns.push((id, function.return_type()));
            exprs.push((call.id, Expr::column(id, function.return_type())));
            let params = Vec::new();
            calls.push(AggregateCall { id, name: name.into(), params, function, args });
        }
        let rows = Arc::new(RowsSlot::default());
        let row = Plan::Rows(Rows { columns, rows: Arc::clone(&rows), estimate: Some(1.0) });
        let plan = Plan::Totals(physical::Totals { input: Box::new(plan), calls, rows });
        Ok((plan, Plan::Project(Project { input: Box::new(row), exprs })))
    }
}

/// Keys with default values, and the aggregates of all rows.
fn totals_row(
    row: Plan,
    group: &Group,
    wanted: Totals,
    after: Option<&[(ColumnId, Expr)]>,
) -> Plan {
    let default = |ty: &DataType| match wanted.plain_keys {
        true => Expr::literal(ty.without_nullable().default_value(), ty.clone()),
        false => Expr::literal(ty.default_value(), ty.clone()),
    };
    let mut exprs: Vec<(ColumnId, Expr)> =
        group.keys.iter().map(|(id, key)| (*id, default(key.ty()))).collect();
    for call in &group.aggregates {
        let computed = after.and_then(|a| a.iter().find(|(id, _)| *id == call.id));
        let plain = || (call.id, Expr::column(call.id, call.function.return_type()));
        exprs.push(computed.cloned().unwrap_or_else(plain));
    }
    Plan::Project(Project { input: Box::new(row), exprs })
}
