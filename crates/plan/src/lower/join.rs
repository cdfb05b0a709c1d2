//! Joins: key columns, conditions of one side, merged columns of USING.

use crate::physical::{Project, Values};
use entasis_analyze::query;
use entasis_analyze::{bind, tree};
use entasis_base::Result;
use entasis_column::{Chunk, Column};
use entasis_expr::{ColumnId, Expr};
use entasis_types::{DataType, Value};

use super::extend;
use crate::header::type_in;
use crate::unnest::{Lateral, has_subquery};
use crate::{AsofKey, Columns, Join, JoinKind, Plan, Planned, Planner, Strictness};

/// The totals of a join's side, and the columns that the join adds to the side.
type Side = (Option<Plan>, Vec<(ColumnId, Expr)>);

impl Planner<'_> {
    pub(crate) fn join(&mut self, join: &query::Join, above: &[Expr]) -> Result<Planned> {
        let (kind, strictness) = (join.kind, join.strictness);
        let keeps_left = matches!(kind, JoinKind::Inner | JoinKind::Cross | JoinKind::Left);
        let above = if keeps_left { above } else { &[] };
        let Planned { plan: left, totals: left_totals } = self.source(&join.left, above)?;
        let Planned { plan: right, totals: right_totals } = self.source(&join.right, &[])?;
        self.settings.join_algorithms.check(join, &left, &right)?;
        let (mut left_new, mut right_new) = (Vec::new(), Vec::new());
        let mut keys = Vec::with_capacity(join.keys.len());
        let lateral = match &join.right {
            query::From::Lateral { params, .. } => {
                self.lateral((&left, above), right, params, kind)?
            }
            _ => Lateral { right, kind, keys: Vec::new(), residual: Vec::new() },
        };
        let (right, kind) = (lateral.right, lateral.kind);
        for (l, r) in join.keys.iter().chain(&lateral.keys) {
            keys.push((self.key_of(l, &mut left_new), self.key_of(r, &mut right_new)));
        }
        let closest = join.closest.as_ref().map(|closest| AsofKey {
            left: self.key_of(&closest.left, &mut left_new),
            right: self.key_of(&closest.right, &mut right_new),
            inequality: closest.inequality,
        });
        let matched = (kind == JoinKind::Full && !join.merged.is_empty()).then(|| {
            let id = self.fresh();
            left_new.push((id, Expr::literal(Value::UInt(1), DataType::UInt8)));
            id
        });
        let left = extend(left, left_new.clone())?;
        let right = extend(right, right_new.clone())?;
        let (left_outputs, right_outputs) = (left.outputs(), right.outputs());
        // The last column of ASOF ... USING is not among the keys, but it is merged like them.
        let mut pairs = keys.clone();
        pairs.extend(closest.as_ref().map(|closest| (closest.left, closest.right)));
        let merged = self.merged(join, &pairs, matched)?;
        let is_cross = kind == JoinKind::Cross;
        let is_inner = kind == JoinKind::Inner && strictness == Strictness::All;
        // A condition with a subquery is one of WHERE, as far as the kind of the join allows that.
        let (later, residual): (Vec<Expr>, Vec<Expr>) = match is_cross {
            true => (join.residual.clone(), lateral.residual),
            false => {
                let all = join.residual.iter().cloned().chain(lateral.residual);
                all.partition(|c| is_inner && has_subquery(c))
            }
        };
        let node = Join {
            kind,
            strictness,
            keys,
            closest,
            residual: conjunction(residual),
            left_outputs,
            right_outputs,
            takes_last: join.takes_last,
            use_nulls: join.use_nulls,
            ..Join::cross(left, right)
        };
        let sides = [(left_totals, left_new), (right_totals, right_new)];
        let totals = match self.totals_of(&node, sides)? {
            Some(row) => Some(extend(row, merged.clone())?),
            None => None,
        };
        let result = Plan::Join(Box::new(node));
        let result = self.filtered(result, &later)?;
        Ok(Planned { plan: extend(result, merged)?, totals })
    }

    /// The totals of both sides in one row; `None` if no side has totals. `sides` holds the totals,
    /// and the columns that the join adds to a side. A side without totals gets default values.
    fn totals_of(&self, join: &Join, sides: [Side; 2]) -> Result<Option<Plan>> {
        if sides.iter().all(|(totals, _)| totals.is_none()) {
            return Ok(None);
        }
        let [left, right] = sides;
        let (left_header, right_header) = join.headers()?;
        let left = self.one_row(left, left_header)?;
        let right = self.one_row(right, right_header)?;
        Ok(Some(Plan::Join(Box::new(Join {
            left_outputs: join.left_outputs.clone(),
            right_outputs: join.right_outputs.clone(),
            ..Join::cross(left, right)
        }))))
    }

    /// The totals of a side, with the columns that the side has in the join's output.
    fn one_row(&self, (row, new): Side, wanted: Columns) -> Result<Plan> {
        let Some(row) = row else {
            let values = wanted.iter().map(|(_, ty)| Column::default_of(ty, 1)).collect();
            return Ok(Plan::Values(Values { columns: wanted, chunk: Chunk::new(values, 1) }));
        };
        let row = extend(row, new)?;
        let header = row.header()?;
        let mut exprs = Vec::with_capacity(wanted.len());
        for (id, ty) in wanted {
            let column = Expr::column(id, type_in(&header, id)?.clone());
            exprs.push((id, bind::cast(column, &ty, self.context)?));
        }
        Ok(Plan::Project(Project { input: Box::new(row), exprs }))
    }

    /// The column that holds a key; it is added to `new` if there is none.
    pub(crate) fn key_of(&mut self, expr: &Expr, new: &mut Vec<(ColumnId, Expr)>) -> ColumnId {
        if let Expr::Column { id, .. } = expr {
            return *id;
        }
        if let Some((id, _)) = new.iter().find(|(_, e)| tree::same(e, expr)) {
            return *id;
        }
        let id = self.fresh();
        new.push((id, expr.clone()));
        id
    }

    /// The merged columns of USING: those of the side that is never missing; in a full join the
    /// left ones if there was a left row, otherwise the right ones.
    fn merged(
        &mut self,
        join: &query::Join,
        keys: &[(ColumnId, ColumnId)],
        matched: Option<ColumnId>,
    ) -> Result<Vec<(ColumnId, Expr)>> {
        let mut out = Vec::with_capacity(join.merged.len());
        for merged in &join.merged {
            let (left, right) = &keys[merged.key];
            let ty = join.keys.get(merged.key).map_or(&merged.ty, |(left, _)| left.ty());
            let column = |id: &ColumnId| Expr::column(*id, ty.clone());
            let expr = match (matched, join.kind) {
                // The missing side has NULL.
                (Some(_), _) if join.use_nulls => {
                    let either = [left, right].map(|id| Expr::column(*id, ty.when_missing()));
                    let first = self.call("coalesce", either.to_vec())?;
                    bind::cast(first, &merged.ty, self.context)?
                }
                (Some(matched), _) => {
                    let matched = Expr::column(matched, DataType::UInt8);
                    self.call("if", vec![matched, column(left), column(right)])?
                }
                (None, JoinKind::Right) => column(right),
                (None, _) => column(left),
            };
            out.push((merged.id, expr));
        }
        Ok(out)
    }
}

/// Combines the conjuncts into one expression; `None` if there are none.
pub(crate) fn conjunction(mut conjuncts: Vec<Expr>) -> Option<Expr> {
    match conjuncts.len() {
        0 | 1 => conjuncts.pop(),
        _ => {
            let nullable = conjuncts.iter().any(|e| e.ty().is_nullable());
            let plain = DataType::UInt8;
            let ty = if nullable { DataType::nullable(plain) } else { plain };
            Some(Expr::And(conjuncts.into(), ty))
        }
    }
}
