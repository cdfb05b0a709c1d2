//! Adds a step of WITH FILL to a value. Months and longer units keep the day of the month where
//! it exists; days are days of the column's time zone.

use entasis_plan::{FillStep, FillValue};
use entasis_types::time_zone::{civil_from_days, days_from_civil};
use entasis_types::{DataType, IntervalKind, TimeZone};

const DAY: i128 = 86_400;

/// `value + step`, for a column of this type and this time zone.
pub fn add(value: FillValue, step: FillStep, ty: &DataType, zone: TimeZone) -> FillValue {
    match (value, step.size, step.unit) {
        (FillValue::Int(value), FillValue::Int(count), Some(unit)) => {
            FillValue::Int(add_interval(value, count, unit, (ty, zone)))
        }
        (FillValue::Int(value), FillValue::Int(size), None) => {
            FillValue::Int(value.saturating_add(size))
        }
        (FillValue::Float(value), FillValue::Float(size), _) => FillValue::Float(value + size),
        (value, _, _) => value,
    }
}

/// The value that is reached by whole steps from `value` and is the last one up to `target`, if it
/// can be computed at once.
pub fn jump(value: FillValue, target: FillValue, step: FillStep) -> Option<FillValue> {
    match (value, target, step) {
        (
            FillValue::Int(from),
            FillValue::Int(to),
            FillStep { size: FillValue::Int(size), unit: None },
        ) => {
            let steps = to.checked_sub(from)?.checked_div(size)?;
            Some(FillValue::Int(from + steps * size))
        }
        _ => None,
    }
}

fn add_interval(
    value: i128,
    count: i128,
    unit: IntervalKind,
    (ty, zone): (&DataType, TimeZone),
) -> i128 {
    match ty {
        DataType::Date | DataType::Date32 => add_days(value, count, unit),
        DataType::DateTime(_) => in_zone(value, count, unit, zone),
        DataType::DateTime64(scale, _) => {
            let ticks = 10i128.pow(u32::from(*scale));
            let part = unit.scale();
            if part > 0 && part <= *scale {
                let size = 10i128.pow(u32::from(*scale - part));
                return value.saturating_add(count.saturating_mul(size));
            }
            let (seconds, rest) = (value.div_euclid(ticks), value.rem_euclid(ticks));
            in_zone(seconds, count, unit, zone).saturating_mul(ticks).saturating_add(rest)
        }
        _ => value,
    }
}

/// The number of seconds of a unit that always has as many.
fn seconds(unit: IntervalKind) -> Option<i128> {
    match unit {
        IntervalKind::Second => Some(1),
        IntervalKind::Minute => Some(60),
        IntervalKind::Hour => Some(3_600),
        _ => None,
    }
}

fn in_zone(second: i128, count: i128, unit: IntervalKind, zone: TimeZone) -> i128 {
    if let Some(size) = seconds(unit) {
        return second.saturating_add(count.saturating_mul(size));
    }
    let Ok(second) = i64::try_from(second) else { return second };
    let local = i128::from(zone.to_local(second));
    let days = add_days(local.div_euclid(DAY), count, unit);
    let moved = days.saturating_mul(DAY).saturating_add(local.rem_euclid(DAY));
    i64::try_from(moved).map_or(moved, |moved| i128::from(zone.from_local(moved)))
}

fn add_days(days: i128, count: i128, unit: IntervalKind) -> i128 {
    let months = match unit {
        IntervalKind::Day => return days.saturating_add(count),
        IntervalKind::Week => return days.saturating_add(count.saturating_mul(7)),
        IntervalKind::Month => count,
        IntervalKind::Quarter => count.saturating_mul(3),
        IntervalKind::Year => count.saturating_mul(12),
        short => {
            let moved = seconds(short).unwrap_or(0).saturating_mul(count);
            return days.saturating_add(moved / DAY);
        }
    };
    let Ok(day) = i32::try_from(days) else { return days };
    let (year, month, day_of_month) = civil_from_days(day);
    let month = i128::from(year) * 12 + i128::from(month) - 1 + months;
    let Ok(year) = i32::try_from(month.div_euclid(12)) else { return days };
    // Years beyond these cannot be written, and the calendar is not made for them.
    if !(-10_000..=10_000).contains(&year) {
        return days;
    }
    let month = month.rem_euclid(12) as u32 + 1;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    i128::from(days_from_civil(year, month, day_of_month.min(length)))
}
