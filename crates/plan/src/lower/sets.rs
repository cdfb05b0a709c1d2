//! UNION, INTERSECT, EXCEPT and recursive common table expressions.
//!
//! INTERSECT and EXCEPT group the rows of all branches, counting each row per branch.

use crate::physical::{Distinct, Project, Union};
use std::sync::Arc;

use entasis_analyze::bind;
use entasis_analyze::query::{self, Group, SetKind};
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_function::registry;
use entasis_types::{DataType, Value};

use super::filter;
use crate::pass::bounds::bound;
use crate::{Bounded, Plan, Planned, Planner, Recursive};

impl Planner<'_> {
    pub(super) fn union(&mut self, union: &query::Union) -> Result<Planned> {
        let counted = union.kind != SetKind::Union;
        let mut inputs = Vec::with_capacity(union.branches.len());
        let mut totals = None;
        for (i, (branch, exprs)) in union.branches.iter().enumerate() {
            let branch = self.query(branch)?;
            let mut columns = Vec::with_capacity(exprs.len());
            for expr in exprs {
                columns.push((self.fresh(), expr.clone()));
            }
            if counted {
                for j in 0..union.branches.len() {
                    let own = Expr::literal(Value::UInt(u64::from(i == j)), DataType::UInt8);
                    columns.push((self.fresh(), own));
                }
            }
            if let (None, Some(row)) = (&totals, branch.totals) {
                let ids = union.columns.iter().map(|(id, _)| *id);
                let exprs = ids.zip(exprs.iter().cloned()).collect();
                totals = Some(Plan::Project(Project { input: Box::new(row), exprs }));
            }
            inputs.push(Plan::Project(Project { input: Box::new(branch.plan), exprs: columns }));
        }
        let mut columns = union.columns.clone();
        if counted {
            let counts: Vec<ColumnId> = inputs.iter().map(|_| self.fresh()).collect();
            columns.extend(counts.iter().map(|id| (*id, DataType::UInt8)));
            let plan = Plan::Union(Union { inputs, columns });
            return Ok(Planned { plan: self.counted(plan, union, &counts)?, totals });
        }
        let mut plan = Plan::Union(Union { inputs, columns });
        if union.distinct {
            plan = Plan::Distinct(Distinct { input: Box::new(plan), limit: None });
            plan = bound(plan, self.settings.limits.distinct, Bounded::Distinct);
        }
        Ok(Planned { plan, totals })
    }

    /// Repeats each distinct row of the branches as often as its counts require.
    fn counted(&mut self, input: Plan, union: &query::Union, flags: &[ColumnId]) -> Result<Plan> {
        let mut group = Group::default();
        for (id, ty) in &union.columns {
            group.keys.push((*id, Expr::column(*id, ty.clone())));
        }
        let mut counts = Vec::with_capacity(flags.len());
        for flag in flags {
            let args = vec![Expr::column(*flag, DataType::UInt8)];
            let function = registry::bind_aggregate("sum", &[], &[DataType::UInt8], self.context)?;
            let id = self.fresh();
            counts.push(Expr::column(id, DataType::UInt64));
            let (name, params) = ("sum".into(), Vec::new());
            group.aggregates.push(query::AggregateCall { id, name, params, function, args });
        }
        let plan = self.aggregate(input, &group)?;
        let context = self.context;
        let call = |name: &str, args: Vec<Expr>| bind::call(name, args, context);
        let zero = || Expr::literal(Value::UInt(0), DataType::UInt64);
        let (first, others) = (counts[0].clone(), &counts[1..]);
        let mut conditions = Vec::new();
        let mut times = first.clone();
        match union.kind {
            SetKind::Intersect => {
                for count in &counts {
                    conditions.push(call("greater", vec![count.clone(), zero()])?);
                }
                times = call("least", counts.clone())?;
            }
            _ => {
                let mut taken = zero();
                for count in others {
                    taken = call("plus", vec![taken, count.clone()])?;
                }
                let rest = if union.distinct {
                    conditions.push(call("greater", vec![first, zero()])?);
                    call("equals", vec![taken, zero()])?
                } else {
                    let rest = call("greater", vec![first.clone(), taken.clone()])?;
                    times = call("minus", vec![first, taken])?;
                    rest
                };
                conditions.push(rest);
            }
        }
        let mut plan = filter(plan, &conditions);
        if !union.distinct {
            let times = bind::cast(times, &DataType::UInt64, context)?;
            let array = call("range", vec![times])?;
            let id = self.fresh();
            let step = query::ArrayJoinStep { array, id };
            plan = self.array_steps(plan, std::slice::from_ref(&step))?;
        }
        let columns = union.columns.iter().map(|(id, ty)| (*id, Expr::column(*id, ty.clone())));
        Ok(Plan::Project(Project { input: Box::new(plan), exprs: columns.collect() }))
    }

    pub(super) fn recursive(&mut self, recursive: &query::Recursive) -> Result<Plan> {
        let mut plans = Vec::with_capacity(2);
        // The step runs again and again, so a set that is made once is better than a join.
        let joinable = std::mem::take(&mut self.sets);
        for query in [&recursive.base, &recursive.step] {
            let plan = self.query(query)?.plan;
            // From here on, columns are matched by position.
            let columns =
                query.outputs.iter().map(|o| (self.fresh(), Expr::column(o.id, o.ty.clone())));
            let exprs = columns.collect();
            plans.push(Plan::Project(Project { input: Box::new(plan), exprs }));
        }
        self.sets = joinable;
        let (Some(step), Some(base)) = (plans.pop(), plans.pop()) else {
            return Err(entasis_base::Error::logical("a recursion without its parts"));
        };
        Ok(Plan::Recursive(Box::new(Recursive {
            name: Arc::clone(&recursive.name),
            base,
            step,
            columns: recursive.columns.clone(),
            rows: Arc::clone(&recursive.rows),
            max_depth: recursive.max_depth,
        })))
    }
}
