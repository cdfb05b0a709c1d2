//! Distances between dates and times: dateDiff counts the boundaries that are crossed, age counts
//! whole units.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, IntervalKind, Physical, TimeZone};

use super::calendar::{DAY, Day, day_of};
use super::starts::unit_argument;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::arguments::zone_argument;
use entasis_function_kernel::kernel::{Side, zip, zip_sides};
use entasis_function_kernel::ticks::ticks_per_second;

fn unit(function: &str, arg: &Arg) -> Result<IntervalKind> {
    let text = unit_argument(function, arg)?;
    Ok(match text.as_str() {
        "nanosecond" | "nanoseconds" | "ns" => IntervalKind::Nanosecond,
        "microsecond" | "microseconds" | "us" | "u" => IntervalKind::Microsecond,
        "millisecond" | "milliseconds" | "ms" => IntervalKind::Millisecond,
        "second" | "seconds" | "ss" | "s" => IntervalKind::Second,
        "minute" | "minutes" | "mi" | "n" => IntervalKind::Minute,
        "hour" | "hours" | "hh" | "h" => IntervalKind::Hour,
        "day" | "days" | "dd" | "d" => IntervalKind::Day,
        "week" | "weeks" | "wk" | "ww" => IntervalKind::Week,
        "month" | "months" | "mm" | "m" => IntervalKind::Month,
        "quarter" | "quarters" | "qq" | "q" => IntervalKind::Quarter,
        "year" | "years" | "yyyy" | "yy" => IntervalKind::Year,
        other => {
            let message = format!("Function {function} does not support '{other}' unit");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
    })
}

/// One side: its column's kind and the zone whose clock is read.
#[derive(Clone, Copy)]
struct End {
    is_date: bool,
    zone: TimeZone,
    /// Ticks per second.
    unit: i64,
    /// Seconds east of UTC, where they never change.
    offset: Option<i64>,
}

/// Ticks of the short units per second.
fn short_unit(unit: IntervalKind) -> Option<i64> {
    match unit {
        IntervalKind::Nanosecond => Some(1_000_000_000),
        IntervalKind::Microsecond => Some(1_000_000),
        IntervalKind::Millisecond => Some(1_000),
        _ => None,
    }
}

impl End {
    fn of(
        function: &str,
        arg: &Arg,
        wanted: Option<TimeZone>,
        context: &dyn FunctionContext,
    ) -> Result<Self> {
        if !arg.ty.is_date_or_time() {
            let message = format!(
                "Illegal type {} of argument of function {function}: should be Date or DateTime",
                arg.ty
            );
            return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
        }
        let zone = wanted.or(arg.ty.own_zone()).unwrap_or_else(|| context.time_zone());
        // An offset that is fixed since 1970 may have been another one before, where only moments
        // with fractions can be.
        let before_1970 = ticks_per_second(&arg.ty) > 1 && zone.name() != "UTC";
        let offset = zone.fixed_offset().map(i64::from).filter(|_| !before_1970);
        Ok(Self { is_date: arg.ty.is_date(), zone, unit: ticks_per_second(&arg.ty), offset })
    }

    /// UTC second.
    #[inline(always)]
    fn second(self, v: i64) -> i64 {
        match self.unit {
            _ if self.is_date => self.zone.from_local(v * DAY),
            1 => v,
            unit => v.div_euclid(unit),
        }
    }

    /// Ticks of another number per second, since 1970.
    fn ticks(self, v: i64, per_second: i64) -> i64 {
        if self.is_date || self.unit == 1 {
            return self.second(v).wrapping_mul(per_second);
        }
        (i128::from(v) * i128::from(per_second)).div_euclid(self.unit.into()) as i64
    }

    /// Nanoseconds since the second began.
    fn nanosecond(self, v: i64) -> i64 {
        match self.unit {
            unit if self.is_date || unit == 1 => 0,
            unit => v.rem_euclid(unit) * (1_000_000_000 / unit),
        }
    }

    /// Local second.
    #[inline(always)]
    fn local(self, v: i64) -> i64 {
        match self.offset {
            _ if self.is_date => v * DAY,
            Some(offset) => self.second(v) + offset,
            None => self.zone.to_local(self.second(v)),
        }
    }

    #[inline(always)]
    fn day(self, v: i64) -> i64 {
        if self.is_date { v } else { self.local(v).div_euclid(DAY) }
    }

    /// The number of the unit that the moment is in.
    #[inline(always)]
    fn number(self, v: i64, unit: IntervalKind) -> i64 {
        let by_fields = |f: fn(Day) -> i64| f(day_of(self.day(v)));
        match unit {
            IntervalKind::Nanosecond | IntervalKind::Microsecond | IntervalKind::Millisecond => {
                self.ticks(v, short_unit(unit).unwrap_or(1))
            }
            IntervalKind::Second => self.second(v),
            IntervalKind::Minute => self.clock_number(v, 60),
            IntervalKind::Hour => self.clock_number(v, 3600),
            IntervalKind::Day => self.day(v),
            IntervalKind::Week => week_number(self.day(v)),
            IntervalKind::Month => by_fields(|d| i64::from(d.year) * 12 + i64::from(d.month)),
            IntervalKind::Quarter => by_fields(|d| i64::from(d.year) * 4 + i64::from(d.quarter())),
            IntervalKind::Year => by_fields(|d| i64::from(d.year)),
        }
    }

    /// [`Self::number`] of every value. Each unit has a loop of its own.
    fn numbers(self, column: &Column, unit: IntervalKind) -> Result<Side<i64>> {
        macro_rules! each {
            ($values:expr, $($unit:ident),*) => {
                match unit {
                    $(IntervalKind::$unit => {
                        let number = move |v| self.number(v, IntervalKind::$unit);
                        $values.iter().map(|&v| number(i64::from(v))).collect()
                    })*
                }
            };
        }
        macro_rules! all {
            ($values:expr) => {
                each!(
                    $values,
                    Nanosecond,
                    Microsecond,
                    Millisecond,
                    Second,
                    Minute,
                    Hour,
                    Day,
                    Week,
                    Month,
                    Quarter,
                    Year
                )
            };
        }
        if let Some(value) = column.as_const() {
            return Ok(match self.numbers(value, unit)? {
                Side::Many(number) => Side::One(number[0]),
                one @ Side::One(_) => one,
            });
        }
        Ok(Side::Many(match column {
            Column::UInt32(seconds) => all!(seconds),
            other => {
                let Side::Many(values) = Side::<i64>::read(other)? else {
                    return Err(Error::logical("a full column is a constant"));
                };
                all!(values)
            }
        }))
    }

    /// Minutes or hours of UTC, moved by the part of the zone's offset that is no whole unit.
    #[inline(always)]
    fn clock_number(self, v: i64, unit: i64) -> i64 {
        let skew = match self.zone.fixed_offset() {
            Some(offset) if i64::from(offset) % unit == 0 => 0,
            _ => i64::from(self.zone.offset_at(0)).rem_euclid(unit),
        };
        (self.second(v) + skew).div_euclid(unit)
    }
}

/// Number of the week, which begins on Monday. Before 1970 it is cut towards zero, as the
/// reference has it.
fn week_number(day: i64) -> i64 {
    (super::weeks::week_start(day, true) + 7) / 7
}

struct Ends {
    from: End,
    to: End,
}

impl Ends {
    fn of(function: &str, args: &[Arg], context: &dyn FunctionContext) -> Result<Self> {
        let wanted = zone_argument(function, args.get(3))?;
        let from = End::of(function, &args[1], wanted, context)?;
        let to = End::of(function, &args[2], wanted, context)?;
        Ok(Self { from, to })
    }

    fn map(&self, args: &[Column], rows: usize, f: impl Fn(i64, i64) -> i64) -> Result<Column> {
        let wide = |c: &Column| matches!(c.physical(), Physical::Int32 | Physical::Int64);
        if wide(&args[1]) || wide(&args[2]) {
            return zip(&args[1], &args[2], rows, f);
        }
        let (a, b) = (Side::<u32>::read(&args[1])?, Side::<u32>::read(&args[2])?);
        let f = |a: u32, b: u32| f(a.into(), b.into());
        Ok(Column::from(match (&a, &b) {
            (Side::Many(a), Side::Many(b)) => {
                a.iter().zip(b.iter()).map(|(&a, &b)| f(a, b)).collect::<Vec<_>>()
            }
            _ => (0..rows).map(|i| f(a.get(i), b.get(i))).collect(),
        }))
    }
}

fn date_diff(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let unit = unit("dateDiff", &args[0])?;
    let ends = Ends::of("dateDiff", args, context)?;
    // Without dates and odd offsets, units of the clock are plain division.
    let plain = |end: End, seconds: i64| {
        let whole = end.zone.fixed_offset().is_some_and(|o| i64::from(o) % seconds == 0);
        !end.is_date && end.unit == 1 && whole
    };
    let seconds = match unit {
        IntervalKind::Second => 1,
        IntervalKind::Minute => 60,
        IntervalKind::Hour => 3600,
        _ => 0,
    };
    let seconds_only = |end: End| !end.is_date && end.unit == 1;
    if seconds == 1 && seconds_only(ends.from) && seconds_only(ends.to) {
        return Ok(BoundKernel::new(DataType::Int64, move |args, rows| {
            ends.map(args, rows, |a, b| b - a)
        }));
    }
    if seconds > 1 && plain(ends.from, seconds) && plain(ends.to, seconds) {
        let by_60 = seconds == 60;
        return Ok(BoundKernel::new(DataType::Int64, move |args, rows| {
            if by_60 {
                ends.map(args, rows, |a, b| b / 60 - a / 60)
            } else {
                ends.map(args, rows, |a, b| b / 3600 - a / 3600)
            }
        }));
    }
    Ok(BoundKernel::new(DataType::Int64, move |args, rows| {
        let (from, to) = (ends.from.numbers(&args[1], unit)?, ends.to.numbers(&args[2], unit)?);
        Ok(zip_sides(&from, &to, rows, |a: i64, b: i64| b - a))
    }))
}

/// A second and the nanoseconds in it.
type Instant = (i64, i64);

/// Whole units from one instant of the clock to a later one.
fn whole_units(from: Instant, to: Instant, unit: IntervalKind) -> i64 {
    if from > to {
        return -whole_units(to, from, unit);
    }
    let seconds = |n: i64| (to.0 - from.0 - i64::from(to.1 < from.1)) / n;
    match unit {
        IntervalKind::Nanosecond
        | IntervalKind::Microsecond
        | IntervalKind::Millisecond
        | IntervalKind::Second => seconds(1),
        IntervalKind::Minute => seconds(60),
        IntervalKind::Hour => seconds(3600),
        IntervalKind::Day | IntervalKind::Week => seconds(DAY),
        IntervalKind::Month | IntervalKind::Quarter | IntervalKind::Year => {
            let (a, b) = (day_of(from.0.div_euclid(DAY)), day_of(to.0.div_euclid(DAY)));
            let number = |d: Day| i64::from(d.year) * 12 + i64::from(d.month);
            let rest = |d: Day, t: Instant| (d.day, t.0.rem_euclid(DAY), t.1);
            let months = number(b) - number(a) - i64::from(rest(b, to) < rest(a, from));
            match unit {
                IntervalKind::Month => months,
                IntervalKind::Quarter => months / 3,
                _ => months / 12,
            }
        }
    }
}

/// Weeks from one instant to another: the difference of their numbers, less one where the last
/// week is not whole. Backwards the reference compares the days of the week the same way round
/// as forwards, so that a Sunday is a week before the Saturday that precedes it.
fn whole_weeks(from: Instant, to: Instant) -> i64 {
    let day = |t: Instant| t.0.div_euclid(DAY);
    let weekday = |t: Instant| (day(t) + 3).rem_euclid(7);
    let clock = |t: Instant| (t.0.rem_euclid(DAY), t.1);
    let weeks = week_number(day(to)) - week_number(day(from));
    let (a, b) = (weekday(from), weekday(to));
    if from < to {
        weeks - i64::from((a, clock(from)) > (b, clock(to)))
    } else {
        weeks + i64::from(a > b || (a == b && clock(from) < clock(to)))
    }
}

fn age(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let unit = unit("age", &args[0])?;
    let ends = Ends::of("age", args, context)?;
    Ok(BoundKernel::new(DataType::Int64, move |args, rows| {
        let utc = |end: End, v: i64| (end.second(v), end.nanosecond(v));
        let local = |end: End, v: i64| (end.local(v), end.nanosecond(v));
        ends.map(args, rows, |a, b| match unit {
            IntervalKind::Nanosecond | IntervalKind::Microsecond | IntervalKind::Millisecond => {
                ends.to.number(b, unit) - ends.from.number(a, unit)
            }
            IntervalKind::Second | IntervalKind::Minute | IntervalKind::Hour => {
                whole_units(utc(ends.from, a), utc(ends.to, b), unit)
            }
            IntervalKind::Week => whole_weeks(local(ends.from, a), local(ends.to, b)),
            _ => whole_units(local(ends.from, a), local(ends.to, b), unit),
        })
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "dateDiff",
        aliases: &["DATE_DIFF", "timestampDiff", "TIMESTAMP_DIFF"],
        case_insensitive: true,
        description: "Number of boundaries of a unit, such as midnights for 'day', between two \
                      dates or times.",
        examples: &[
            ("dateDiff('month', toDate('2020-01-31'), toDate('2020-02-01'))", "1"),
            ("dateDiff('day', toDate('2020-02-01'), toDate('2020-01-31'))", "-1"),
        ],
        arity: (3, 4),
        bind: date_diff,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "age",
        case_insensitive: true,
        description: "Number of whole units between two dates or times.",
        examples: &[("age('month', toDate('2020-01-31'), toDate('2020-02-29'))", "0")],
        arity: (3, 4),
        bind: age,
        ..FunctionDef::DEFAULT
    },
];
