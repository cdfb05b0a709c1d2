//! Dates and times plus and minus numbers, intervals and each other.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::text_type::power_of_ten;
use entasis_types::time_zone::{civil_from_days, days_from_civil};
use entasis_types::{DataType, IntervalKind, TimeZone, common_type_of_two};

use super::Op;
use entasis_function::cast::{self, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext};
use entasis_function_kernel::kernel::{Side, illegal_types, zip, zip_sides};
use entasis_function_kernel::ticks::ticks_per_second;

const DAY: i64 = 86_400;

/// Binds `plus` or `minus` with a Date or DateTime on at least one side.
pub(super) fn bind(op: Op, args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    use DataType::{Date, DateTime, Interval, Tuple};
    let (a, b) = (&args[0].ty, &args[1].ty);
    let minus = op == Op::Minus;
    let wide = |ty: &DataType| matches!(ty, DataType::Date32 | DataType::DateTime64(..));
    match (a, b) {
        (x, y) if x.is_date_or_time() && y.is_date_or_time() && minus && (wide(x) || wide(y)) => {
            wide_difference(x, y, context)
        }
        (x, y) if wide(x) && y.is_native_number() => Ok(wide_by_number(a, minus, false)),
        (x, y) if x.is_native_number() && wide(y) && !minus => Ok(wide_by_number(b, false, true)),
        (x, Interval(kind)) if wide(x) => shifted(a, *kind, minus, false, context),
        (Interval(kind), y) if wide(y) && !minus => shifted(b, *kind, false, true, context),
        (x, Tuple(spans)) if wide(x) => by_several(a, &spans.types, minus, context),
        (Date, Date) | (DateTime(_), DateTime(_)) if minus => Ok(difference(a)),
        (Date | DateTime(_), y) if y.is_native_number() => Ok(shifted_by_number(a, minus, false)),
        (x, Date | DateTime(_)) if x.is_native_number() && !minus => {
            Ok(shifted_by_number(b, false, true))
        }
        (Date | DateTime(_), Interval(kind)) => shifted(a, *kind, minus, false, context),
        (Interval(kind), Date | DateTime(_)) if !minus => shifted(b, *kind, false, true, context),
        (Interval(_), _) => {
            let message = format!(
                "Wrong order of arguments for function {}: argument of type Interval cannot be first",
                op.name()
            );
            Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
        }
        (Date | DateTime(_), Tuple(spans)) => by_several(a, &spans.types, minus, context),
        _ => Err(illegal_types(op.name(), a, b)),
    }
}

fn difference(ty: &DataType) -> BoundKernel {
    let _ = ty;
    BoundKernel::new(DataType::Int32, |args, rows| {
        zip(&args[0], &args[1], rows, |a: i64, b: i64| (a - b) as i32)
    })
}

/// Two times of which one is a DateTime64: a Decimal of seconds.
fn wide_difference(
    a: &DataType,
    b: &DataType,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let common = common_type_of_two(a, b)?;
    let scale = match common {
        DataType::DateTime64(scale, _) if !a.is_date() && !b.is_date() => scale,
        _ => return Err(illegal_types("minus", a, b)),
    };
    let session = Session::of(context);
    let (x, y) = (cast::bind(a, &common, session)?, cast::bind(b, &common, session)?);
    Ok(BoundKernel::new(DataType::Decimal(18, scale), move |args, rows| {
        zip(&x(&args[0])?, &y(&args[1])?, rows, |a: i64, b: i64| a.wrapping_sub(b))
    }))
}

/// A Date32 by days or a DateTime64 by seconds, wrapping.
fn wide_by_number(ty: &DataType, minus: bool, swapped: bool) -> BoundKernel {
    let is_date = ty.is_date();
    let unit = ticks_per_second(ty) * if minus { -1 } else { 1 };
    BoundKernel::new(ty.clone(), move |args, rows| {
        let (time, number) = if swapped { (1, 0) } else { (0, 1) };
        let (time, number) = (&args[time], &args[number]);
        let sum = move |t: i64, n: i64| t.wrapping_add(n.wrapping_mul(unit));
        match is_date {
            true => zip(time, number, rows, move |t: i64, n: i64| sum(t, n) as i32),
            false => zip(time, number, rows, sum),
        }
    })
}

/// A Date by days or a DateTime by seconds, wrapping.
fn shifted_by_number(ty: &DataType, minus: bool, swapped: bool) -> BoundKernel {
    let is_date = *ty == DataType::Date;
    BoundKernel::new(ty.clone(), move |args, rows| {
        let (time, number) = if swapped { (1, 0) } else { (0, 1) };
        let (time, number) = (&args[time], &args[number]);
        let sign = if minus { -1 } else { 1 };
        let sum = move |t: i64, n: i64| t.wrapping_add(n.wrapping_mul(sign));
        match is_date {
            true => zip(time, number, rows, move |t: i64, n: i64| sum(t, n) as u16),
            false => zip(time, number, rows, move |t: i64, n: i64| sum(t, n) as u32),
        }
    })
}

fn shifted(
    ty: &DataType,
    kind: IntervalKind,
    minus: bool,
    swapped: bool,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let (result, shift) = shift(ty, kind, Session::of(context))?;
    Ok(BoundKernel::new(result, move |args, rows| {
        let (time, span) = if swapped { (1, 0) } else { (0, 1) };
        let sign = if minus { -1 } else { 1 };
        shift(&args[time], &args[span], sign, rows)
    }))
}

fn by_several(
    ty: &DataType,
    spans: &[DataType],
    minus: bool,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let mut current = ty.clone();
    let mut steps = Vec::new();
    for span in spans {
        let DataType::Interval(kind) = span else {
            return Err(illegal_types(if minus { "minus" } else { "plus" }, ty, span));
        };
        let (next, step) = shift(&current, *kind, Session::of(context))?;
        steps.push(step);
        current = next;
    }
    Ok(BoundKernel::new(current, move |args, rows| {
        let mut time = args[0].clone();
        let Column::Tuple(spans) = args[1].full() else {
            return Err(Error::logical("intervals are no tuple"));
        };
        for (step, span) in steps.iter().zip(&spans.columns) {
            time = step(&time, span, if minus { -1 } else { 1 }, rows)?;
        }
        Ok(time)
    }))
}

/// Adds `sign` (1 or -1) times a column of counts to a column of times.
pub type Shift = Box<dyn Fn(&Column, &Column, i64, usize) -> Result<Column> + Send + Sync>;

/// Adding intervals of a unit to a Date or DateTime: the result's type, and how. A Date plus hours,
/// minutes or seconds becomes a DateTime.
pub fn shift(ty: &DataType, kind: IntervalKind, session: Session) -> Result<(DataType, Shift)> {
    use IntervalKind::{Hour, Minute, Second};
    let is_date = *ty == DataType::Date;
    let clock = kind.scale() > 0 || matches!(kind, Second | Minute | Hour);
    // What the result needs: decimals of a second, or hours beside a Date32.
    let wider = match ty {
        DataType::Date if kind.scale() > 0 => {
            let message = format!("add{}s cannot be used with Date", kind.name());
            return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
        }
        DataType::Date32 if clock => Some(DataType::DateTime64(kind.scale().max(3), None)),
        DataType::DateTime(own) if kind.scale() > 0 => {
            Some(DataType::DateTime64(kind.scale(), *own))
        }
        DataType::DateTime64(scale, own) if *scale < kind.scale() => {
            Some(DataType::DateTime64(kind.scale(), *own))
        }
        _ => None,
    };
    if let Some(to) = wider {
        let cast = cast::bind(ty, &to, session)?;
        let (result, shift) = shift(&to, kind, session)?;
        return Ok((
            result,
            Box::new(move |time, count, sign, rows| shift(&cast(time)?, count, sign, rows)),
        ));
    }
    match ty {
        DataType::Date32 => return Ok((ty.clone(), shift_days(kind))),
        DataType::DateTime64(..) => return Ok((ty.clone(), shift_ticks(ty, kind, session))),
        _ => {}
    }
    if is_date && matches!(kind, Second | Minute | Hour) {
        let to = DataType::DateTime(None);
        let cast = cast::bind(ty, &to, session)?;
        let (result, shift) = shift_datetime(&to, kind, session);
        return Ok((
            result,
            Box::new(move |time, count, sign, rows| shift(&cast(time)?, count, sign, rows)),
        ));
    }
    if !is_date {
        return Ok(shift_datetime(ty, kind, session));
    }
    let shift: Shift = match (days(kind), months(kind)) {
        (Some(days), _) => Box::new(move |time, count, sign, rows| {
            let unit = days * sign;
            zip(time, count, rows, move |t: i64, n: i64| {
                t.wrapping_add(n.wrapping_mul(unit)) as u16
            })
        }),
        (_, months) => Box::new(move |time, count, sign, rows| {
            let unit = months * sign;
            zip(time, count, rows, move |t: i64, n: i64| {
                add_months(t, n.wrapping_mul(unit)).max(0) as u16
            })
        }),
    };
    Ok((ty.clone(), shift))
}

/// Days or months of a Date32.
fn shift_days(kind: IntervalKind) -> Shift {
    let (days, months) = (days(kind), months(kind));
    Box::new(move |time, count, sign, rows| {
        zip(time, count, rows, move |t: i64, n: i64| match days {
            Some(days) => t.wrapping_add(n.wrapping_mul(days * sign)) as i32,
            None => add_months(t, n.wrapping_mul(months * sign)) as i32,
        })
    })
}

/// Any unit of a DateTime64; the fraction of the second stays.
fn shift_ticks(ty: &DataType, kind: IntervalKind, session: Session) -> Shift {
    let per_second = ticks_per_second(ty);
    let zone = ty.own_zone().unwrap_or(session.zone);
    let unit = match kind {
        IntervalKind::Second => Some(per_second),
        IntervalKind::Minute => Some(60 * per_second),
        IntervalKind::Hour => Some(3600 * per_second),
        kind if kind.scale() > 0 => Some(per_second / power_of_ten(kind.scale()) as i64),
        _ => None,
    };
    if let Some(unit) = unit {
        return Box::new(move |time, count, sign, rows| {
            let unit = unit * sign;
            zip(time, count, rows, move |t: i64, n: i64| t.wrapping_add(n.wrapping_mul(unit)))
        });
    }
    let (days, months) = (days(kind), months(kind));
    Box::new(move |time, count, sign, rows| {
        let unit = days.unwrap_or(months) * sign;
        zip(time, count, rows, move |t: i64, n: i64| {
            let (second, part) = (t.div_euclid(per_second), t.rem_euclid(per_second));
            let second = by_calendar(second, n.wrapping_mul(unit), days.is_none(), zone);
            second.wrapping_mul(per_second).wrapping_add(part)
        })
    })
}

fn shift_datetime(ty: &DataType, kind: IntervalKind, session: Session) -> (DataType, Shift) {
    let zone = match ty {
        DataType::DateTime(own) => own.unwrap_or(session.zone),
        _ => session.zone,
    };
    let seconds = match kind {
        IntervalKind::Second => Some(1),
        IntervalKind::Minute => Some(60),
        IntervalKind::Hour => Some(3600),
        _ => None,
    };
    let shift: Shift = match (seconds, days(kind)) {
        (Some(unit), _) => Box::new(move |time, count, sign, rows| {
            let unit = unit * sign;
            zip(time, count, rows, move |t: i64, n: i64| {
                t.wrapping_add(n.wrapping_mul(unit)) as u32
            })
        }),
        (_, Some(days)) if zone.fixed_offset().is_some() => {
            Box::new(move |time, count, sign, rows| {
                let unit = days * DAY * sign;
                zip(time, count, rows, move |t: i64, n: i64| {
                    t.wrapping_add(n.wrapping_mul(unit)) as u32
                })
            })
        }
        (_, days) => Box::new(move |time, count, sign, rows| {
            let (times, counts) = (Side::<u32>::read(time)?, Side::<i64>::read(count)?);
            let unit = days.unwrap_or(months(kind)) * sign;
            if let Some(offset) = zone.fixed_offset() {
                let (offset, is_utc) = (i64::from(offset), zone == TimeZone::utc());
                return Ok(zip_sides(&times, &counts, rows, move |t: u32, n: i64| {
                    let local = i64::from(t) + offset;
                    let (day, time) = (local.div_euclid(DAY), local.rem_euclid(DAY));
                    let local = add_months(day, n.wrapping_mul(unit)) * DAY + time;
                    // The offset is fixed since 1970 only.
                    let second = local - offset;
                    if second < 0 && !is_utc {
                        return zone.from_local(local) as u32;
                    }
                    second as u32
                }));
            }
            Ok(zip_sides(&times, &counts, rows, |t: u32, n: i64| {
                let count = n.wrapping_mul(unit);
                by_calendar(t.into(), count, days.is_none(), zone) as u32
            }))
        }),
    };
    (ty.clone(), shift)
}

/// Days or months on the zone's calendar; the time of day stays.
fn by_calendar(second: i64, count: i64, is_months: bool, zone: TimeZone) -> i64 {
    let local = zone.to_local(second);
    let (day, time) = (local.div_euclid(DAY), local.rem_euclid(DAY));
    let day = match is_months {
        true => add_months(day, count),
        false => day.wrapping_add(count.clamp(-200_000, 200_000)),
    };
    zone.from_local(day * DAY + time)
}

fn days(kind: IntervalKind) -> Option<i64> {
    match kind {
        IntervalKind::Day => Some(1),
        IntervalKind::Week => Some(7),
        _ => None,
    }
}

fn months(kind: IntervalKind) -> i64 {
    match kind {
        IntervalKind::Quarter => 3,
        IntervalKind::Year => 12,
        _ => 1,
    }
}

/// A day number some months later; the day of the month is cut to the month's length.
///
/// It has no branch, because neither the month nor whether a year is a leap year can be predicted.
#[inline(always)]
pub fn add_months(day: i64, months: i64) -> i64 {
    let (year, month, day_of_month) = civil_from_days(day as i32);
    // These years are added, so that numbers of months are positive.
    const YEARS: i32 = 6_000_000;
    let total = (year + YEARS) * 12 + month as i32 - 1 + months.clamp(-48_000, 48_000) as i32;
    let (year, month) = ((total as u32 / 12) as i32 - YEARS, total as u32 % 12 + 1);
    // Multiples of 25 and of 16 are those of 400.
    let is_leap = year & if year % 25 == 0 { 15 } else { 3 } == 0;
    let length =
        if month == 2 { 28 + u32::from(is_leap) } else { 30 + ((month ^ (month >> 3)) & 1) };
    i64::from(days_from_civil(year, month, day_of_month.min(length)))
}

#[cfg(test)]
mod tests {
    use entasis_types::time_zone::days_of_month;

    use super::*;

    #[test]
    fn months_are_cut_to_their_length() {
        let day = |y, m, d| i64::from(days_from_civil(y, m, d));
        assert_eq!(add_months(day(2020, 1, 31), 1), day(2020, 2, 29));
        assert_eq!(add_months(day(2020, 1, 31), -2), day(2019, 11, 30));
        assert_eq!(add_months(day(2020, 12, 15), 1), day(2021, 1, 15));
        for day in (i32::MIN..=i32::MAX).step_by(999_983) {
            let (year, month, of_month) = civil_from_days(day);
            for months in -50..50 {
                let total = year * 12 + month as i32 - 1 + months;
                let (year, month) = (total.div_euclid(12), total.rem_euclid(12) as u32 + 1);
                let expected =
                    days_from_civil(year, month, of_month.min(days_of_month(year, month)));
                assert_eq!(add_months(day.into(), months.into()), i64::from(expected));
            }
        }
    }
}
