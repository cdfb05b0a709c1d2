//! toStartOfInterval: rounding down to any number of units.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Native};
use entasis_types::time_zone::days_from_civil;
use entasis_types::{DataType, IntervalKind};

use super::calendar::{DAY, Day, Moment, day_of, days, to_date, to_second};
use super::starts::midnights;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::arguments::zone_argument;
use entasis_function_kernel::kernel::illegal_type;

/// First day of the group of `count` months that a day is in, counted from 1900.
fn months_start(fields: Day, count: i64) -> i64 {
    let month = (i64::from(fields.year) - 1900) * 12 + i64::from(fields.month) - 1;
    let month = month / count * count;
    i64::from(days_from_civil((month / 12 + 1900) as i32, (month % 12) as u32 + 1, 1))
}

/// The start of the interval of a day number, for units of days and longer.
fn day_start(day: i64, kind: IntervalKind, count: i64) -> i64 {
    match kind {
        IntervalKind::Year => {
            let year = i64::from(day_of(day).year) / count * count;
            i64::from(days_from_civil(year as i32, 1, 1))
        }
        IntervalKind::Quarter => months_start(day_of(day), count * 3),
        IntervalKind::Month => months_start(day_of(day), count),
        // Weeks begin on Mondays: 1970-01-05 was the first.
        IntervalKind::Week if count == 1 => super::weeks::week_start(day, true),
        IntervalKind::Week => (day - 4).div_euclid(count * 7) * count * 7 + 4,
        _ => day.div_euclid(count) * count,
    }
}

/// The start of the unit that a day is the how-manieth of, if the table of days says so.
#[inline(always)]
fn unit_start(day: i64, (kind, count): (IntervalKind, i64), number: impl Fn(&Day) -> i64) -> i64 {
    match days().get((day + 1) as usize) {
        Some(fields) => day - number(fields) + 1,
        None => day_start(day, kind, count),
    }
}

/// `to` of the start of every day's interval. Single months, quarters and years, which most
/// intervals are, are read from the table of days.
#[inline(always)]
fn map_starts<R: Native>(
    moment: Moment,
    column: &Column,
    (kind, count): (IntervalKind, i64),
    to: impl Fn(i64) -> R,
) -> Result<Column> {
    let unit = (kind, count);
    match unit {
        (IntervalKind::Month, 1) => {
            moment.map_days(column, |d| to(unit_start(d, unit, |fields| fields.day.into())))
        }
        (IntervalKind::Quarter, 1) => {
            moment.map_days(column, |d| to(unit_start(d, unit, |fields| fields.of_quarter.into())))
        }
        (IntervalKind::Year, 1) => {
            moment.map_days(column, |d| to(unit_start(d, unit, |fields| fields.of_year.into())))
        }
        _ => moment.map_days(column, |d| to(day_start(d, kind, count))),
    }
}

fn bind(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = "toStartOfInterval";
    let DataType::Interval(kind) = args[1].ty else {
        return Err(illegal_type(name, &args[1].ty));
    };
    if args.get(2).is_some_and(|a| a.ty.is_date_or_time()) {
        return Err(Error::not_implemented("toStartOfInterval with an origin"));
    }
    zone_argument(name, args.get(2))?;
    let moment = Moment::of(name, args, 2, context)?;
    let count = args[1].constant.as_ref().and_then(|v| v.as_i64()).ok_or_else(|| {
        Error::new(codes::ILLEGAL_COLUMN, "Interval of function toStartOfInterval must be constant")
    })?;
    if count <= 0 {
        let message = "Value for second argument of function toStartOfInterval must be positive";
        return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
    }
    let count = count.min(1 << 32);
    if kind.scale() > 0 {
        return super::fractions::starts(name, moment, &args[0].ty, kind.scale(), count);
    }
    match kind {
        IntervalKind::Second | IntervalKind::Minute | IntervalKind::Hour => {
            if moment.is_date {
                let message = "Illegal interval kind for argument data type Date";
                return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
            }
            Ok(clock_starts(moment, kind, count))
        }
        IntervalKind::Day => {
            let zone = moment.zone;
            // As the reference: past its limits a Date32 wraps where a time stops.
            let second = move |s: i64| if moment.is_date { s as u32 } else { to_second(s) };
            let bound = BoundKernel::new(moment.datetime(), move |args: &[Column], _| {
                if let (Column::UInt32(seconds), 1) = (&args[0].full(), count) {
                    return Ok(u32::column(midnights(moment, seconds)));
                }
                match (zone.fixed_offset(), count) {
                    (Some(offset), 1) => {
                        moment.map_days(&args[0], |d| second(d * DAY - i64::from(offset)))
                    }
                    (Some(offset), _) => moment.map_days(&args[0], |d| {
                        second(day_start(d, kind, count) * DAY - i64::from(offset))
                    }),
                    (None, _) => moment.map_days(&args[0], |d| {
                        second(zone.from_local(day_start(d, kind, count) * DAY))
                    }),
                }
            });
            Ok(bound.monotone(moment.increasing()))
        }
        _ if super::starts::is_extended(args, context) => {
            Ok(super::starts::wide_dates(moment, move |d, _| day_start(d, kind, count)))
        }
        _ => {
            let date = move |d: i64| if moment.is_date { d as u16 } else { to_date(d) };
            let bound = BoundKernel::new(DataType::Date, move |args: &[Column], _| {
                map_starts(moment, &args[0], (kind, count), date)
            });
            Ok(bound.monotone(moment.increasing()))
        }
    }
}

fn clock_starts(moment: Moment, kind: IntervalKind, count: i64) -> BoundKernel {
    let zone = moment.zone;
    let unit = match kind {
        IntervalKind::Second => count,
        IntervalKind::Minute => count * 60,
        _ => count * 3600,
    };
    if unit <= 3600 && 3600 % unit == 0 {
        return super::starts::rounded(moment, unit as u32);
    }
    let by_midnight = kind == IntervalKind::Hour;
    let bound = BoundKernel::new(moment.datetime(), move |args: &[Column], _| {
        let Column::UInt32(seconds) = &moment.narrow(&args[0]) else {
            return Err(Error::logical("not a time column"));
        };
        if let (true, Some(offset)) = (by_midnight && unit <= DAY, zone.fixed_offset()) {
            let (offset, unit) = (i64::from(offset), unit as u32);
            let start = |s: &u32| {
                let of_day = (i64::from(*s) + offset).rem_euclid(DAY) as u32;
                to_second(i64::from(*s) - i64::from(of_day % unit))
            };
            return Ok(Column::from(seconds.iter().map(start).collect::<Vec<_>>()));
        }
        let start = |s: i64| {
            if !by_midnight {
                return s / unit * unit;
            }
            let local = zone.to_local(s);
            let midnight = local.div_euclid(DAY) * DAY;
            zone.from_local(midnight + (local - midnight) / unit * unit)
        };
        Ok(Column::from(seconds.iter().map(|&s| to_second(start(s.into()))).collect::<Vec<_>>()))
    });
    bound.monotone(moment.increasing())
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "toStartOfInterval",
    aliases: &["date_bin", "time_bucket"],
    case_insensitive: true,
    description: "The start of the interval that contains a date or time: toStartOfInterval(t, \
                  INTERVAL 15 MINUTE).",
    examples: &[(
        "toStartOfInterval(toDateTime('2021-02-03 04:05:06'), toIntervalMinute(15))",
        "2021-02-03 04:00:00",
    )],
    arity: (2, 3),
    bind,
    ..FunctionDef::DEFAULT
}];
