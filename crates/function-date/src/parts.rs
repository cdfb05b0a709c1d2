//! Parts of dates and times: year, month, hour and so on, alone and as decimal numbers.

use entasis_base::Result;
use entasis_types::DataType;

use super::calendar::{DAY, Day, Moment, bind_fields, bind_local, day_of};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};

fn growing<R: entasis_column::Native>(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
    ty: DataType,
    f: impl Fn(Day) -> R + Copy + Send + Sync + 'static,
) -> Result<BoundKernel> {
    let (moment, bound) = bind_fields(name, args, context, ty, f)?;
    Ok(bound.monotone(moment.increasing()))
}

fn field(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
    f: impl Fn(Day) -> u8 + Copy + Send + Sync + 'static,
) -> Result<BoundKernel> {
    Ok(bind_fields(name, args, context, DataType::UInt8, f)?.1)
}

fn clock(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
    f: impl Fn(u32) -> u8 + Copy + Send + Sync + 'static,
) -> Result<BoundKernel> {
    let moment = Moment::of_time(name, args, 1, context)?;
    Ok(bind_local(moment, DataType::UInt8, move |local| f(local.rem_euclid(DAY) as u32)))
}

fn yyyymmdd(day: Day) -> u32 {
    u32::from(day.year) * 10_000 + u32::from(day.month) * 100 + u32::from(day.day)
}

fn yyyymmddhhmmss(local: i64) -> u64 {
    let (day, time) = (local.div_euclid(DAY), local.rem_euclid(DAY) as u64);
    let clock = time / 3600 * 10_000 + time / 60 % 60 * 100 + time % 60;
    u64::from(yyyymmdd(day_of(day))) * 1_000_000 + clock
}

fn day_of_week(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = "toDayOfWeek";
    let moment = Moment::of(name, args, 2, context)?;
    let mode = super::weeks::mode_argument(name, args.get(1))?;
    Ok(BoundKernel::new(DataType::UInt8, move |args, _| {
        moment.map_fields(&args[0], |d| weekday_in_mode(d.weekday, mode))
    }))
}

/// The weekday (1 = Monday) counted as `mode` says: bit 0 from 0, bit 1 from Sunday.
fn weekday_in_mode(weekday: u8, mode: u8) -> u8 {
    match mode & 3 {
        0 => weekday,
        1 => weekday - 1,
        2 => weekday % 7,
        _ => weekday % 7 + 1,
    }
}

/// Relative numbers of units since some fixed time, for distances between times.
fn relative(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
    f: impl Fn(i64, Moment) -> u32 + Copy + Send + Sync + 'static,
) -> Result<BoundKernel> {
    let moment = Moment::of(name, args, 1, context)?;
    let bound = BoundKernel::new(DataType::UInt32, move |args, _| {
        moment.map_local(&args[0], |local| f(local, moment))
    });
    Ok(bound.monotone(moment.increasing()))
}

/// As [`relative`], of UTC seconds; a Date is its midnight in the zone.
fn relative_utc(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
    unit: i64,
) -> Result<BoundKernel> {
    let moment = Moment::of(name, args, 1, context)?;
    let bound = BoundKernel::new(DataType::UInt32, move |args, _| match &moment.narrow(&args[0]) {
        entasis_column::Column::UInt32(seconds) => {
            let skew = i64::from(moment.zone.offset_at(0)).rem_euclid(unit.min(3600));
            Ok(seconds
                .iter()
                .map(|&s| ((i64::from(s) + skew) / unit) as u32)
                .collect::<Vec<_>>()
                .into())
        }
        dates => moment.map_days(dates, |d| (moment.zone.from_local(d * DAY) / unit) as u32),
    });
    Ok(bound.monotone(moment.increasing()))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "toYear",
        aliases: &["YEAR"],
        case_insensitive: true,
        description: "The year.",
        examples: &[("toYear(toDate('2021-02-03'))", "2021")],
        arity: (1, 2),
        bind: |args, context| growing("toYear", args, context, DataType::UInt16, |d| d.year),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toQuarter",
        aliases: &["QUARTER"],
        case_insensitive: true,
        description: "The quarter of the year, 1 to 4.",
        examples: &[("toQuarter(toDate('2021-04-03'))", "2")],
        arity: (1, 2),
        bind: |args, context| field("toQuarter", args, context, Day::quarter),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toMonth",
        aliases: &["MONTH"],
        case_insensitive: true,
        description: "The month of the year, 1 to 12.",
        examples: &[("toMonth(toDate('2021-02-03'))", "2")],
        arity: (1, 2),
        bind: |args, context| field("toMonth", args, context, |d| d.month),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toDayOfYear",
        aliases: &["DAYOFYEAR"],
        case_insensitive: true,
        description: "The day of the year, 1 to 366.",
        examples: &[("toDayOfYear(toDate('2021-02-03'))", "34")],
        arity: (1, 2),
        bind: |args, context| {
            Ok(bind_fields("toDayOfYear", args, context, DataType::UInt16, |d| d.of_year)?.1)
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toDayOfMonth",
        aliases: &["DAY", "DAYOFMONTH"],
        case_insensitive: true,
        description: "The day of the month, 1 to 31.",
        examples: &[("toDayOfMonth(toDate('2021-02-03'))", "3")],
        arity: (1, 2),
        bind: |args, context| field("toDayOfMonth", args, context, |d| d.day),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toDayOfWeek",
        aliases: &["DAYOFWEEK"],
        case_insensitive: true,
        description: "The day of the week: 1 = Monday to 7 = Sunday; the mode changes first day \
                      (bit 1: Sunday) and first number (bit 0: 0).",
        examples: &[
            ("toDayOfWeek(toDate('2021-02-03'))", "3"),
            ("toDayOfWeek(toDate('2021-02-07'), 2)", "0"),
        ],
        arity: (1, 3),
        bind: day_of_week,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toHour",
        aliases: &["HOUR"],
        case_insensitive: true,
        description: "The hour, 0 to 23.",
        examples: &[("toHour(toDateTime('2021-02-03 04:05:06'))", "4")],
        arity: (1, 2),
        bind: |args, context| clock("toHour", args, context, |t| (t / 3600) as u8),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toMinute",
        aliases: &["MINUTE"],
        case_insensitive: true,
        description: "The minute, 0 to 59.",
        examples: &[("toMinute(toDateTime('2021-02-03 04:05:06'))", "5")],
        arity: (1, 2),
        bind: |args, context| clock("toMinute", args, context, |t| (t / 60 % 60) as u8),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toSecond",
        aliases: &["SECOND"],
        case_insensitive: true,
        description: "The second, 0 to 59.",
        examples: &[("toSecond(toDateTime('2021-02-03 04:05:06'))", "6")],
        arity: (1, 2),
        bind: |args, context| clock("toSecond", args, context, |t| (t % 60) as u8),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toYYYYMM",
        description: "Year and month as a number.",
        examples: &[("toYYYYMM(toDate('2021-02-03'))", "202102")],
        arity: (1, 2),
        bind: |args, context| {
            growing("toYYYYMM", args, context, DataType::UInt32, |d| {
                u32::from(d.year) * 100 + u32::from(d.month)
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toYYYYMMDD",
        description: "Year, month and day as a number.",
        examples: &[("toYYYYMMDD(toDate('2021-02-03'))", "20210203")],
        arity: (1, 2),
        bind: |args, context| growing("toYYYYMMDD", args, context, DataType::UInt32, yyyymmdd),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toYYYYMMDDhhmmss",
        description: "Date and time as a number.",
        examples: &[("toYYYYMMDDhhmmss(toDateTime('2021-02-03 04:05:06'))", "20210203040506")],
        arity: (1, 2),
        bind: |args, context| {
            let moment = Moment::of("toYYYYMMDDhhmmss", args, 1, context)?;
            let bound = bind_local(moment, DataType::UInt64, yyyymmddhhmmss);
            Ok(bound.monotone(moment.increasing()))
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toRelativeYearNum",
        description: "The year, to compute distances.",
        examples: &[("toRelativeYearNum(toDate('2021-02-03'))", "2021")],
        arity: (1, 2),
        bind: |args, context| {
            growing("toRelativeYearNum", args, context, DataType::UInt16, |d| d.year)
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toRelativeQuarterNum",
        description: "Quarters since the year 0.",
        examples: &[("toRelativeQuarterNum(toDate('2021-02-01'))", "8084")],
        arity: (1, 2),
        bind: |args, context| {
            growing("toRelativeQuarterNum", args, context, DataType::UInt32, |d| {
                u32::from(d.year) * 4 + u32::from(d.quarter() - 1)
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toRelativeMonthNum",
        description: "Months since the year 0.",
        examples: &[("toRelativeMonthNum(toDate('2021-02-01'))", "24254")],
        arity: (1, 2),
        bind: |args, context| {
            growing("toRelativeMonthNum", args, context, DataType::UInt32, |d| {
                u32::from(d.year) * 12 + u32::from(d.month)
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toRelativeWeekNum",
        description: "Weeks, beginning on Mondays, since 1970.",
        examples: &[("toRelativeWeekNum(toDate('2021-02-01'))", "2666")],
        arity: (1, 2),
        bind: |args, context| {
            relative("toRelativeWeekNum", args, context, |t, _| {
                ((t.div_euclid(DAY) + 3) / 7) as u32
            })
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toRelativeDayNum",
        description: "Days since 1970-01-01.",
        examples: &[("toRelativeDayNum(toDate('2021-02-01'))", "18659")],
        arity: (1, 2),
        bind: |args, context| {
            relative("toRelativeDayNum", args, context, |t, _| t.div_euclid(DAY) as u32)
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toRelativeHourNum",
        description: "Hours since 1970-01-01.",
        examples: &[("toRelativeHourNum(toDateTime('2021-02-01 10:11:12'))", "447826")],
        arity: (1, 2),
        bind: |args, context| relative_utc("toRelativeHourNum", args, context, 3600),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toRelativeMinuteNum",
        description: "Minutes since 1970-01-01.",
        examples: &[("toRelativeMinuteNum(toDateTime('1970-01-01 00:02:12'))", "2")],
        arity: (1, 2),
        bind: |args, context| relative_utc("toRelativeMinuteNum", args, context, 60),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toRelativeSecondNum",
        description: "Seconds since 1970-01-01.",
        examples: &[("toRelativeSecondNum(toDateTime('1970-01-01 00:02:12'))", "132")],
        arity: (1, 2),
        bind: |args, context| relative_utc("toRelativeSecondNum", args, context, 1),
        ..FunctionDef::DEFAULT
    },
];
