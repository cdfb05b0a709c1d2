//! Intervals of values, which are the sides of boxes, and the intervals that comparisons allow.

use std::cmp::Ordering;

use entasis_types::Value;

/// The values between two ends, and whether NULL is among them. An end without a bound is `None`.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    /// The lower end, and whether it belongs to the interval.
    pub low: Option<(Value, bool)>,
    /// The upper end, and whether it belongs to the interval.
    pub high: Option<(Value, bool)>,
    /// Whether NULLs may occur.
    pub has_null: bool,
    /// Whether values other than NULL may occur.
    pub has_values: bool,
}

impl Interval {
    pub fn universe() -> Self {
        Self { low: None, high: None, has_null: true, has_values: true }
    }

    fn end(value: Value, included: bool) -> Option<(Value, bool)> {
        let unbounded = match &value {
            Value::Null => true,
            Value::Float(v) => v.is_nan(),
            _ => false,
        };
        (!unbounded).then_some((value, included))
    }

    /// `[min, max]`. An end that is NULL or NaN means no bound.
    pub fn closed(min: Value, max: Value, has_null: bool) -> Self {
        Self { low: Self::end(min, true), high: Self::end(max, true), has_null, has_values: true }
    }

    /// The interval that contains only this value, or only NULL.
    pub fn point(value: Value) -> Self {
        if value.is_null() {
            return Self { low: None, high: None, has_null: true, has_values: false };
        }
        Self::closed(value.clone(), value, false)
    }

    /// A range of a sorted key, where NULL is greater than everything, and NaN greater than
    /// everything but NULL.
    pub fn key(low: Option<Value>, high: Option<Value>, included: bool) -> Self {
        let only_null = matches!(low, Some(Value::Null));
        Self {
            has_null: high.as_ref().is_none_or(Value::is_null),
            has_values: !only_null,
            low: low.and_then(|v| {
                // Rows from NaN on are NaN or NULL, which no ordinary interval describes.
                Self::end(v, included)
            }),
            high: high.and_then(|v| Self::end(v, included)),
        }
    }

    /// Whether the interval contains nothing.
    pub fn is_empty(&self) -> bool {
        let crossed = match (&self.low, &self.high) {
            (Some((low, a)), Some((high, b))) => match compare(low, high) {
                Some(Ordering::Greater) => true,
                Some(Ordering::Equal) => !(*a && *b),
                _ => false,
            },
            _ => false,
        };
        !self.has_null && (crossed || !self.has_values)
    }

    /// Whether the interval may contain `value`.
    pub fn contains(&self, value: &Value) -> bool {
        let above = self.low.as_ref().is_none_or(|(low, included)| {
            compare(value, low).is_none_or(|o| o.is_gt() || (*included && o.is_eq()))
        });
        let below = self.high.as_ref().is_none_or(|(high, included)| {
            compare(value, high).is_none_or(|o| o.is_lt() || (*included && o.is_eq()))
        });
        above && below
    }

    /// Whether both intervals may have a common value.
    pub fn intersects(&self, other: &Self) -> bool {
        below_or_touching(self.low.as_ref(), other.high.as_ref())
            && below_or_touching(other.low.as_ref(), self.high.as_ref())
    }

    /// Whether all values of `self` are certainly in `other`.
    pub fn within(&self, other: &Self) -> bool {
        let low = match (&self.low, &other.low) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some((mine, a)), Some((theirs, b))) => {
                compare(mine, theirs).is_some_and(|o| o.is_gt() || (o.is_eq() && (*b || !*a)))
            }
        };
        let high = match (&self.high, &other.high) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some((mine, a)), Some((theirs, b))) => {
                compare(mine, theirs).is_some_and(|o| o.is_lt() || (o.is_eq() && (*b || !*a)))
            }
        };
        low && high
    }

    /// The only value of the interval, if it has just one.
    pub fn single(&self) -> Option<&Value> {
        match (&self.low, &self.high) {
            (Some((low, true)), Some((high, true))) if same(low, high) => Some(low),
            _ => None,
        }
    }
}

fn below_or_touching(low: Option<&(Value, bool)>, high: Option<&(Value, bool)>) -> bool {
    match (low, high) {
        (Some((low, a)), Some((high, b))) => {
            compare(low, high).is_none_or(|o| o.is_lt() || (o.is_eq() && *a && *b))
        }
        _ => true,
    }
}

/// The order of two values of one kind; `None` if they cannot be compared.
pub(super) fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::String(x), Value::String(y)) => Some(x.cmp(y)),
        (Value::UInt(_) | Value::Int(_) | Value::Float(_), _) => a.compare_numbers(b),
        _ => None,
    }
}

/// Whether two values are equal as values of a key.
pub(super) fn same(a: &Value, b: &Value) -> bool {
    (a.is_null() && b.is_null()) || compare(a, b) == Some(Ordering::Equal)
}
