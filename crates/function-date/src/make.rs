//! Functions that make dates and times from numbers, and their time zones.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::time_zone::days_from_civil;
use entasis_types::{DataType, TimeZone, Value};

use super::calendar::{DAY, Moment};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::arguments::zone_argument;
use entasis_function_kernel::kernel::{Side, illegal_type};

fn expect_numbers(function: &str, args: &[Arg]) -> Result<()> {
    match args.iter().find(|a| !a.ty.is_any_number()) {
        Some(arg) => Err(illegal_type(function, &arg.ty)),
        None => Ok(()),
    }
}

/// The day number, or 0 (1970-01-01) if there is no such Date.
fn make_day(year: i64, month: i64, day: i64) -> i64 {
    if !(1970..=2149).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return 0;
    }
    let days = days_from_civil(year as i32, month as u32, day as u32);
    if days > 65_535 { 0 } else { days.into() }
}

fn make_date(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_numbers("makeDate", args)?;
    Ok(BoundKernel::new(DataType::Date, |args, rows| {
        let sides = args.iter().map(Side::<i64>::read).collect::<Result<Vec<_>>>()?;
        let of = |i: usize| match sides.as_slice() {
            [year, of_year] => {
                let days = make_day(year.get(i), 1, 1);
                let n = of_year.get(i);
                let known = (1970..=2149).contains(&year.get(i)) && (1..=365).contains(&n);
                if known { days + n - 1 } else { 0 }
            }
            [year, month, day] => make_day(year.get(i), month.get(i), day.get(i)),
            _ => 0,
        };
        Ok(Column::from((0..rows).map(|i| of(i) as u16).collect::<Vec<_>>()))
    }))
}

fn make_date_time(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_numbers("makeDateTime", &args[..6])?;
    let own = zone_argument("makeDateTime", args.get(6))?;
    let zone = own.unwrap_or_else(|| context.time_zone());
    Ok(BoundKernel::new(DataType::DateTime(own), move |args, rows| {
        let sides = args[..6].iter().map(Side::<i64>::read).collect::<Result<Vec<_>>>()?;
        let of = |i: usize| {
            let v: [i64; 6] = std::array::from_fn(|k| sides[k].get(i));
            let in_range = (1970..=2106).contains(&v[0])
                && (1..=12).contains(&v[1])
                && (1..=31).contains(&v[2])
                && v[3..].iter().all(|t| (0..=99).contains(t));
            if !in_range {
                return if v[0] > 2106 { u32::MAX } else { 0 };
            }
            let local = make_day(v[0], v[1], v[2]) * DAY + v[3] * 3600 + v[4] * 60 + v[5];
            zone.from_local(local).clamp(0, u32::MAX.into()) as u32
        };
        Ok(Column::from((0..rows).map(of).collect::<Vec<_>>()))
    }))
}

fn digits_to_date(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_numbers("YYYYMMDDToDate", args)?;
    Ok(BoundKernel::new(DataType::Date, |args, rows| {
        let side = Side::<i64>::read(&args[0])?;
        let of = |i: usize| {
            let v = side.get(i);
            make_day(v / 10_000, v / 100 % 100, v % 100) as u16
        };
        Ok(Column::from((0..rows).map(of).collect::<Vec<_>>()))
    }))
}

fn digits_to_date_time(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = "YYYYMMDDhhmmssToDateTime";
    expect_numbers(name, &args[..1])?;
    let own = zone_argument(name, args.get(1))?;
    let zone = own.unwrap_or_else(|| context.time_zone());
    Ok(BoundKernel::new(DataType::DateTime(own), move |args, rows| {
        let side = Side::<i64>::read(&args[0])?;
        let of = |i: usize| {
            let (v, time) = (side.get(i) / 1_000_000, side.get(i) % 1_000_000);
            let day = make_day(v / 10_000, v / 100 % 100, v % 100);
            let local = day * DAY + time / 10_000 * 3600 + time / 100 % 100 * 60 + time % 100;
            zone.from_local(local).clamp(0, u32::MAX.into()) as u32
        };
        Ok(Column::from((0..rows).map(of).collect::<Vec<_>>()))
    }))
}

fn to_time_zone(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let zone = zone_argument("toTimeZone", args.get(1))?;
    let ty = match &args[0].ty {
        DataType::DateTime(_) => DataType::DateTime(zone),
        DataType::DateTime64(scale, _) => DataType::DateTime64(*scale, zone),
        other => return Err(illegal_type("toTimeZone", other)),
    };
    Ok(BoundKernel::new(ty, |args, _| Ok(args[0].clone()))
        .monotone(entasis_function::Monotonicity::Increasing))
}

fn time_zone_of(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if !args[0].ty.is_date_or_time() || args[0].ty.is_date() {
        return Err(illegal_type("timezoneOf", &args[0].ty));
    }
    let name = args[0].ty.own_zone().unwrap_or_else(|| context.time_zone()).name();
    Ok(BoundKernel::new(DataType::String, move |_, rows| {
        Ok(Column::from_value(&DataType::String, &Value::from(name), rows))
    }))
}

fn time_zone_offset(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let moment = Moment::of_time("timezoneOffset", args, 1, context)?;
    Ok(BoundKernel::new(DataType::Int32, move |args, _| {
        let Column::UInt32(seconds) = &moment.narrow(&args[0]) else {
            return Err(Error::logical("not a time column"));
        };
        let of = |&s: &u32| moment.zone.offset_at(s.into());
        Ok(Column::from(seconds.iter().map(of).collect::<Vec<_>>()))
    }))
}

/// A DateTime whose clock in one zone is read as the clock of another.
fn reread(name: &str, args: &[Arg], f: fn(TimeZone, i64) -> i64) -> Result<BoundKernel> {
    if !matches!(args[0].ty, DataType::DateTime(_)) {
        return Err(illegal_type(name, &args[0].ty));
    }
    let Some(zone) = zone_argument(name, args.get(1))? else {
        return Err(Error::new(codes::BAD_ARGUMENTS, format!("{name} needs a time zone")));
    };
    Ok(BoundKernel::new(args[0].ty.clone(), move |args, rows| {
        let side = Side::<u32>::read(&args[0])?;
        let of = |i| f(zone, side.get(i).into()).max(0) as u32;
        Ok(Column::from((0..rows).map(of).collect::<Vec<_>>()))
    }))
}

/// Days from 0000-01-01 to 1970-01-01.
const YEAR_ZERO: i64 = 719_528;

fn days_since_year_zero(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let moment = Moment::of("toDaysSinceYearZero", args, 1, context)?;
    Ok(BoundKernel::new(DataType::UInt32, move |args, _| {
        moment.map_days(&args[0], |d| (d + YEAR_ZERO) as u32)
    })
    .monotone(moment.increasing()))
}

fn from_days_since_year_zero(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    expect_numbers("fromDaysSinceYearZero", args)?;
    Ok(BoundKernel::new(DataType::Date, |args, rows| {
        let side = Side::<i64>::read(&args[0])?;
        let of = |i| side.get(i).wrapping_sub(YEAR_ZERO) as u16;
        Ok(Column::from((0..rows).map(of).collect::<Vec<_>>()))
    }))
}

fn time_slots(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    if !matches!(args[0].ty, DataType::DateTime(_)) {
        return Err(illegal_type("timeSlots", &args[0].ty));
    }
    if args[1].ty != DataType::UInt32 {
        return Err(illegal_type("timeSlots", &args[1].ty));
    }
    expect_numbers("timeSlots", &args[2..])?;
    Ok(BoundKernel::new(DataType::array(args[0].ty.clone()), |args, rows| {
        let (start, span) = (Side::<u64>::read(&args[0])?, Side::<u64>::read(&args[1])?);
        let size = args.get(2).map(Side::<u64>::read).transpose()?;
        let (mut values, mut offsets) = (Vec::new(), vec![0u32]);
        for i in 0..rows {
            let size = size.as_ref().map_or(1800, |s| s.get(i));
            if size == 0 {
                return Err(Error::new(codes::ILLEGAL_COLUMN, "Slot size must be positive"));
            }
            let end = (start.get(i) + span.get(i)) / size;
            if values.len() as u64 + (end - start.get(i) / size) > 100_000_000 {
                return Err(Error::new(codes::TOO_LARGE_ARRAY_SIZE, "Too many time slots"));
            }
            values.extend((start.get(i) / size..=end).map(|slot| (slot * size) as u32));
            offsets.push(values.len() as u32);
        }
        Ok(Column::array(offsets.into(), Column::from(values)))
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "makeDate",
        case_insensitive: true,
        description: "The Date of year, month and day, or of year and day of the year.",
        examples: &[("makeDate(2021, 2, 3)", "2021-02-03"), ("makeDate(2021, 35)", "2021-02-04")],
        arity: (2, 3),
        bind: make_date,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "makeDateTime",
        case_insensitive: true,
        description: "The DateTime of year, month, day, hour, minute and second.",
        examples: &[("makeDateTime(2021, 2, 3, 4, 5, 6)", "2021-02-03 04:05:06")],
        arity: (6, 7),
        bind: make_date_time,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "YYYYMMDDToDate",
        description: "The Date that a number such as 20260131 stands for.",
        examples: &[("YYYYMMDDToDate(20210203)", "2021-02-03")],
        arity: (1, 1),
        bind: digits_to_date,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "YYYYMMDDhhmmssToDateTime",
        description: "The DateTime that a number such as 20260131235959 stands for.",
        examples: &[("YYYYMMDDhhmmssToDateTime(20210203040506)", "2021-02-03 04:05:06")],
        arity: (1, 2),
        bind: digits_to_date_time,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toTimeZone",
        aliases: &["toTimezone"],
        description: "The same moment, shown in another time zone.",
        examples: &[(
            "toTimeZone(toDateTime('2021-02-01 10:41:12'), 'Asia/Tokyo')",
            "2021-02-01 19:41:12",
        )],
        arity: (2, 2),
        bind: to_time_zone,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "timezoneOf",
        aliases: &["timeZoneOf"],
        case_insensitive: true,
        description: "The name of the time zone of a DateTime.",
        examples: &[("timezoneOf(toDateTime('2021-02-01 10:41:12', 'Asia/Tokyo'))", "Asia/Tokyo")],
        arity: (1, 1),
        bind: time_zone_of,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "timezoneOffset",
        aliases: &["timeZoneOffset"],
        case_insensitive: true,
        description: "The offset of a time from UTC in seconds.",
        examples: &[("timezoneOffset(toDateTime('2021-02-01 10:41:12', 'Asia/Tokyo'))", "32400")],
        arity: (1, 1),
        bind: time_zone_offset,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toUTCTimestamp",
        aliases: &["to_utc_timestamp"],
        case_insensitive: true,
        description: "Converts a time from the local time of another time zone to UTC.",
        examples: &[(
            "toUTCTimestamp(toDateTime('2021-02-01 13:11:12'), 'Asia/Tokyo')",
            "2021-02-01 04:11:12",
        )],
        arity: (2, 2),
        bind: |args, _| reread("toUTCTimestamp", args, TimeZone::from_local),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "fromUTCTimestamp",
        aliases: &["from_utc_timestamp"],
        case_insensitive: true,
        description: "Converts a time from UTC to the local time of another time zone.",
        examples: &[(
            "fromUTCTimestamp(toDateTime('2021-02-01 13:11:12'), 'Asia/Tokyo')",
            "2021-02-01 22:11:12",
        )],
        arity: (2, 2),
        bind: |args, _| reread("fromUTCTimestamp", args, TimeZone::to_local),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "toDaysSinceYearZero",
        aliases: &["TO_DAYS"],
        case_insensitive: true,
        description: "Days since 0000-01-01.",
        examples: &[("toDaysSinceYearZero(toDate('2021-02-01'))", "738187")],
        arity: (1, 2),
        bind: days_since_year_zero,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "fromDaysSinceYearZero",
        aliases: &["FROM_DAYS"],
        case_insensitive: true,
        description: "The Date that is the given number of days after 0000-01-01.",
        examples: &[("fromDaysSinceYearZero(738187)", "2021-02-01")],
        arity: (1, 1),
        bind: from_days_since_year_zero,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "timeSlots",
        description: "The starts of all half hours that a span of seconds touches.",
        examples: &[(
            "timeSlots(toDateTime('2012-01-01 12:20:00'), toUInt32(600))",
            "['2012-01-01 12:00:00','2012-01-01 12:30:00']",
        )],
        arity: (2, 3),
        bind: time_slots,
        ..FunctionDef::DEFAULT
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(day: i64) -> (u16, u8, u8) {
        let d = crate::calendar::day_of(day);
        (d.year, d.month, d.day)
    }

    #[test]
    fn days_that_do_not_exist() {
        assert_eq!(fields(make_day(2021, 2, 30)), (2021, 3, 2));
        assert_eq!(make_day(1960, 2, 3), 0);
        assert_eq!(make_day(2149, 6, 6), 65_535);
        assert_eq!(make_day(2149, 6, 7), 0);
    }
}
