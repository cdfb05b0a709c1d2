//! Rounding down to the start of a unit: toStartOf*, date_trunc, timeSlot, toLastDayOfMonth.

use std::cell::Cell;

use entasis_base::{Error, Result, codes};
use entasis_column::{Buffer, Column, Native};
use entasis_types::DataType;

use super::calendar::{DAY, Day, Moment, day_of, to_date, to_second};
use entasis_function::cast::{self, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, registry};

/// A function of the day number and its fields that answers a Date.
#[inline(always)]
fn dates(
    moment: Moment,
    f: impl Fn(i64, Day) -> i64 + Copy + Send + Sync + 'static,
) -> BoundKernel {
    let bound = BoundKernel::new(DataType::Date, move |args, _| {
        moment.map_days(&args[0], |d| to_date(f(d, day_of(d))))
    });
    bound.monotone(moment.increasing())
}

/// Whether a function of a Date32 or DateTime64 answers one, too
/// (`enable_extended_results_for_datetime_functions`).
pub fn is_extended(args: &[Arg], context: &dyn FunctionContext) -> bool {
    let is_wide =
        matches!(args[0].ty.without_nullable(), DataType::Date32 | DataType::DateTime64(..));
    let setting = "enable_extended_results_for_datetime_functions";
    is_wide && context.setting(setting).and_then(|v| v.as_u64()) == Some(1)
}

/// As [`dates`], answering a Date32.
pub fn wide_dates(
    moment: Moment,
    f: impl Fn(i64, Day) -> i64 + Copy + Send + Sync + 'static,
) -> BoundKernel {
    let bound = BoundKernel::new(DataType::Date32, move |args, _| {
        moment.map_days(&args[0], |d| f(d, day_of(d)) as i32)
    });
    bound.monotone(moment.increasing())
}

/// The start of a unit of so many seconds, or of a day, as a DateTime64 of the argument's scale.
fn wide_times(args: &[Arg], moment: Moment, seconds: u32) -> BoundKernel {
    let (scale, unit) = match args[0].ty.without_nullable() {
        DataType::DateTime64(scale, _) => (*scale, moment.unit),
        _ => (3, 1000),
    };
    let zone = moment.zone;
    let start = move |second: i64| match i64::from(seconds) {
        DAY => {
            let local = second + i64::from(zone.offset_at(second));
            zone.from_local(local.div_euclid(DAY) * DAY)
        }
        length if rounds_in_utc(moment, seconds) => second - second.rem_euclid(length),
        length => second - (second + i64::from(zone.offset_at(second))).rem_euclid(length),
    };
    BoundKernel::new(DataType::DateTime64(scale, moment.own), move |args, _| {
        Ok(match &args[0].full() {
            Column::Int32(days) => {
                let midnight = |d: &i32| zone.from_local(i64::from(*d) * DAY).saturating_mul(unit);
                days.iter().map(midnight).collect::<Vec<i64>>().into()
            }
            Column::Int64(ticks) => {
                let first = |t: &i64| start(t.div_euclid(unit)).saturating_mul(unit);
                ticks.iter().map(first).collect::<Vec<i64>>().into()
            }
            _ => return Err(Error::logical("neither a Date32 nor a DateTime64")),
        })
    })
}

/// First day of a year some years long, counted from the year 0.
pub fn year_start(day: i64, fields: Day) -> i64 {
    day - i64::from(fields.of_year) + 1
}

fn quarter_start(day: i64, fields: Day) -> i64 {
    day - i64::from(fields.of_quarter) + 1
}

fn month_start(day: i64, fields: Day) -> i64 {
    day - i64::from(fields.day) + 1
}

fn bind_dates(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
    f: impl Fn(i64, Day) -> i64 + Copy + Send + Sync + 'static,
) -> Result<BoundKernel> {
    let moment = Moment::of(name, args, 1, context)?;
    Ok(if is_extended(args, context) { wide_dates(moment, f) } else { dates(moment, f) })
}

fn start_of_day(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let moment = Moment::of("toStartOfDay", args, 1, context)?;
    if is_extended(args, context) {
        return Ok(wide_times(args, moment, DAY as u32));
    }
    Ok(day_starts(moment))
}

/// Midnight of the local day, as a DateTime.
pub fn day_starts(moment: Moment) -> BoundKernel {
    let bound = BoundKernel::new(moment.datetime(), move |args, _| {
        let zone = moment.zone;
        match (&args[0].full(), zone.fixed_offset()) {
            (Column::UInt32(seconds), _) => Ok(u32::column(midnights(moment, seconds))),
            (column, Some(offset)) => {
                let offset = i64::from(offset);
                moment.map_days(column, |d| to_second(d.max(0) * DAY - offset))
            }
            (column, None) => {
                moment.map_days(column, |d| to_second(zone.from_local(d.max(0) * DAY)))
            }
        }
    });
    bound.monotone(moment.increasing())
}

/// The last local midnight at or before each of some UTC seconds.
pub fn midnights(moment: Moment, seconds: &[u32]) -> Buffer<u32> {
    let zone = moment.zone;
    // What from_local looks at is within three days.
    let margin = 3 * DAY as u32;
    let same = |local: i64, offset: i64| {
        let day = (local / DAY) as u32;
        (day * DAY as u32).wrapping_sub(offset as u32)
    };
    // Most neighbours are of the same day.
    let last = Cell::new((i64::MIN, 0));
    moment.map_seconds(seconds, margin, same, |second| {
        let day = zone.to_local(second).div_euclid(DAY).max(0);
        let (known, midnight) = last.get();
        if day == known {
            return midnight;
        }
        let midnight = to_second(match zone.fixed_offset() {
            Some(offset) => day * DAY - i64::from(offset),
            None => zone.from_local(day * DAY),
        });
        last.set((day, midnight));
        midnight
    })
}

/// Rounds DateTimes down to a multiple of `unit` seconds, a divisor of an hour. Hours are counted
/// from local midnight: behind a change of the clock by half an hour they begin at half past, as in
/// the reference. Shorter units are counted from 1970 in UTC, as the reference does: half hours
/// in Kathmandu begin a quarter past and a quarter to.
pub fn rounded(moment: Moment, unit: u32) -> BoundKernel {
    let bound = BoundKernel::new(moment.datetime(), move |args, _| {
        let column = &args[0].full();
        let unit_wide = i64::from(unit);
        let local = |s: i64| {
            let clock = s + i64::from(moment.zone.offset_at(s));
            if unit < 3600 {
                return to_second(s - clock.rem_euclid(unit_wide));
            }
            let midnight = moment.zone.from_local(clock - clock.rem_euclid(DAY));
            to_second(s - (s - midnight).rem_euclid(unit_wide))
        };
        let of_utc = |s: i64| to_second(s - s.rem_euclid(unit_wide));
        if let Column::Int64(ticks) = column {
            let second = |t: &i64| t.div_euclid(moment.unit);
            let by_offset = !rounds_in_utc(moment, unit);
            let start = |t| if by_offset { local(second(t)) } else { of_utc(second(t)) };
            return Ok(ticks.iter().map(start).collect::<Vec<u32>>().into());
        }
        let Column::UInt32(seconds) = column else {
            return Err(Error::logical("not a time column"));
        };
        Ok(Column::from(match rounds_in_utc(moment, unit) {
            true => entasis_simd::divide::multiples(seconds, unit),
            false => seconds.iter().map(|&s| local(s.into())).collect(),
        }))
    });
    bound.monotone(moment.increasing())
}

/// Whether a multiple of the unit is the same by the zone's clocks as by UTC.
fn rounds_in_utc(moment: Moment, unit: u32) -> bool {
    let whole = |part: i32| moment.zone.has_whole_offsets(part);
    if unit.is_multiple_of(3600) { whole(3600) } else { whole(60) }
}

fn bind_rounded(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
    unit: u32,
) -> Result<BoundKernel> {
    let moment = Moment::of_time(name, args, 1, context)?;
    if is_extended(args, context) && name != "dateTrunc" {
        return Ok(wide_times(args, moment, unit));
    }
    Ok(rounded(moment, unit))
}

/// The unit argument of date_trunc and friends: a constant string in lower case.
pub fn unit_argument(function: &str, arg: &Arg) -> Result<String> {
    let bytes = entasis_function_kernel::text::constant_string(function, arg, "First argument")?;
    Ok(String::from_utf8_lossy(bytes).to_ascii_lowercase())
}

/// A Date as Date32, a DateTime as DateTime64: what dateTrunc answers for the wide types.
fn widened(bound: BoundKernel, context: &dyn FunctionContext) -> Result<BoundKernel> {
    let to = match &bound.return_type {
        DataType::DateTime(zone) | DataType::DateTime64(_, zone) => DataType::DateTime64(0, *zone),
        _ => DataType::Date32,
    };
    let cast = cast::bind(&bound.return_type, &to, Session::of(context))?;
    let entasis_function::Run::Columns(run) = bound.run else {
        return Err(Error::logical("dateTrunc takes no lambda"));
    };
    Ok(BoundKernel::new(to, move |args: &[Column], rows| cast(&run(args, rows)?)))
}

fn date_trunc(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let unit = unit_argument("dateTrunc", &args[0])?;
    let args = &args[1..];
    let shifted = |bound: BoundKernel| {
        let entasis_function::Run::Columns(run) = bound.run else {
            return Err(Error::logical("dateTrunc takes no lambda"));
        };
        let inner =
            BoundKernel::new(bound.return_type, move |args: &[Column], rows| run(&args[1..], rows));
        Ok(inner.monotone(bound.monotonicity))
    };
    let name = match unit.as_str() {
        "second" => "toStartOfSecond",
        "minute" => "toStartOfMinute",
        "hour" => "toStartOfHour",
        "day" => "toStartOfDay",
        "week" => "toMonday",
        "month" => "toStartOfMonth",
        "quarter" => "toStartOfQuarter",
        "year" => "toStartOfYear",
        _ => {
            let message = format!("{unit} doesn't look like datepart name in dateTrunc");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
    };
    let has_clock = matches!(unit.as_str(), "second" | "minute" | "hour");
    if has_clock && args[0].ty == DataType::Date {
        let message = "Illegal type Date of argument for function dateTrunc";
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let bound = match unit.as_str() {
        "second" => bind_rounded("dateTrunc", args, context, 1)?,
        _ => (registry::scalar(name)?.bind)(args, context)?,
    };
    match args[0].ty {
        DataType::Date32 | DataType::DateTime64(..) => shifted(widened(bound, context)?),
        _ => shifted(bound),
    }
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "toStartOfYear",
        description: "The first day of the year.",
        examples: &[("toStartOfYear(toDate('2021-02-03'))", "2021-01-01")],
        arity: (1, 2),
        bind: |args, context| bind_dates("toStartOfYear", args, context, year_start),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toStartOfQuarter",
        description: "The first day of the quarter.",
        examples: &[("toStartOfQuarter(toDate('2021-06-03'))", "2021-04-01")],
        arity: (1, 2),
        bind: |args, context| bind_dates("toStartOfQuarter", args, context, quarter_start),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toStartOfMonth",
        description: "The first day of the month.",
        examples: &[("toStartOfMonth(toDate('2021-02-03'))", "2021-02-01")],
        arity: (1, 2),
        bind: |args, context| bind_dates("toStartOfMonth", args, context, month_start),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toLastDayOfMonth",
        aliases: &["LAST_DAY"],
        case_insensitive: true,
        description: "The last day of the month.",
        examples: &[("toLastDayOfMonth(toDate('2020-02-03'))", "2020-02-29")],
        arity: (1, 2),
        bind: |args, context| {
            bind_dates("toLastDayOfMonth", args, context, |d, fields| {
                month_start(d, fields) + i64::from(fields.month_len()) - 1
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toStartOfDay",
        description: "Midnight of the day.",
        examples: &[("toStartOfDay(toDateTime('2021-02-03 04:05:06'))", "2021-02-03 00:00:00")],
        arity: (1, 2),
        bind: start_of_day,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toStartOfHour",
        description: "The time rounded down to the hour.",
        examples: &[("toStartOfHour(toDateTime('2021-02-03 04:05:06'))", "2021-02-03 04:00:00")],
        arity: (1, 2),
        bind: |args, context| bind_rounded("toStartOfHour", args, context, 3600),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toStartOfMinute",
        description: "The time rounded down to the minute.",
        examples: &[("toStartOfMinute(toDateTime('2021-02-03 04:05:06'))", "2021-02-03 04:05:00")],
        arity: (1, 2),
        bind: |args, context| bind_rounded("toStartOfMinute", args, context, 60),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toStartOfFiveMinutes",
        aliases: &["toStartOfFiveMinute"],
        description: "The time rounded down to five minutes.",
        examples: &[(
            "toStartOfFiveMinutes(toDateTime('2021-02-03 04:09:06'))",
            "2021-02-03 04:05:00",
        )],
        arity: (1, 2),
        bind: |args, context| bind_rounded("toStartOfFiveMinutes", args, context, 300),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toStartOfTenMinutes",
        description: "The time rounded down to ten minutes.",
        examples: &[(
            "toStartOfTenMinutes(toDateTime('2021-02-03 04:19:06'))",
            "2021-02-03 04:10:00",
        )],
        arity: (1, 2),
        bind: |args, context| bind_rounded("toStartOfTenMinutes", args, context, 600),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toStartOfFifteenMinutes",
        description: "The time rounded down to a quarter of an hour.",
        examples: &[(
            "toStartOfFifteenMinutes(toDateTime('2021-02-03 04:19:06'))",
            "2021-02-03 04:15:00",
        )],
        arity: (1, 2),
        bind: |args, context| bind_rounded("toStartOfFifteenMinutes", args, context, 900),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "timeSlot",
        description: "The time rounded down to half an hour.",
        examples: &[("timeSlot(toDateTime('2021-02-03 04:39:06'))", "2021-02-03 04:30:00")],
        arity: (1, 2),
        bind: |args, context| bind_rounded("timeSlot", args, context, 1800),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "dateTrunc",
        aliases: &["DATE_TRUNC"],
        case_insensitive: true,
        description: "A date or time rounded down to a unit named by a string.",
        examples: &[
            ("date_trunc('month', toDate('2021-02-03'))", "2021-02-01"),
            ("date_trunc('hour', toDateTime('2021-02-03 04:05:06'))", "2021-02-03 04:00:00"),
        ],
        arity: (2, 3),
        bind: date_trunc,
        ..FunctionDef::DEFAULT
    },
];
