//! Joins: key columns, conditions of one side, merged columns of USING.

use entasis_analyze::query;
use entasis_analyze::{bind, tree};
use entasis_base::Result;
use entasis_expr::{ColumnId, Expr};
use entasis_types::{DataType, Value};

use crate::aggregates::NoFacts;
use crate::{Closest, Join, JoinKind, Plan, Planner, Strictness};

impl Planner {
    pub(crate) fn join(&mut self, join: &query::Join) -> Result<Plan> {
        let kind = match join.kind {
            query::JoinKind::Inner => JoinKind::Inner,
            query::JoinKind::Left => JoinKind::Left,
            query::JoinKind::Right => JoinKind::Right,
            query::JoinKind::Full => JoinKind::Full,
            query::JoinKind::Cross => JoinKind::Cross,
        };
        let strictness = match join.strictness {
            query::Strictness::All => Strictness::All,
            query::Strictness::Any => Strictness::Any,
            query::Strictness::Semi => Strictness::Semi,
            query::Strictness::Anti => Strictness::Anti,
            query::Strictness::Asof => Strictness::Asof,
        };
        let (left, right) = (self.source(&join.left)?, self.source(&join.right)?);
        let (mut left_new, mut right_new) = (Vec::new(), Vec::new());
        let mut keys = Vec::with_capacity(join.keys.len());
        for (l, r) in &join.keys {
            let ty = l.ty().clone();
            keys.push((self.key(l, &mut left_new), self.key(r, &mut right_new), ty));
        }
        let closest = join.closest.as_ref().map(|closest| Closest {
            left: self.key(&closest.left, &mut left_new),
            right: self.key(&closest.right, &mut right_new),
            inequality: closest.inequality,
        });
        let matched = (kind == JoinKind::Full && !join.merged.is_empty()).then(|| {
            let id = self.fresh(DataType::UInt8);
            left_new.push((id, Expr::literal(Value::UInt(1), DataType::UInt8)));
            id
        });
        let left = self.extend(left, left_new);
        let right = self.extend(right, right_new);
        if join.use_nulls {
            let mut missing = Vec::new();
            if kind != JoinKind::Left {
                missing.extend(left.outputs());
            }
            if kind != JoinKind::Right {
                missing.extend(right.outputs());
            }
            for id in missing {
                self.make_nullable(id);
            }
        }
        let (left_outputs, right_outputs) = (self.typed(&left), self.typed(&right));
        let merged = self.merged(join, &keys, matched)?;
        let is_cross = kind == JoinKind::Cross;
        let result = Plan::Join(Box::new(Join {
            left,
            right,
            kind,
            strictness,
            keys,
            closest,
            residual: if is_cross { None } else { conjunction(join.residual.clone()) },
            left_outputs,
            right_outputs,
            use_nulls: join.use_nulls,
        }));
        let result = if is_cross { super::filter(result, &join.residual) } else { result };
        Ok(self.extend(result, merged))
    }

    fn key(&mut self, expr: &Expr, new: &mut Vec<(ColumnId, Expr)>) -> ColumnId {
        if let Expr::Column { id, .. } = expr {
            return *id;
        }
        if let Some((id, _)) = new.iter().find(|(_, e)| tree::same(e, expr)) {
            return *id;
        }
        let id = self.fresh(expr.ty().clone());
        new.push((id, expr.clone()));
        id
    }

    pub(crate) fn typed(&self, plan: &Plan) -> Vec<(ColumnId, DataType)> {
        plan.outputs().into_iter().map(|id| (id, self.type_of(id))).collect()
    }

    /// Columns of USING as the result sees them: the side's that is never missing, or of a full
    /// join the left's where there was a left row.
    fn merged(
        &mut self,
        join: &query::Join,
        keys: &[(ColumnId, ColumnId, DataType)],
        matched: Option<ColumnId>,
    ) -> Result<Vec<(ColumnId, Expr)>> {
        let mut out = Vec::with_capacity(join.merged.len());
        for merged in &join.merged {
            let (left, right, ty) = &keys[merged.key];
            let column = |id: &ColumnId| Expr::column(*id, ty.clone());
            let expr = match (matched, join.kind) {
                (Some(matched), _) => {
                    let matched = Expr::column(matched, DataType::UInt8);
                    bind::call("if", vec![matched, column(left), column(right)], &NoFacts)?
                }
                (None, query::JoinKind::Right) => column(right),
                (None, _) => column(left),
            };
            self.set_type(merged.id, merged.ty.clone());
            out.push((merged.id, expr));
        }
        Ok(out)
    }
}

/// The conjuncts as one expression.
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
