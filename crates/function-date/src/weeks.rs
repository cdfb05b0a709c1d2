//! Weeks: week numbers in ten modes (MySQL's eight and two of the reference), first and last days
//! of weeks.

use entasis_base::{Error, Result, codes};
use entasis_types::DataType;

use super::calendar::{Moment, day_of, to_date};
use super::starts::{is_extended, wide_dates};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::illegal_type;

/// The constant mode argument; 0 if absent.
pub fn mode_argument(function: &str, arg: Option<&Arg>) -> Result<u8> {
    let Some(arg) = arg else { return Ok(0) };
    if !arg.ty.is_native_integer() {
        return Err(illegal_type(function, &arg.ty));
    }
    arg.constant.as_ref().and_then(|v| v.as_i64()).map(|v| v as u8).ok_or_else(|| {
        let message = format!("Mode of function {function} must be a constant");
        Error::new(codes::ILLEGAL_COLUMN, message)
    })
}

const MONDAY_FIRST: u8 = 1;
const WEEK_YEAR: u8 = 2;
const FIRST_WEEKDAY: u8 = 4;
const NEW_YEAR_DAY: u8 = 8;

fn year_len(year: i64) -> i64 {
    if (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 { 366 } else { 365 }
}

/// Year and week of a day number under a mode.
pub fn year_week(day: i64, mode: u8) -> (i64, i64) {
    if mode & NEW_YEAR_DAY != 0 {
        return year_week_of_new_year(day, mode & MONDAY_FIRST != 0);
    }
    let monday_first = mode & MONDAY_FIRST != 0;
    let mut week_year = mode & WEEK_YEAR != 0;
    // Without Monday first the meaning of the bit is turned round.
    let first_weekday = (mode & FIRST_WEEKDAY != 0) == monday_first;
    let fields = day_of(day);
    let mut year = i64::from(fields.year);
    let mut first_day = day - i64::from(fields.of_year) + 1;
    // Monday = 0, or Sunday = 0.
    let weekday_of = |d: i64| (d + if monday_first { 3 } else { 4 }).rem_euclid(7);
    let mut weekday = weekday_of(first_day);
    let partial_out = |w: i64| if first_weekday { w != 0 } else { w >= 4 };
    if fields.month == 1 && i64::from(fields.day) <= 7 - weekday {
        if !week_year && partial_out(weekday) {
            return (year, 0);
        }
        week_year = true;
        year -= 1;
        let days = year_len(year);
        first_day -= days;
        weekday = (weekday + 53 * 7 - days) % 7;
    }
    let days = if partial_out(weekday) {
        day - (first_day + 7 - weekday)
    } else {
        day - (first_day - weekday)
    };
    if week_year && days >= 52 * 7 {
        let weekday = (weekday + year_len(year)) % 7;
        if !partial_out(weekday) {
            return (year + 1, 1);
        }
    }
    (year, days / 7 + 1)
}

/// Week 1 is the one with January 1.
fn year_week_of_new_year(day: i64, monday_first: bool) -> (i64, i64) {
    let start = |d: i64| d - (d + if monday_first { 3 } else { 4 }).rem_euclid(7);
    let year = i64::from(day_of(start(day) + 6).year);
    let last = start(day) + 6;
    let new_year = last - i64::from(day_of(last).of_year) + 1;
    (year, (start(day) - start(new_year)) / 7 + 1)
}

/// First day of the week: Monday where the mode's bit 0 is set, else Sunday.
#[inline(always)]
pub fn week_start(day: i64, monday: bool) -> i64 {
    day - (day + if monday { 3 } else { 4 }).rem_euclid(7)
}

/// The first day of the week as a Date, or one that is so many days later.
#[inline(always)]
fn week_date(day: i64, monday: bool, more: i32) -> u16 {
    // Other days are beyond all Dates anyway. Numbers of 32 bits make short loops of vectors.
    let day = day.clamp(-(1 << 24), 1 << 24) as i32;
    let of_week = (day + if monday { 3 } else { 4 }).rem_euclid(7);
    (day - of_week + more).clamp(0, i32::from(u16::MAX)) as u16
}

fn bind_week(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let moment = Moment::of(name, args, 2, context)?;
    let mode = mode_argument(name, args.get(1))?;
    Ok(BoundKernel::new(DataType::UInt8, move |args, _| {
        moment.map_days(&args[0], |d| year_week(d, mode).1 as u8)
    }))
}

fn bind_year_week(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let moment = Moment::of(name, args, 2, context)?;
    let mode = mode_argument(name, args.get(1))? | WEEK_YEAR;
    Ok(BoundKernel::new(DataType::UInt32, move |args, _| {
        moment.map_days(&args[0], |d| {
            let (year, week) = year_week(d, mode);
            (year * 100 + week) as u32
        })
    }))
}

/// ISO 8601: Monday first, week 1 has four days of the year.
const ISO: u8 = MONDAY_FIRST | WEEK_YEAR;

/// First day of the ISO year that a day is in.
pub fn iso_year_start(day: i64) -> i64 {
    let (_, week) = year_week(day, ISO);
    week_start(day, true) - (week - 1) * 7
}

fn bind_start(
    name: &'static str,
    last: bool,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let moment = Moment::of(name, args, 2, context)?;
    let monday = mode_argument(name, args.get(1))? & MONDAY_FIRST != 0;
    let more = if last { 6 } else { 0 };
    if is_extended(args, context) {
        return Ok(wide_dates(moment, move |d, _| week_start(d, monday) + i64::from(more)));
    }
    let bound = BoundKernel::new(DataType::Date, move |args, _| {
        moment.map_days(&args[0], move |d| week_date(d, monday, more))
    });
    Ok(bound.monotone(moment.increasing()))
}

fn bind_monday(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let moment = Moment::of("toMonday", args, 1, context)?;
    if is_extended(args, context) {
        return Ok(wide_dates(moment, |d, _| week_start(d, true)));
    }
    let bound = BoundKernel::new(DataType::Date, move |args, _| {
        moment.map_days(&args[0], |d| week_date(d, true, 0))
    });
    Ok(bound.monotone(moment.increasing()))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "toWeek",
        aliases: &["WEEK"],
        case_insensitive: true,
        description: "Number of the week in the year; modes 0 to 7 as MySQL's, 8 and 9 count the \
                      week of January 1 as the first.",
        examples: &[
            ("toWeek(toDate('2021-01-01'))", "0"),
            ("toWeek(toDate('2021-01-01'), 9)", "1"),
        ],
        arity: (1, 3),
        bind: |args, context| bind_week("toWeek", args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toYearWeek",
        aliases: &["YEARWEEK"],
        case_insensitive: true,
        description: "Year and week as a number; the year is the week's.",
        examples: &[("toYearWeek(toDate('2021-01-01'))", "202052")],
        arity: (1, 3),
        bind: |args, context| bind_year_week("toYearWeek", args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toISOWeek",
        description: "The ISO week, 1 to 53.",
        examples: &[("toISOWeek(toDate('2021-01-01'))", "53")],
        arity: (1, 2),
        bind: |args, context| {
            let moment = Moment::of("toISOWeek", args, 1, context)?;
            Ok(BoundKernel::new(DataType::UInt8, move |args, _| {
                moment.map_days(&args[0], |d| year_week(d, ISO).1 as u8)
            }))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toISOYear",
        description: "The year that the ISO week belongs to.",
        examples: &[("toISOYear(toDate('2021-01-01'))", "2020")],
        arity: (1, 2),
        bind: |args, context| {
            let moment = Moment::of("toISOYear", args, 1, context)?;
            let bound = BoundKernel::new(DataType::UInt16, move |args, _| {
                moment.map_days(&args[0], |d| year_week(d, ISO).0 as u16)
            });
            Ok(bound.monotone(moment.increasing()))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toMonday",
        description: "The Monday of the week.",
        examples: &[("toMonday(toDate('2021-02-03'))", "2021-02-01")],
        arity: (1, 2),
        bind: bind_monday,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toStartOfWeek",
        description: "The first day of the week: Sunday, or Monday in an odd mode.",
        examples: &[
            ("toStartOfWeek(toDate('2021-02-03'))", "2021-01-31"),
            ("toStartOfWeek(toDate('2021-02-03'), 1)", "2021-02-01"),
        ],
        arity: (1, 3),
        bind: |args, context| bind_start("toStartOfWeek", false, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toLastDayOfWeek",
        description: "The last day of the week: Saturday, or Sunday in an odd mode.",
        examples: &[("toLastDayOfWeek(toDate('2021-02-03'), 1)", "2021-02-07")],
        arity: (1, 3),
        bind: |args, context| bind_start("toLastDayOfWeek", true, args, context),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toStartOfISOYear",
        description: "The first day of the ISO year, a Monday.",
        examples: &[("toStartOfISOYear(toDate('2021-02-03'))", "2021-01-04")],
        arity: (1, 2),
        bind: |args, context| {
            let moment = Moment::of("toStartOfISOYear", args, 1, context)?;
            if is_extended(args, context) {
                return Ok(wide_dates(moment, |d, _| iso_year_start(d)));
            }
            let bound = BoundKernel::new(DataType::Date, move |args, _| {
                moment.map_days(&args[0], |d| to_date(iso_year_start(to_date(d).into())))
            });
            Ok(bound.monotone(moment.increasing()))
        },
        ..FunctionDef::DEFAULT
    },
];
