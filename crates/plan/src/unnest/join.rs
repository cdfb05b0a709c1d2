//! The join of a query with the plan of a subquery that has no parameters any more.

use std::collections::HashSet;

use entasis_analyze::bind;
use entasis_analyze::join::{common_key, sides_of};
use entasis_analyze::tree;
use entasis_base::{Error, Result};
use entasis_expr::{ColumnId, Correlated, Expr};
use entasis_types::{DataType, Value};

use super::{Unnested, Use};
use crate::lower::{conjunction, extend};
use crate::physical::Values;
use crate::{Join, JoinAlgorithm, JoinKind, Plan, Planner, Strictness};

/// The result of a subquery, as the columns of its plan give it.
struct SubqueryValue {
    /// The value where there is a row.
    value: Expr,
    /// The value where there is none; NULL if not set.
    when_empty: Option<Expr>,
}

impl Planner<'_> {
    /// Joins the subquery to `outer`, whose columns all stay, and answers the expression of the
    /// subquery's result. `output` is the column of a scalar subquery.
    pub(super) fn join_subquery(
        &mut self,
        outer: Plan,
        mut subquery: Unnested,
        output: Option<ColumnId>,
        of: &Correlated,
        kind: Use,
    ) -> Result<(Plan, Option<Expr>)> {
        if kind != Use::Scalar && subquery.when_empty.is_some() {
            return self.always(outer, kind);
        }
        match kind {
            Use::Semi | Use::Anti => {
                let strictness =
                    if kind == Use::Semi { Strictness::Semi } else { Strictness::Anti };
                let join = self.joined(outer, subquery, strictness, Vec::new(), false)?;
                Ok((join, None))
            }
            Use::Mark => {
                let (plan, mark) = self.marked(subquery.plan)?;
                subquery.plan = plan;
                let join = self.joined(outer, subquery, Strictness::Any, vec![mark], false)?;
                Ok((join, Some(Expr::column(mark, DataType::UInt8))))
            }
            Use::Scalar => {
                let id = output.ok_or_else(|| Error::logical("a subquery without columns"))?;
                let result = result_of(&subquery, id)?;
                self.scalar(outer, subquery, result, of)
            }
        }
    }

    /// A subquery that has a row whatever its parameters are.
    fn always(&self, outer: Plan, kind: Use) -> Result<(Plan, Option<Expr>)> {
        Ok(match kind {
            Use::Anti => {
                let columns = outer.header()?;
                let none = columns.iter().map(|(_, ty)| entasis_column::Column::default_of(ty, 0));
                let chunk = entasis_column::Chunk::new(none.collect(), 0);
                (Plan::Values(Values { columns, chunk }), None)
            }
            Use::Mark => (outer, Some(Expr::literal(Value::UInt(1), DataType::UInt8))),
            _ => (outer, None),
        })
    }

    fn scalar(
        &mut self,
        outer: Plan,
        mut subquery: Unnested,
        result: SubqueryValue,
        of: &Correlated,
    ) -> Result<(Plan, Option<Expr>)> {
        // A grouping has one row for every value of its keys. For others, the first row counts.
        let strictness = match subquery.is_unique() {
            true => Strictness::All,
            false => Strictness::Any,
        };
        if let (Expr::Column { id, ty }, None) = (&result.value, &result.when_empty)
            && subquery.plan.outputs().contains(id)
            && ty.when_missing() == of.ty
        {
            let column = *id;
            // The id may be a column of the outer query as well, if the subquery shows a key.
            let fresh = self.fresh();
            subquery.plan = extend(subquery.plan, vec![(fresh, Expr::column(column, ty.clone()))])?;
            let join = self.joined(outer, subquery, strictness, vec![fresh], true)?;
            return Ok((join, Some(Expr::column(fresh, of.ty.clone()))));
        }
        let (plan, mark) = self.marked(subquery.plan)?;
        subquery.plan = plan;
        let mut read = Vec::new();
        result.value.columns(&mut read);
        let own: HashSet<ColumnId> = subquery.plan.outputs().into_iter().collect();
        let mut outputs: Vec<ColumnId> = read.into_iter().filter(|id| own.contains(id)).collect();
        outputs.push(mark);
        let before = outer.header()?;
        let join = self.joined(outer, subquery, strictness, outputs, false)?;
        let value = bind::cast(result.value, &of.ty, self.context)?;
        let otherwise = match result.when_empty {
            Some(value) => bind::cast(value, &of.ty, self.context)?,
            None => Expr::literal(of.ty.default_value(), of.ty.clone()),
        };
        let mark = Expr::column(mark, DataType::UInt8);
        let chosen = self.call("if", vec![mark, value, otherwise])?;
        let chosen = bind::cast(chosen, &of.ty, self.context)?;
        let id = self.fresh();
        let mut exprs: Vec<(ColumnId, Expr)> =
            before.into_iter().map(|(id, ty)| (id, Expr::column(id, ty))).collect();
        exprs.push((id, chosen));
        let input = Box::new(join);
        let plan = Plan::Project(crate::physical::Project { input, exprs });
        Ok((plan, Some(Expr::column(id, of.ty.clone()))))
    }

    /// The plan with a column that is 1 in every row.
    fn marked(&mut self, plan: Plan) -> Result<(Plan, ColumnId)> {
        let mark = self.fresh();
        let one = Expr::literal(Value::UInt(1), DataType::UInt8);
        Ok((extend(plan, vec![(mark, one)])?, mark))
    }

    /// The left join, semi or anti join of the outer query with the subquery: all columns of the
    /// outer query, and `outputs` of the subquery.
    fn joined(
        &mut self,
        outer: Plan,
        subquery: Unnested,
        strictness: Strictness,
        outputs: Vec<ColumnId>,
        use_nulls: bool,
    ) -> Result<Plan> {
        let left_outputs = outer.outputs();
        let (pairs, residual) = self.split_keys(subquery.conditions, &outer, &subquery.plan);
        let (mut left_new, mut right_new) = (Vec::new(), Vec::new());
        let mut keys = Vec::with_capacity(pairs.len());
        for (l, r) in &pairs {
            keys.push((self.key_of(l, &mut left_new), self.key_of(r, &mut right_new)));
        }
        Ok(Plan::Join(Box::new(Join {
            left: extend(outer, left_new)?,
            right: extend(subquery.plan, right_new)?,
            kind: JoinKind::Left,
            strictness,
            algorithm: JoinAlgorithm::Hash,
            filters_left: true,
            left_first: None,
            keys,
            closest: None,
            residual: conjunction(residual),
            left_outputs,
            right_outputs: outputs,
            takes_last: false,
            use_nulls,
        })))
    }
}

impl Planner<'_> {
    /// The equalities between both sides, as keys, and the other conditions.
    pub(super) fn split_keys(
        &self,
        conditions: Vec<Expr>,
        left: &Plan,
        right: &Plan,
    ) -> (super::Pairs, Vec<Expr>) {
        let [left, right] =
            [left, right].map(|side| side.outputs().into_iter().collect::<HashSet<ColumnId>>());
        let of_left = |e: &Expr| only(e, &left);
        let of_right = |e: &Expr| only(e, &right);
        let (mut keys, mut residual) = (Vec::new(), Vec::new());
        for condition in conditions {
            let key = match sides_of(&condition, &of_left, &of_right) {
                Some((l, r)) => common_key(l.clone(), r.clone(), self.context).ok(),
                None => None,
            };
            match key {
                Some(key) => keys.push(key),
                None => residual.push(condition),
            }
        }
        (keys, residual)
    }
}

impl Unnested {
    /// Whether the plan has at most one row for every value of the parameters.
    fn is_unique(&self) -> bool {
        self.when_empty.is_some()
    }
}

/// The result of a scalar subquery whose column is `id`.
fn result_of(subquery: &Unnested, id: ColumnId) -> Result<SubqueryValue> {
    let known = |values: &super::Values| {
        values.iter().find(|(known, _)| *known == id).map(|(_, expr)| expr.clone())
    };
    let value = match known(&subquery.values) {
        Some(expr) => expr,
        None => {
            let header = subquery.plan.header()?;
            let ty = crate::header::type_in(&header, id)?.clone();
            Expr::column(id, ty)
        }
    };
    let when_empty = subquery.when_empty.as_ref().and_then(known);
    Ok(SubqueryValue { value, when_empty })
}

/// Whether an expression reads columns, and only these.
fn only(expr: &Expr, columns: &HashSet<ColumnId>) -> bool {
    let mut ids = Vec::new();
    expr.columns(&mut ids);
    !ids.is_empty() && ids.iter().all(|id| columns.contains(id)) && tree::is_deterministic(expr)
}
