//! The share of rows that pass a condition, from what is known about the columns.

use std::ops::Bound;

use entasis_expr::{ColumnId, Expr, RowSet};
use entasis_function::{Comparison, Operation};
use entasis_types::text::{read_date, read_datetime};
use entasis_types::text_type::TextType;
use entasis_types::{DataType, TimeZone, Value};

use super::{Numbers, Relation, band, points};
use crate::cost;

/// The least share of rows that one condition is assumed to let through.
const LEAST: f64 = 1e-6;

/// The share of the relation's rows for which the condition is true.
pub(crate) fn of(relation: &Relation, condition: &Expr) -> f64 {
    known(relation, condition)
        .or_else(|| points::tried(relation, condition))
        .unwrap_or_else(|| cost::passing(condition))
        .clamp(LEAST, 1.0)
}

/// The share, if it follows from numbers of the columns; `None` if only the form of the condition
/// is known.
fn known(relation: &Relation, condition: &Expr) -> Option<f64> {
    match condition {
        Expr::And(args, _) => {
            Some(band::shares(relation, &args.iter().collect::<Vec<_>>()).into_iter().product())
        }
        Expr::Or(args, _) => {
            let none: f64 = args.iter().map(|arg| 1.0 - of(relation, arg)).product();
            Some(1.0 - none)
        }
        Expr::InSet { args, set, negated, .. } => {
            let [Expr::Column { id, ty }] = &args[..] else { return None };
            let numbers = relation.numbers(*id)?;
            let set_of = set.types.first().filter(|of| is_same_kind(ty, of));
            let within = share_in(numbers, &**set.set.get()?, set_of.is_some())?;
            let there = 1.0 - numbers.nulls;
            Some(if *negated { there - within.min(there) } else { within.min(there) })
        }
        Expr::Call { function, args, lambda: None } => match (function.operation(), &args[..]) {
            (Operation::Not, [inner]) => Some(1.0 - of(relation, inner)),
            (Operation::IsNull { negated }, [Expr::Column { id, .. }]) => {
                let numbers = relation.numbers(*id)?;
                let nulls = numbers.nulls;
                let is_known = nulls > 0.0 || numbers.statistics.is_some();
                is_known.then_some(if negated { 1.0 - nulls } else { nulls })
            }
            (Operation::Compare(comparison), [left, right]) => {
                compared(relation, comparison, left, right)
            }
            (Operation::Like { negated }, [column, pattern]) => {
                let (prefix, rest) = prefix_of(constant_text(pattern)?);
                let share = beginning(relation, column, prefix)? * rest;
                Some(if negated { 1.0 - share } else { share })
            }
            (Operation::StartsWith, [column, prefix]) => {
                beginning(relation, column, constant_text(prefix)?)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The share of a column's values that are in a set. `comparable`: whether its members can be
/// compared with the values.
fn share_in(numbers: &Numbers, set: &dyn RowSet, comparable: bool) -> Option<f64> {
    let members = set.members().filter(|members| comparable && members.len() == 1);
    if let Some([members]) = members.as_deref().filter(|_| numbers.statistics.is_some()) {
        return (0..members.len()).map(|row| numbers.share_equal(Some(&members.value(row)))).sum();
    }
    Some((set.len() as f64 / numbers.distinct?).min(1.0) * (1.0 - numbers.nulls))
}

fn constant_text(expr: &Expr) -> Option<&[u8]> {
    match expr {
        Expr::Literal { value, .. } => value.as_bytes(),
        _ => None,
    }
}

/// The text with which all matches of a LIKE pattern begin, and the share of such texts that match
/// what follows.
fn prefix_of(pattern: &[u8]) -> (&[u8], f64) {
    let special = |byte: &u8| matches!(byte, b'%' | b'_' | b'\\');
    let end = pattern.iter().position(special).unwrap_or(pattern.len());
    let (prefix, rest) = pattern.split_at(end);
    (prefix, if rest.iter().all(|byte| *byte == b'%') { 1.0 } else { 0.25 })
}

/// The share of a column's texts that begin with a text.
fn beginning(relation: &Relation, column: &Expr, prefix: &[u8]) -> Option<f64> {
    let Expr::Column { id, ty } = column else { return None };
    let numbers = relation.numbers(*id)?;
    let statistics = numbers.statistics.as_ref()?;
    if prefix.is_empty() || *ty.without_nullable() != DataType::String {
        return None;
    }
    let mut behind = prefix.to_vec();
    while behind.pop_if(|last| *last == u8::MAX).is_some() {}
    let behind = behind.split_last().map(|(last, before)| [before, &[last + 1]].concat());
    let (first, behind) = (Value::string(prefix), behind.map(|text| Value::string(&text)));
    let upper = behind.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
    statistics.fraction_between(Bound::Included(&first), upper)
}

fn compared(relation: &Relation, comparison: Comparison, left: &Expr, right: &Expr) -> Option<f64> {
    match (left, right) {
        (Expr::Column { id, .. }, Expr::Literal { value, .. }) => with_constant(
            relation.numbers(*id)?,
            comparison,
            comparable(left, right, value).as_ref(),
        ),
        (Expr::Literal { value, .. }, Expr::Column { id, .. }) => {
            let numbers = relation.numbers(*id)?;
            with_constant(numbers, mirrored(comparison), comparable(right, left, value).as_ref())
        }
        (Expr::Column { id, .. }, Expr::Column { id: other, .. }) if comparison.is_equality() => {
            let (a, b) = (relation.numbers(*id)?, relation.numbers(*other)?);
            let equal = 1.0 / a.distinct?.max(b.distinct?);
            Some(if comparison == Comparison::Equals { equal } else { 1.0 - equal })
        }
        (Expr::Column { id, ty }, Expr::Column { id: other, ty: of_other })
            if is_same_kind(ty, of_other) =>
        {
            let (a, b) = (relation.numbers(*id)?, relation.numbers(*other)?);
            match comparison {
                Comparison::Less => a.share_less(b, false),
                Comparison::LessOrEquals => a.share_less(b, true),
                Comparison::Greater => b.share_less(a, false),
                _ => b.share_less(a, true),
            }
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

/// The constant as it would be stored in the column, if it can be compared with its values.
fn comparable(column: &Expr, literal: &Expr, value: &Value) -> Option<Value> {
    let (column, literal) = (column.ty(), literal.ty());
    if is_same_kind(column, literal) {
        return Some(value.clone());
    }
    let is_text = *literal.without_nullable() == DataType::String;
    parsed(column.without_nullable(), value.as_bytes().filter(|_| is_text)?)
}

/// Whether values of both types are stored as numbers of the same things.
fn is_same_kind(a: &DataType, b: &DataType) -> bool {
    let (a, b) = (a.without_nullable(), b.without_nullable());
    let plain = |ty: &DataType| ty.is_any_integer() || ty.is_float();
    // Both count days.
    let is_date = |ty: &DataType| matches!(ty, DataType::Date | DataType::Date32);
    let same_unit = |test: &dyn Fn(&DataType) -> bool| test(a) && test(b);
    a == b || same_unit(&plain) || same_unit(&is_date)
}

/// The value that a text has as one of a type. A time without a zone counts as UTC, which is near
/// enough.
fn parsed(ty: &DataType, text: &[u8]) -> Option<Value> {
    let mut rest = text;
    match ty {
        DataType::Date => {
            let days = read_date(&mut rest).filter(|_| rest.is_empty());
            days.and_then(|days| u64::try_from(days).ok()).map(Value::UInt)
        }
        DataType::DateTime(zone) => {
            let second = read_datetime(&mut rest, zone.unwrap_or(TimeZone::utc()));
            let second = second.filter(|_| rest.is_empty());
            second.and_then(|second| u64::try_from(second).ok()).map(Value::UInt)
        }
        DataType::Date32 | DataType::DateTime64(..) | DataType::Enum(_) | DataType::Decimal(..) => {
            let bits = TextType::of(ty, TimeZone::utc())?.parse(text).ok()?;
            i64::try_from(bits).ok().map(Value::Int)
        }
        _ => None,
    }
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
    if let (Some((least, most)), Some(v)) = (out.range, value.as_ref().and_then(Value::as_f64)) {
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
