//! Turns expressions into conditions over intervals, and evaluates a condition for a box.

use std::sync::Arc;

use entasis_column::Column;
use entasis_function::{BoundFunction, Comparison, Monotonicity, Operation};
use entasis_types::{DataType, Value};

use super::Truth;
use super::instant::instant;
use super::interval::{Interval, compare};
use crate::program::constant_value;
use crate::{ColumnId, Expr, SetSlot};

/// The largest set of tuples that is searched row by row.
const MOST_TUPLES: usize = 1 << 12;

/// A predicate, as far as the analysis understands it.
#[derive(Debug)]
pub(super) enum Condition {
    Unknown,
    Constant(bool),
    /// The constant NULL, which is neither true nor false.
    Null,
    /// The value is in the range, or outside of it if negated.
    Range {
        value: Chain,
        range: Interval,
        negated: bool,
        exact: bool,
    },
    /// The value is one of the members, which are sorted.
    Member {
        value: Chain,
        members: Vec<Value>,
        negated: bool,
    },
    /// The row of values is one of the members.
    Tuple {
        values: Vec<Chain>,
        members: Vec<Vec<Value>>,
    },
    IsNull {
        value: Chain,
        negated: bool,
    },
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
}

/// A chain of monotone functions over a column, the innermost first.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub column: ColumnId,
    pub ty: DataType,
    pub steps: Vec<Step>,
    /// Whether NaN is possible, which is outside of every range.
    floats: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub function: Arc<BoundFunction>,
    /// The arguments as constants of one row; that in the place of the variable may be anything.
    pub args: Vec<Column>,
    pub place: usize,
    pub arg_type: DataType,
    increasing: bool,
}

impl Step {
    fn apply(&self, value: &Value) -> Option<Value> {
        let mut args = self.args.clone();
        args[self.place] = Column::from_value(&self.arg_type, value, 1).full();
        let result = self.function.call(&args, 1).ok()?.value(0);
        (!result.is_null()).then_some(result)
    }
}

impl Chain {
    pub fn image(&self, mut interval: Interval) -> Interval {
        for step in &self.steps {
            let end =
                |e: Option<(Value, bool)>| e.and_then(|(v, _)| step.apply(&v)).map(|v| (v, true));
            let (low, high) = (end(interval.low.take()), end(interval.high.take()));
            (interval.low, interval.high) = if step.increasing { (low, high) } else { (high, low) };
        }
        interval
    }

    /// The chain of monotone functions in `expr`, if it is one.
    pub fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Column { id, ty } => Some(Self {
                column: *id,
                ty: ty.clone(),
                steps: Vec::new(),
                floats: ty.without_nullable().is_float(),
            }),
            Expr::Call { function, args, lambda: None } => {
                let increasing = match function.monotonicity {
                    Monotonicity::None => return None,
                    Monotonicity::Increasing => true,
                    Monotonicity::Decreasing => false,
                };
                Self::with_call(function, args, increasing)
            }
            _ => None,
        }
    }

    /// The chain in the only argument that is not constant, with this function added.
    fn with_call(function: &Arc<BoundFunction>, args: &[Expr], increasing: bool) -> Option<Self> {
        let constants: Vec<Option<Value>> = args.iter().map(constant_value).collect();
        let place = constants.iter().position(Option::is_none)?;
        if constants.iter().filter(|c| c.is_none()).count() != 1 {
            return None;
        }
        let mut chain = Self::of(&args[place])?;
        let columns = args.iter().zip(&constants).map(|(arg, value)| {
            Column::from_value(arg.ty(), value.as_ref().unwrap_or(&Value::Null), 1)
        });
        chain.steps.push(Step {
            function: Arc::clone(function),
            args: columns.collect(),
            place,
            arg_type: chain.ty.clone(),
            increasing,
        });
        chain.ty = function.return_type.clone();
        chain.floats |= chain.ty.without_nullable().is_float();
        Some(chain)
    }
}

/// Whether [`compare`] orders values of both types as the dialect does.
fn comparable(a: &DataType, b: &DataType) -> bool {
    let (a, b) = (a.without_nullable(), b.without_nullable());
    let plain = |t: &DataType| t.is_any_number();
    match (a, b) {
        _ if plain(a) && plain(b) => true,
        (DataType::DateTime(_), t) | (t, DataType::DateTime(_)) if t.is_any_integer() => true,
        (DataType::DateTime(_), DataType::DateTime(_)) => true,
        (DataType::Date | DataType::String | DataType::FixedString(_), _) => a == b,
        _ => false,
    }
}

/// The constant as a value of the column's kind: strings that name dates become dates.
fn as_operand(constant: &Expr, ty: &DataType) -> Option<Value> {
    let value = constant_value(constant)?;
    if value.is_null() {
        return None;
    }
    if comparable(constant.ty(), ty) {
        return Some(value);
    }
    if *ty.without_nullable() == DataType::Date && *constant.ty() == DataType::String {
        return days_of(value.as_bytes()?).map(Value::UInt);
    }
    None
}

/// Days since 1970 of a text of exactly the form `YYYY-MM-DD`.
fn days_of(text: &[u8]) -> Option<u64> {
    if text.len() != 10 || text[4] != b'-' || text[7] != b'-' {
        return None;
    }
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        std::str::from_utf8(&text[range]).ok()?.parse().ok()
    };
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    if !(1970..2149).contains(&year) || !(1..=12).contains(&month) || !(1..=28).contains(&day) {
        // Days at the end of a month are left to the comparison itself.
        return None;
    }
    // Howard Hinnant's formula for days from civil dates, with the year starting in March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (y / 400, y % 400);
    let of_year = (153 * m + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    u64::try_from(days).ok()
}

impl Condition {
    /// The conjunction of all conjuncts.
    pub fn all(conjuncts: &[Expr]) -> Self {
        Self::And(conjuncts.iter().map(Self::of).collect())
    }

    fn of(expr: &Expr) -> Self {
        if let Some(value) = constant_value(expr) {
            return match &value {
                Value::Null => Self::Null,
                number => number.as_f64().map_or(Self::Unknown, |v| Self::Constant(v != 0.0)),
            };
        }
        match expr {
            Expr::And(args, _) => Self::all(args),
            Expr::Or(args, _) => Self::Or(args.iter().map(Self::of).collect()),
            Expr::InSet { args, set, negated, .. } => {
                Self::of_set(args, set, *negated).unwrap_or(Self::Unknown)
            }
            Expr::Call { function, args, lambda: None } => {
                Self::of_call(function, args).unwrap_or(Self::Unknown)
            }
            Expr::Column { ty, .. } if ty.without_nullable().is_native_number() => Chain::of(expr)
                .map_or(Self::Unknown, |value| Self::Range {
                    value,
                    range: Interval::point(Value::UInt(0)),
                    negated: true,
                    exact: true,
                }),
            _ => Self::Unknown,
        }
    }

    fn of_call(function: &Arc<BoundFunction>, args: &[Expr]) -> Option<Self> {
        Some(match (function.operation(), args) {
            (Operation::Not, [arg]) => Self::Not(Box::new(Self::of(arg))),
            (Operation::And, args) => Self::all(args),
            (Operation::Or, args) => Self::Or(args.iter().map(Self::of).collect()),
            (Operation::IsNull { negated }, [arg]) => {
                let value = Chain::of(arg)?;
                if !value.steps.is_empty() {
                    return None;
                }
                Self::IsNull { value, negated }
            }
            (Operation::StartsWith, [arg, prefix]) => {
                of_prefix(arg, constant_value(prefix)?.as_bytes()?)?
            }
            (Operation::Like { negated: false }, [arg, pattern]) => {
                let pattern = constant_value(pattern)?;
                let pattern = pattern.as_bytes()?;
                let fixed = pattern.iter().position(|b| matches!(b, b'%' | b'_' | b'\\'));
                of_prefix(arg, &pattern[..fixed.unwrap_or(pattern.len())])?
            }
            (Operation::Compare(comparison), [a, b]) => of_comparison(function, comparison, a, b)?,
            _ => return None,
        })
    }

    fn of_set(args: &[Expr], slot: &SetSlot, negated: bool) -> Option<Self> {
        let set = slot.set.get()?;
        if set.is_empty() && args.len() > 1 {
            return (!negated).then_some(Self::Constant(false));
        }
        let columns = set.members()?;
        let values: Vec<Chain> = args.iter().map(Chain::of).collect::<Option<_>>()?;
        let typed = values.iter().zip(&slot.types).all(|(v, t)| comparable(&v.ty, t));
        if !typed || columns.len() != values.len() {
            return None;
        }
        let rows = columns.first()?.len();
        if let ([column], [_]) = (&columns[..], &values[..]) {
            let mut members: Vec<Value> =
                (0..rows).map(|i| column.value(i)).filter(|v| !v.is_null()).collect();
            if members.iter().any(|m| compare(m, m).is_none()) {
                return None;
            }
            members.sort_by(|a, b| compare(a, b).unwrap_or(std::cmp::Ordering::Equal));
            let value = values.into_iter().next()?;
            return Some(Self::Member { value, members, negated });
        }
        if negated || rows > MOST_TUPLES {
            return None;
        }
        let row = |i: usize| columns.iter().map(|c| c.value(i)).collect();
        Some(Self::Tuple { values, members: (0..rows).map(row).collect() })
    }

    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Not(inner) => inner.is_unknown(),
            Self::And(parts) => parts.iter().all(Self::is_unknown),
            Self::Or(parts) => parts.iter().any(Self::is_unknown),
            _ => false,
        }
    }

    /// Whether a part of the condition is NULL whatever the row is.
    pub fn has_null(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Not(inner) => inner.has_null(),
            Self::And(parts) | Self::Or(parts) => parts.iter().any(Self::has_null),
            _ => false,
        }
    }

    pub fn columns(&self, out: &mut Vec<ColumnId>) {
        let mut add = |chain: &Chain| {
            if !out.contains(&chain.column) {
                out.push(chain.column);
            }
        };
        match self {
            Self::Unknown | Self::Constant(_) | Self::Null => {}
            Self::Range { value, .. } | Self::Member { value, .. } | Self::IsNull { value, .. } => {
                add(value);
            }
            Self::Tuple { values, .. } => values.iter().for_each(add),
            Self::Not(inner) => inner.columns(out),
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|p| p.columns(out)),
        }
    }

    /// Whether the condition may be true or false for rows of the box.
    pub fn truth(&self, of: &dyn Fn(ColumnId) -> Option<Interval>) -> Truth {
        match self {
            Self::Unknown => Truth::UNKNOWN,
            Self::Constant(value) => Truth { may_true: *value, may_false: !*value },
            Self::Null => Truth { may_true: false, may_false: false },
            Self::Range { value, range, negated, exact } => {
                let Some(interval) = of(value.column) else { return Truth::UNKNOWN };
                if !interval.has_values {
                    return Truth { may_true: false, may_false: false };
                }
                let image = value.image(interval);
                let inside = image.intersects(range);
                let outside = !*exact || value.floats || !image.within(range);
                truth(inside, outside, *negated)
            }
            Self::Member { value, members, negated } => {
                let Some(interval) = of(value.column) else { return Truth::UNKNOWN };
                if !interval.has_values {
                    return Truth { may_true: false, may_false: false };
                }
                let image = value.image(interval);
                let inside = any_member(members, &image);
                let outside = value.floats || image.single().is_none() || !inside;
                truth(inside, outside, *negated)
            }
            Self::Tuple { values, members } => {
                let images: Vec<Option<Interval>> =
                    values.iter().map(|v| of(v.column).map(|i| v.image(i))).collect();
                let fits = |(image, member): (&Option<Interval>, &Value)| {
                    image.as_ref().is_none_or(|i| i.has_values && i.contains(member))
                };
                let inside = members.iter().any(|row| images.iter().zip(row).all(fits));
                truth(inside, true, false)
            }
            Self::IsNull { value, negated } => {
                let Some(interval) = of(value.column) else { return Truth::UNKNOWN };
                let nulls = interval.has_null && value.ty.is_nullable();
                truth(nulls, interval.has_values, *negated)
            }
            Self::Not(inner) => {
                let t = inner.truth(of);
                Truth { may_true: t.may_false, may_false: t.may_true }
            }
            Self::And(parts) => {
                let all = parts.iter().map(|p| p.truth(of));
                all.fold(Truth { may_true: true, may_false: false }, |a, b| Truth {
                    may_true: a.may_true && b.may_true,
                    may_false: a.may_false || b.may_false,
                })
            }
            Self::Or(parts) => {
                let all = parts.iter().map(|p| p.truth(of));
                all.fold(Truth { may_true: false, may_false: true }, |a, b| Truth {
                    may_true: a.may_true || b.may_true,
                    may_false: a.may_false && b.may_false,
                })
            }
        }
    }
}

fn truth(inside: bool, outside: bool, negated: bool) -> Truth {
    if negated {
        return Truth { may_true: outside, may_false: inside };
    }
    Truth { may_true: inside, may_false: outside }
}

fn any_member(members: &[Value], image: &Interval) -> bool {
    let from = match &image.low {
        Some((low, _)) => members.partition_point(|m| compare(m, low).is_some_and(|o| o.is_lt())),
        None => 0,
    };
    // An excluded lower end may equal the first candidate and its repetitions.
    members[from..]
        .iter()
        .take_while(|m| {
            image.high.as_ref().is_none_or(|(h, _)| compare(m, h).is_none_or(|o| o.is_le()))
        })
        .any(|m| image.contains(m))
}

fn of_prefix(arg: &Expr, prefix: &[u8]) -> Option<Condition> {
    let value = Chain::of(arg)?;
    if prefix.is_empty() || *value.ty.without_nullable() != DataType::String {
        return None;
    }
    let mut upper = prefix.to_vec();
    while upper.last() == Some(&0xFF) {
        upper.pop();
    }
    let high = upper.last_mut().map(|last| {
        *last += 1;
    });
    let range = Interval {
        low: Some((Value::string(prefix), true)),
        high: high.map(|()| (Value::string(&upper), false)),
        has_null: false,
        has_values: true,
    };
    Some(Condition::Range { value, range, negated: false, exact: false })
}

fn of_comparison(
    function: &Arc<BoundFunction>,
    comparison: Comparison,
    a: &Expr,
    b: &Expr,
) -> Option<Condition> {
    let swapped = constant_value(a).is_some();
    let (variable, constant) = if swapped { (b, a) } else { (a, b) };
    let comparison = if swapped { comparison.swapped() } else { comparison };
    constant_value(constant)?;
    let increasing = match comparison {
        Comparison::Greater | Comparison::GreaterOrEquals => Some(true),
        Comparison::Less | Comparison::LessOrEquals => Some(false),
        Comparison::Equals | Comparison::NotEquals => None,
    };
    let value = Chain::of(variable)?;
    let operand = as_operand(constant, &value.ty).or_else(|| {
        // The order of other kinds is not needed to find what is equal.
        let text = constant_value(constant).filter(|_| increasing.is_none())?;
        instant(function, (comparison, swapped), &value.ty, &text)
    });
    let Some(operand) = operand else {
        // For other kinds (a DateTime and a string) the comparison itself is a monotone function.
        if constant_value(constant)?.is_null() || value.floats {
            return None;
        }
        let args = if swapped { [a.clone(), b.clone()] } else { [variable.clone(), b.clone()] };
        let value = Chain::with_call(function, &args, increasing?)?;
        let range = Interval::point(Value::UInt(1));
        return Some(Condition::Range { value, range, negated: false, exact: true });
    };
    if matches!(operand, Value::Float(v) if v.is_nan()) {
        return None;
    }
    let (low, high) = match comparison {
        Comparison::Greater => (Some((operand, false)), None),
        Comparison::GreaterOrEquals => (Some((operand, true)), None),
        Comparison::Less => (None, Some((operand, false))),
        Comparison::LessOrEquals => (None, Some((operand, true))),
        Comparison::Equals | Comparison::NotEquals => {
            (Some((operand.clone(), true)), Some((operand, true)))
        }
    };
    let range = Interval { low, high, has_null: false, has_values: true };
    Some(Condition::Range {
        value,
        range,
        negated: comparison == Comparison::NotEquals,
        exact: true,
    })
}
