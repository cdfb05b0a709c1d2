//! Replaces correlated subqueries by joins, so that no subquery is evaluated row by row.
//!
//! A subquery reads columns of the query around it through parameters. [`pull`] moves the
//! conditions that read parameters up to the top of the subquery's plan, where they become the
//! conditions of a join with the query around it. Where that is impossible, for example for an
//! inequality below a grouping, [`domain`] gives the subquery all values that the parameters have:
//! the distinct values in the query around it are joined into the subquery's plan as far down as
//! they are needed, and every grouping, window and limit above them works within each value.
//!
//! Sources: Neumann and Kemper, Unnesting Arbitrary Queries (BTW 2015); Neumann, Improving
//! Unnesting of Complex Queries (BTW 2025). The equivalence of inner columns and parameters, which
//! makes the join with the distinct values superfluous, is from there.

mod domain;
mod free;
mod join;
mod pull;
mod set;

use std::collections::HashSet;
use std::sync::Arc;

use entasis_analyze::tree;
use entasis_base::{Error, Result};
use entasis_expr::{ColumnId, Correlated, CorrelatedKind, Expr, replaced};
use entasis_function::Operation;
use entasis_types::Value;

pub(crate) use self::set::JoinableSet;
pub use self::set::SetJoins;
use crate::{JoinKind, Plan, Planner};

/// A subquery's plan without its parameters.
struct Unnested {
    plan: Plan,
    /// The conditions under which a row of the plan belongs to a row of the query around it. They
    /// read columns of both.
    conditions: Vec<Expr>,
    /// Columns of the subquery that cannot be computed within it, because they read parameters.
    values: Values,
    /// Set if the subquery has a row for every value of the parameters, also for those for which
    /// `plan` has none: the columns that are not NULL in such a row.
    when_empty: Option<Values>,
}

/// Columns and the expressions that they stand for.
type Values = Vec<(ColumnId, Expr)>;

/// Expressions over the left and the right side of a join that are equal.
type Pairs = Vec<(Expr, Expr)>;

/// How a subquery is joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Rows of the query around it stay if the subquery has a row.
    Semi,
    /// They stay if it has none.
    Anti,
    /// A column says whether it has a row.
    Mark,
    /// A column has its value.
    Scalar,
}

impl Planner<'_> {
    /// The input's rows that pass all conditions.
    pub(crate) fn filtered(&mut self, plan: Plan, predicates: &[Expr]) -> Result<Plan> {
        let mut with_joins = Vec::with_capacity(predicates.len());
        for predicate in predicates {
            with_joins.push(self.with_joined_sets(&plan, predicate)?);
        }
        let predicates = &with_joins[..];
        if !predicates.iter().any(has_subquery) {
            return Ok(crate::lower::filter(plan, predicates));
        }
        let (later, plain): (Vec<Expr>, Vec<Expr>) =
            predicates.iter().cloned().partition(has_subquery);
        let before = plan.header()?;
        let mut plan = crate::lower::filter(plan, &plain);
        let mut rest = Vec::new();
        for predicate in later {
            match exists(&predicate) {
                Some(found) => {
                    if let (Use::Anti, Some(is_null)) = (found.kind, found.unknown) {
                        let known = self.call("not", vec![is_null.clone()])?;
                        plan = crate::lower::filter(plan, &[known]);
                    }
                    plan = self.unnest(plan, found.args, found.subquery, found.kind)?.0;
                }
                None => rest.push(predicate),
            }
        }
        plan = self.with_subqueries(plan, rest.iter_mut())?;
        plan = crate::lower::filter(plan, &rest);
        if rest.is_empty() {
            return Ok(plan);
        }
        let exprs = before.into_iter().map(|(id, ty)| (id, Expr::column(id, ty))).collect();
        let input = Box::new(plan);
        Ok(Plan::Project(crate::physical::Project { input, exprs }))
    }

    /// The input with a column for every correlated subquery in the expressions, which read these
    /// columns afterwards.
    pub(crate) fn with_subqueries<'e>(
        &mut self,
        mut plan: Plan,
        exprs: impl Iterator<Item = &'e mut Expr>,
    ) -> Result<Plan> {
        let mut done: Vec<(Expr, Expr)> = Vec::new();
        for expr in exprs {
            *expr = self.with_joined_sets(&plan, expr)?;
            if !has_subquery(expr) {
                continue;
            }
            let mut found = Vec::new();
            collect(expr, &mut found);
            for subquery in found {
                if done.iter().any(|(known, _)| tree::same(known, &subquery)) {
                    continue;
                }
                let Expr::Correlated { args, subquery: inner } = &subquery else { continue };
                let kind = match inner.kind {
                    CorrelatedKind::Scalar => Use::Scalar,
                    CorrelatedKind::Exists => Use::Mark,
                };
                let (with, column) = self.unnest(plan, args, inner, kind)?;
                plan = with;
                done.push((subquery, column.ok_or_else(|| Error::logical("no result"))?));
            }
            *expr = replaced(expr, &mut |part| {
                let known = done.iter().find(|(subquery, _)| tree::same(subquery, part));
                known.map(|(_, column)| column.clone())
            });
        }
        Ok(plan)
    }

    /// Joins a subquery to the plan of the query around it. Also answers the expression of its
    /// result, for the uses that have one.
    fn unnest(
        &mut self,
        outer: Plan,
        args: &[Expr],
        subquery: &Arc<Correlated>,
        kind: Use,
    ) -> Result<(Plan, Option<Expr>)> {
        // Arguments may contain subqueries themselves.
        let mut args = args.to_vec();
        let outer = self.with_subqueries(outer, args.iter_mut())?;
        if let Some(mut rows) = self.rows_of_set(subquery)? {
            rows.bind(&subquery.params, &args);
            return self.join_subquery(outer, rows, None, subquery, kind);
        }
        let query = self.correlated.iter().find(|(known, _)| Arc::ptr_eq(known, subquery));
        let query = &query.ok_or_else(|| Error::logical("an unknown subquery"))?.1;
        let inner = self.query(query)?.plan;
        let params: HashSet<ColumnId> = subquery.params.iter().copied().collect();
        let only_rows = kind != Use::Scalar;
        let mut unnested = match self.pulled(inner.clone(), &params, only_rows)? {
            Some(unnested) => unnested,
            None => self.with_domain(&outer, inner, (&subquery.params, &args), false)?,
        };
        unnested.bind(&subquery.params, &args);
        let output = query.outputs.first().map(|output| output.id);
        self.join_subquery(outer, unnested, output, subquery, kind)
    }
}

/// The right side of a join, without the parameters by which it read columns of the left side.
pub(crate) struct Lateral {
    pub right: Plan,
    pub kind: JoinKind,
    /// Further keys of the join: expressions over the left and the right side.
    pub keys: Pairs,
    /// Further conditions of the join.
    pub residual: Vec<Expr>,
}

impl Planner<'_> {
    /// Makes the right side of a join, a LATERAL subquery, independent of the left side. Left rows
    /// for which a condition of `above` is false are not needed.
    pub(crate) fn lateral(
        &mut self,
        (left, above): (&Plan, &[Expr]),
        right: Plan,
        params: &Values,
        kind: JoinKind,
    ) -> Result<Lateral> {
        if !matches!(kind, JoinKind::Inner | JoinKind::Cross | JoinKind::Left) {
            let what = "LATERAL on the right side of a RIGHT, FULL or PASTE JOIN";
            return Err(Error::not_implemented(what));
        }
        let (ids, args): (Vec<ColumnId>, Vec<Expr>) = params.iter().cloned().unzip();
        let all = ids.iter().copied().collect();
        let is_complete = |u: &Unnested| u.values.is_empty() && u.when_empty.is_none();
        let pulled = self.pulled(right.clone(), &all, false)?.filter(is_complete);
        let mut unnested = match pulled {
            Some(unnested) => unnested,
            None => {
                let wanted = crate::lower::filter(left.clone(), &of_side(above, left));
                self.with_domain(&wanted, right, (&ids, &args), true)?
            }
        };
        unnested.bind(&ids, &args);
        let (keys, residual) = self.split_keys(unnested.conditions, left, &unnested.plan);
        let kind = if kind == JoinKind::Left { kind } else { JoinKind::Inner };
        Ok(Lateral { right: unnested.plan, kind, keys, residual })
    }
}

/// The conditions that can be evaluated over the rows of a plan.
fn of_side(conditions: &[Expr], plan: &Plan) -> Vec<Expr> {
    let outputs = plan.outputs();
    let is_of_side = |condition: &&Expr| {
        let mut read = Vec::new();
        condition.columns(&mut read);
        let is_plain = tree::is_deterministic(condition) && !has_subquery(condition);
        is_plain && read.iter().all(|id| outputs.contains(id))
    };
    conditions.iter().filter(is_of_side).cloned().collect()
}

impl Unnested {
    /// Puts the arguments in the place of the parameters.
    fn bind(&mut self, params: &[ColumnId], args: &[Expr]) {
        let of = |id: ColumnId| {
            let at = params.iter().position(|param| *param == id)?;
            Some(args[at].clone())
        };
        let empty = self.when_empty.iter_mut().flatten();
        let values = self.values.iter_mut().chain(empty).map(|(_, expr)| expr);
        for expr in self.conditions.iter_mut().chain(values) {
            *expr = tree::substitute(expr, &of);
        }
    }
}

/// Whether an expression contains a correlated subquery.
pub(crate) fn has_subquery(expr: &Expr) -> bool {
    tree::any(expr, &mut |e| matches!(e, Expr::Correlated { .. }))
}

/// The correlated subqueries of an expression, without those in their arguments.
fn collect(expr: &Expr, out: &mut Vec<Expr>) {
    match expr {
        Expr::Correlated { .. } => out.push(expr.clone()),
        _ => expr.children().into_iter().for_each(|child| collect(child, out)),
    }
}

/// A condition that asks whether a subquery has a row.
struct Exists<'e> {
    args: &'e [Expr],
    subquery: &'e Arc<Correlated>,
    kind: Use,
    /// Where this holds, the condition is NULL.
    unknown: Option<&'e Expr>,
}

/// The subquery of a condition that is `EXISTS (...)` or `x IN (...)`, or the negation of one.
fn exists(condition: &Expr) -> Option<Exists<'_>> {
    match condition {
        Expr::Correlated { args, subquery } if subquery.kind == CorrelatedKind::Exists => {
            Some(Exists { args, subquery, kind: Use::Semi, unknown: None })
        }
        Expr::Call { function, args, lambda: None } => match (function.operation(), &args[..]) {
            (Operation::Not, [arg]) => {
                let found = exists(arg).filter(|found| found.kind == Use::Semi)?;
                Some(Exists { kind: Use::Anti, ..found })
            }
            // The type of a condition, which is LowCardinality if a column is, does not matter.
            (Operation::Cast, [arg, _]) => exists(arg),
            // `if(x IS NULL, NULL, ...)`, which the analysis writes around `x IN (...)`. No row is
            // equal to NULL, so nothing else is to be tested where rows are kept.
            (Operation::Branch, [is_null, Expr::Literal { value: Value::Null, .. }, found]) => {
                let found = exists(found).filter(|found| found.kind == Use::Semi)?;
                Some(Exists { unknown: Some(is_null), ..found })
            }
            _ => None,
        },
        _ => None,
    }
}
