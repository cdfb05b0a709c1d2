//! The share of rows that pass a condition, from what is known about the columns.

use entasis_expr::{ColumnId, Expr};
use entasis_function::{Comparison, Operation};
use entasis_types::{DataType, Value};

use super::{Numbers, Relation};
use crate::cost;

/// The least share of rows that one condition is assumed to let through.
const LEAST: f64 = 1e-6;

/// The share of the relation's rows for which the condition is true.
pub(super) fn of(relation: &Relation, condition: &Expr) -> f64 {
    known(relation, condition).unwrap_or_else(|| cost::passing(condition)).clamp(LEAST, 1.0)
}

/// The share, if it follows from numbers of the columns; `None` if only the form of the condition
/// is known.
fn known(relation: &Relation, condition: &Expr) -> Option<f64> {
    match condition {
        Expr::And(args, _) => Some(args.iter().map(|arg| of(relation, arg)).product()),
        Expr::Or(args, _) => {
            let none: f64 = args.iter().map(|arg| 1.0 - of(relation, arg)).product();
            Some(1.0 - none)
        }
        Expr::InSet { args, set, negated, .. } => {
            let [Expr::Column { id, .. }] = &args[..] else { return None };
            let numbers = relation.numbers(*id)?;
            let members = set.set.get()?.len() as f64;
            let within = (members / numbers.distinct?).min(1.0);
            let within = if *negated { 1.0 - within } else { within };
            Some(within * (1.0 - numbers.nulls))
        }
        Expr::Call { function, args, lambda: None } => match (function.operation(), &args[..]) {
            (Operation::Not, [inner]) => Some(1.0 - of(relation, inner)),
            (Operation::IsNull { negated }, [Expr::Column { id, .. }]) => {
                let nulls = relation.numbers(*id)?.nulls;
                (nulls > 0.0).then_some(if negated { 1.0 - nulls } else { nulls })
            }
            (Operation::Compare(comparison), [left, right]) => {
                compared(relation, comparison, left, right)
            }
            _ => None,
        },
        _ => None,
    }
}

fn compared(relation: &Relation, comparison: Comparison, left: &Expr, right: &Expr) -> Option<f64> {
    match (left, right) {
        (Expr::Column { id, .. }, Expr::Literal { value, .. }) => {
            with_constant(relation.numbers(*id)?, comparison, comparable(left, right, value))
        }
        (Expr::Literal { value, .. }, Expr::Column { id, .. }) => {
            let numbers = relation.numbers(*id)?;
            with_constant(numbers, mirrored(comparison), comparable(right, left, value))
        }
        (Expr::Column { id, .. }, Expr::Column { id: other, .. }) if comparison.is_equality() => {
            let (a, b) = (relation.numbers(*id)?, relation.numbers(*other)?);
            let equal = 1.0 / a.distinct?.max(b.distinct?);
            Some(if comparison == Comparison::Equals { equal } else { 1.0 - equal })
        }
        _ => None,
    }
}

/// The share of a column's values that compare so with a constant; `value` is the constant, if
/// it can be compared with them.
fn with_constant(numbers: &Numbers, comparison: Comparison, value: Option<&Value>) -> Option<f64> {
    let there = 1.0 - numbers.nulls;
    Some(match comparison {
        Comparison::Equals => numbers.share_equal(value)?,
        Comparison::NotEquals => there - numbers.share_equal(value)?,
        Comparison::Less => numbers.share_below(value, false)?,
        Comparison::LessOrEquals => numbers.share_below(value, true)?,
        Comparison::Greater => there - numbers.share_below(value, true)?,
        Comparison::GreaterOrEquals => there - numbers.share_below(value, false)?,
    })
}

/// The constant, if it can be compared with the column's values as they are stored.
fn comparable<'v>(column: &Expr, literal: &Expr, value: &'v Value) -> Option<&'v Value> {
    let (column, literal) = (column.ty().without_nullable(), literal.ty().without_nullable());
    let plain = |ty: &DataType| ty.is_any_integer() || ty.is_float();
    // Both count days.
    let is_date = |ty: &DataType| matches!(ty, DataType::Date | DataType::Date32);
    let same_unit = |test: &dyn Fn(&DataType) -> bool| test(column) && test(literal);
    (column == literal || same_unit(&plain) || same_unit(&is_date)).then_some(value)
}

fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEquals => Comparison::GreaterOrEquals,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEquals => Comparison::LessOrEquals,
        same => same,
    }
}

/// What a condition says about the only column that it reads, once `share` of the rows are left.
pub(super) fn narrowed(numbers: &Numbers, condition: &Expr, share: f64) -> Numbers {
    let mut out = numbers.clone();
    out.nulls = 0.0;
    out.statistics = None;
    out.distinct = numbers.distinct.map(|n| (n * share).max(1.0));
    let Expr::Call { function, args, lambda: None } = condition else { return out };
    let Operation::Compare(comparison) = function.operation() else { return out };
    let (comparison, value) = match &args[..] {
        [column @ Expr::Column { .. }, literal @ Expr::Literal { value, .. }] => {
            (comparison, comparable(column, literal, value))
        }
        [literal @ Expr::Literal { value, .. }, column @ Expr::Column { .. }] => {
            (mirrored(comparison), comparable(column, literal, value))
        }
        _ => return out,
    };
    if comparison == Comparison::Equals {
        out.distinct = Some(1.0);
        out.domain = 1.0;
    }
    if let (Some((least, most)), Some(v)) = (out.range, value.and_then(Value::as_f64)) {
        out.range = match comparison {
            Comparison::Equals => Some((v, v)),
            Comparison::NotEquals => Some((least, most)),
            Comparison::Less | Comparison::LessOrEquals => Some((least, most.min(v).max(least))),
            Comparison::Greater | Comparison::GreaterOrEquals => {
                Some((least.max(v).min(most), most))
            }
        };
    }
    out
}

/// The only column that a condition reads.
pub(super) fn only_column(condition: &Expr) -> Option<ColumnId> {
    let mut ids = Vec::new();
    condition.columns(&mut ids);
    ids.dedup();
    match ids[..] {
        [id] => Some(id),
        _ => None,
    }
}
