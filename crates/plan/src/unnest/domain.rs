//! Subqueries whose conditions cannot be moved up: the distinct values of the parameters are joined
//! into the subquery's plan, and its nodes work within each of these values.

use std::collections::HashSet;

use entasis_analyze::tree;
use entasis_base::{Error, Result};
use entasis_expr::{ColumnId, Expr};
use entasis_types::DataType;

use super::free::is_dependent;
use super::pull::{counts, drops_empty};
use super::{Unnested, Values};
use crate::lower::extend;
use crate::physical::{
    Aggregate, ArrayJoin, Bound, Distinct, Filter, Limit, LimitBy, Project, Sort, Union,
};
use crate::{Join, JoinKind, Plan, Planner, Strictness};

/// The values that the parameters of a subquery have in the query around it.
struct Domain<'q> {
    outer: &'q Plan,
    args: &'q [Expr],
    params: &'q [ColumnId],
    all: HashSet<ColumnId>,
}

/// A plan that works within each value of the parameters.
struct Within {
    plan: Plan,
    /// The columns that hold the parameters, in their order.
    columns: Vec<ColumnId>,
    /// As in [`Unnested`].
    when_empty: Option<Values>,
}

impl Planner<'_> {
    /// The subquery's plan within each value that its parameters have in `outer`. If it is to be
    /// `complete`, a grouping without keys has a row for each of these values.
    pub(super) fn with_domain(
        &mut self,
        outer: &Plan,
        inner: Plan,
        (params, args): (&[ColumnId], &[Expr]),
        complete: bool,
    ) -> Result<Unnested> {
        let all = params.iter().copied().collect();
        let domain = Domain { outer, args, params, all };
        let mut within = self.within(inner, &domain)?;
        if complete {
            within = self.completed(within, &domain)?;
        }
        let Within { plan, columns, when_empty } = within;
        let mut conditions = Vec::new();
        for ((param, column), arg) in params.iter().zip(&columns).zip(args) {
            let sides = [*param, *column].map(|id| Expr::column(id, arg.ty().clone()));
            for [left, right] in self.null_safe(sides)? {
                conditions.push(self.call("equals", vec![left, right])?);
            }
        }
        Ok(Unnested { plan, conditions, values: Vec::new(), when_empty })
    }

    /// Pairs that are all equal if two values are equal or both NULL.
    fn null_safe(&self, [left, right]: [Expr; 2]) -> Result<Vec<[Expr; 2]>> {
        if !left.ty().is_nullable() {
            return Ok(vec![[left, right]]);
        }
        let plain = left.ty().without_nullable().clone();
        let value = |side: &Expr| {
            let default = Expr::literal(plain.default_value(), plain.clone());
            self.call("ifNull", vec![side.clone(), default])
        };
        let is_null = |side: &Expr| self.call("isNull", vec![side.clone()]);
        Ok(vec![[is_null(&left)?, is_null(&right)?], [value(&left)?, value(&right)?]])
    }

    /// The distinct values of the parameters, in new columns.
    fn values_of(&mut self, domain: &Domain<'_>) -> (Plan, Vec<ColumnId>) {
        let exprs: Vec<(ColumnId, Expr)> =
            domain.args.iter().map(|arg| (self.fresh(), arg.clone())).collect();
        let columns = exprs.iter().map(|(id, _)| *id).collect();
        let input =
            Box::new(Plan::Project(Project { input: Box::new(domain.outer.clone()), exprs }));
        (Plan::Distinct(Distinct { input, limit: None }), columns)
    }

    fn within(&mut self, plan: Plan, domain: &Domain<'_>) -> Result<Within> {
        if !is_dependent(&plan, &domain.all) {
            let (values, columns) = self.values_of(domain);
            let plan = Plan::Join(Box::new(Join::cross(plan, values)));
            return Ok(Within { plan, columns, when_empty: None });
        }
        match plan {
            Plan::Filter(node) => self.filter_within(node, domain),
            Plan::Project(node) => self.project_within(node, domain),
            Plan::Aggregate(node) => self.aggregate_within(node, domain),
            Plan::Distinct(Distinct { input, limit: None }) => {
                let mut below = self.complete_within(*input, domain)?;
                let input = Box::new(below.plan);
                below.plan = Plan::Distinct(Distinct { input, limit: None });
                Ok(below)
            }
            Plan::Sort(Sort { input, keys, limit: None, threshold }) => {
                let mut below = self.within(*input, domain)?;
                let input = Box::new(below.plan);
                below.plan = Plan::Sort(Sort { input, keys, limit: None, threshold });
                Ok(below)
            }
            Plan::Limit(Limit { input, offset, limit }) => {
                let input = match *input {
                    Plan::Sort(sort) => Plan::Sort(Sort { limit: None, ..sort }),
                    other => other,
                };
                let mut below = self.complete_within(input, domain)?;
                let (input, keys) = (Box::new(below.plan), below.columns.clone());
                let limit = limit.unwrap_or(u64::MAX);
                below.plan = Plan::LimitBy(LimitBy { input, keys, offset, limit });
                Ok(below)
            }
            Plan::LimitBy(LimitBy { input, mut keys, offset, limit }) => {
                let mut below = self.complete_within(*input, domain)?;
                keys.extend(&below.columns);
                let input = Box::new(below.plan);
                below.plan = Plan::LimitBy(LimitBy { input, keys, offset, limit });
                Ok(below)
            }
            Plan::Window(mut window) => {
                let mut below = self.complete_within(window.input, domain)?;
                window.partition.extend(&below.columns);
                window.input = below.plan;
                below.plan = Plan::Window(window);
                Ok(below)
            }
            Plan::Join(join) => self.join_within(*join, domain),
            Plan::Union(node) => self.union_within(node, domain),
            Plan::ArrayJoin(ArrayJoin { input, arrays, left, unaligned }) => {
                let mut below = self.complete_within(*input, domain)?;
                let input = Box::new(below.plan);
                below.plan = Plan::ArrayJoin(ArrayJoin { input, arrays, left, unaligned });
                Ok(below)
            }
            Plan::Bound(Bound { input, .. }) => self.within(*input, domain),
            _ => Err(unsupported()),
        }
    }

    fn filter_within(&mut self, node: Filter, domain: &Domain<'_>) -> Result<Within> {
        let mut below = self.within(*node.input, domain)?;
        if let Some(known) = &below.when_empty {
            if node.predicates.iter().any(|p| drops_empty(p, known)) {
                below.when_empty = None;
            } else {
                below = self.completed(below, domain)?;
            }
        }
        let predicates = node.predicates.iter().map(|p| domain.bound(p, &below.columns));
        below.plan = crate::lower::filter(below.plan, &predicates.collect::<Vec<_>>());
        Ok(below)
    }

    fn project_within(&mut self, node: Project, domain: &Domain<'_>) -> Result<Within> {
        let mut below = self.within(*node.input, domain)?;
        let header = below.plan.header()?;
        let mut exprs = Vec::with_capacity(node.exprs.len() + below.columns.len());
        for (id, expr) in &node.exprs {
            exprs.push((*id, domain.bound(expr, &below.columns)));
        }
        below.when_empty = below.when_empty.map(|known| {
            let value = |(id, expr): &(ColumnId, Expr)| {
                Some((*id, super::pull::value_when_empty(expr, &known, &domain.all)?))
            };
            node.exprs.iter().filter_map(value).collect()
        });
        for (id, ty) in header {
            let is_there = exprs.iter().any(|(known, _)| *known == id);
            if below.columns.contains(&id) && !is_there {
                exprs.push((id, Expr::column(id, ty)));
            }
        }
        let input = Box::new(below.plan);
        below.plan = Plan::Project(Project { input, exprs });
        Ok(below)
    }

    fn aggregate_within(&mut self, node: Aggregate, domain: &Domain<'_>) -> Result<Within> {
        let Aggregate { input, mut keys, calls, limit: None, algorithm } = node else {
            return Err(unsupported());
        };
        let mut below = self.complete_within(*input, domain)?;
        below.when_empty = keys.is_empty().then(|| counts(&calls));
        keys.extend(&below.columns);
        let input = Box::new(below.plan);
        below.plan = Plan::Aggregate(Aggregate { input, keys, calls, limit: None, algorithm });
        Ok(below)
    }

    /// [`Self::within`], where a grouping without keys has a row for every value.
    fn complete_within(&mut self, plan: Plan, domain: &Domain<'_>) -> Result<Within> {
        let below = self.within(plan, domain)?;
        self.completed(below, domain)
    }

    fn completed(&mut self, below: Within, domain: &Domain<'_>) -> Result<Within> {
        if below.when_empty.is_none() {
            return Ok(below);
        }
        let (values, columns) = self.values_of(domain);
        let outputs = below.plan.outputs();
        let outputs = outputs.into_iter().filter(|id| !below.columns.contains(id)).collect();
        let sides = [(values, &columns[..]), (below.plan, &below.columns[..])];
        let mut join = self.on_same_values(sides, domain)?;
        (join.left_outputs, join.right_outputs) = (columns.clone(), outputs);
        join.kind = JoinKind::Left;
        Ok(Within { plan: Plan::Join(Box::new(join)), columns, when_empty: None })
    }

    /// The inner join of two plans on the parameters.
    fn on_same_values(
        &mut self,
        [(left, of_left), (right, of_right)]: [(Plan, &[ColumnId]); 2],
        domain: &Domain<'_>,
    ) -> Result<Join> {
        let (left_outputs, right_outputs) = (left.outputs(), right.outputs());
        let (mut keys, mut left_new, mut right_new) = (Vec::new(), Vec::new(), Vec::new());
        for ((l, r), arg) in of_left.iter().zip(of_right).zip(domain.args) {
            let sides = [*l, *r].map(|id| Expr::column(id, arg.ty().clone()));
            for [l, r] in self.null_safe(sides)? {
                keys.push((self.key_of(&l, &mut left_new), self.key_of(&r, &mut right_new)));
            }
        }
        let (left, right) = (extend(left, left_new)?, extend(right, right_new)?);
        let outputs = (left_outputs, right_outputs);
        let mut join = Join { kind: JoinKind::Inner, keys, ..Join::cross(left, right) };
        (join.left_outputs, join.right_outputs) = outputs;
        Ok(join)
    }

    fn join_within(&mut self, join: Join, domain: &Domain<'_>) -> Result<Within> {
        let dependent = [&join.left, &join.right].map(|side| is_dependent(side, &domain.all));
        let inner = matches!(join.kind, JoinKind::Inner | JoinKind::Cross)
            && join.strictness == Strictness::All;
        if !inner && join.kind != JoinKind::Left {
            return Err(unsupported());
        }
        let Join { left, right, residual, .. } = join.clone();
        let mut join = join;
        let columns;
        match dependent {
            [false, true] if inner => {
                let right = self.complete_within(right, domain)?;
                (join.right, columns) = (right.plan, right.columns);
                join.right_outputs.extend(&columns);
            }
            [true | false, false] => {
                let left = self.complete_within(left, domain)?;
                (join.left, columns) = (left.plan, left.columns);
                join.left_outputs.extend(&columns);
            }
            _ => {
                let left = self.complete_within(left, domain)?;
                let right = self.complete_within(right, domain)?;
                let sides = [(left.plan, &left.columns[..]), (right.plan, &right.columns[..])];
                let both = self.on_same_values(sides, domain)?;
                (join.left, join.right) = (both.left, both.right);
                join.keys.extend(both.keys);
                if join.kind == JoinKind::Cross {
                    join.kind = JoinKind::Inner;
                }
                columns = left.columns;
                join.left_outputs.extend(&columns);
            }
        }
        join.residual = residual.map(|condition| domain.bound(&condition, &columns));
        if join.kind == JoinKind::Cross && join.residual.is_some() {
            join.kind = JoinKind::Inner;
        }
        Ok(Within { plan: Plan::Join(Box::new(join)), columns, when_empty: None })
    }

    fn union_within(&mut self, node: Union, domain: &Domain<'_>) -> Result<Within> {
        let (mut inputs, mut columns) = (Vec::with_capacity(node.inputs.len()), node.columns);
        for input in node.inputs {
            let header = input.header()?;
            let below = self.complete_within(input, domain)?;
            let types: Vec<(ColumnId, DataType)> = below
                .columns
                .iter()
                .zip(domain.args)
                .map(|(id, arg)| (*id, arg.ty().clone()))
                .collect();
            let exprs = header.into_iter().chain(types);
            let exprs = exprs.map(|(id, ty)| (id, Expr::column(id, ty))).collect();
            let input = Box::new(below.plan);
            inputs.push(Plan::Project(Project { input, exprs }));
        }
        let mut ids = Vec::with_capacity(domain.args.len());
        for arg in domain.args {
            let id = self.fresh();
            ids.push(id);
            columns.push((id, arg.ty().clone()));
        }
        let plan = Plan::Union(Union { inputs, columns });
        Ok(Within { plan, columns: ids, when_empty: None })
    }
}

impl Domain<'_> {
    /// An expression that reads the parameters from these columns.
    fn bound(&self, expr: &Expr, columns: &[ColumnId]) -> Expr {
        tree::substitute(expr, &|id| {
            let at = self.params.iter().position(|param| *param == id)?;
            Some(Expr::column(columns[at], self.args[at].ty().clone()))
        })
    }
}

#[cold]
fn unsupported() -> Error {
    let what = "A correlated subquery with WITH FILL, WITH TIES, totals, a recursive common table \
                expression, or a RIGHT, FULL or PASTE join in it";
    Error::not_implemented(what).append(": write a JOIN instead")
}
