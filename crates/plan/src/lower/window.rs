//! Window functions: decides which of them share a sort, and the order of the sorts.

use crate::physical::Project;
use std::sync::Arc;

use entasis_analyze::query::{self, OrderKey};
use entasis_analyze::tree;
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};

use crate::{Plan, Planner, SortKey, Window, WindowCall};

/// Calls with the same partition keys whose orders are prefixes of each other.
struct Shared<'q> {
    partition: &'q [Expr],
    order: &'q [OrderKey],
    calls: Vec<&'q query::WindowCall>,
}

impl<'q> Shared<'q> {
    /// Adds a call if this sort can serve its window, perhaps after sorting by more keys.
    fn takes(&mut self, call: &'q query::WindowCall) -> bool {
        let window = &call.window;
        let within = |a: &[Expr], b: &[Expr]| a.iter().all(|x| b.iter().any(|y| tree::same(x, y)));
        let same = within(self.partition, &window.partition)
            && within(&window.partition, self.partition)
            && self.order.iter().zip(&window.order).all(|(x, y)| x.is_same(y));
        if same {
            if window.order.len() > self.order.len() {
                self.order = &window.order;
            }
            self.calls.push(call);
        }
        same
    }
}

impl Planner<'_> {
    /// The plan with the columns of the calls added: one step for every sort that they need.
    pub(crate) fn windows(&mut self, plan: Plan, calls: &[query::WindowCall]) -> Result<Plan> {
        let mut steps: Vec<Shared<'_>> = Vec::new();
        for call in calls {
            if !steps.iter_mut().any(|step| step.takes(call)) {
                let (partition, order) = (&call.window.partition, &call.window.order);
                steps.push(Shared { partition, order, calls: vec![call] });
            }
        }
        steps.iter().try_fold(plan, |plan, step| self.window(plan, step))
    }

    fn window(&mut self, input: Plan, step: &Shared<'_>) -> Result<Plan> {
        let known = input.header()?;
        let mut exprs: Vec<(ColumnId, Expr)> =
            known.iter().map(|(id, ty)| (*id, Expr::column(*id, ty.clone()))).collect();
        let mut column = |planner: &mut Self, expr: &Expr| planner.column_of(expr, &mut exprs);
        let partition = step.partition.iter().map(|key| column(self, key)).collect();
        let order = step
            .order
            .iter()
            .map(|key| SortKey { column: column(self, &key.expr), order: key.order })
            .collect();
        let mut calls = Vec::with_capacity(step.calls.len());
        for call in &step.calls {
            calls.push(WindowCall {
                id: call.id,
                name: Arc::clone(&call.name),
                function: call.function.clone(),
                args: call.args.iter().map(|arg| column(self, arg)).collect(),
                order: call.window.order.len(),
                frame: call.window.frame,
            });
        }
        let input = self.with_subqueries(input, exprs.iter_mut().map(|(_, expr)| expr))?;
        let input = match exprs.len() > known.len() {
            true => Plan::Project(Project { input: Box::new(input), exprs }),
            false => input,
        };
        Ok(Plan::Window(Box::new(Window { input, partition, order, calls })))
    }
}
