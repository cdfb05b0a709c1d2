//! Modified Julian days: `toModifiedJulianDay` and `fromModifiedJulianDay`; and `timeDiff`.

use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column, StringsBuilder};
use entasis_types::text::write_two_digits;
use entasis_types::time_zone::{civil_from_days, days_from_civil};
use entasis_types::{DataType, Value};

use entasis_function::{
    Arg, BoundFunction, BoundKernel, FunctionContext, FunctionDef, Nulls, registry,
};
use entasis_function_kernel::kernel::Side;
use entasis_function_kernel::text::{Text, finish};

/// The Modified Julian day of 1970-01-01.
const EPOCH: i32 = 40_587;
/// The days of the years 0 to 9999.
const FIRST: i64 = -678_941;
const LAST: i64 = 2_973_483;

/// The day of `YYYY-MM-DD`.
fn parse(text: &[u8]) -> Result<i32> {
    let unread = |message: &str| Error::new(codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, message);
    let [a, b, c, d, b'-', e, f, b'-', g, h] = *text else {
        return Err(unread("Cannot read input: expected a date as YYYY-MM-DD"));
    };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0u32, |n, b| {
            b.is_ascii_digit()
                .then(|| n * 10 + u32::from(b - b'0'))
                .ok_or_else(|| unread("Cannot read input: expected a digit but got something else"))
        })
    };
    let (year, month, day) = (number(&[a, b, c, d])?, number(&[e, f])?, number(&[g, h])?);
    let days = days_from_civil(year as i32, month.clamp(1, 12), day);
    if civil_from_days(days) != (year as i32, month, day) {
        let message = format!(
            "Invalid date, out of range (year: {year}, month: {month}, day_of_month: {day})"
        );
        return Err(Error::new(codes::CANNOT_PARSE_DATE, message));
    }
    Ok(days + EPOCH)
}

fn illegal(message: String) -> Error {
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}

fn to_day(name: &str, or_null: bool, args: &[Arg]) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        return Err(illegal(format!(
            "The argument of function {name} must be String or FixedString"
        )));
    }
    if !or_null {
        return Ok(BoundKernel::new(DataType::Int32, |args, rows| {
            let text = Text::of(&args[0])?;
            Ok((0..rows).map(|i| parse(text.get(i))).collect::<Result<Vec<i32>>>()?.into())
        }));
    }
    Ok(BoundKernel::new(DataType::nullable(DataType::Int32), |args, rows| {
        let text = Text::of(&args[0])?;
        let mut days = Vec::with_capacity(rows);
        let known = Bitmap::from_fn(rows, |i| {
            let day = parse(text.get(i));
            days.push(*day.as_ref().unwrap_or(&0));
            day.is_ok()
        });
        Ok(Column::nullable(days.into(), known))
    }))
}

/// Appends the date of a day.
fn write(out: &mut Vec<u8>, day: i64) {
    let (year, month, day) = civil_from_days(day as i32 - EPOCH);
    write_two_digits(out, year as u32 / 100);
    write_two_digits(out, year as u32 % 100);
    out.push(b'-');
    write_two_digits(out, month);
    out.push(b'-');
    write_two_digits(out, day);
}

fn from_day(name: &str, or_null: bool, args: &[Arg]) -> Result<BoundKernel> {
    if !args[0].ty.is_native_integer() {
        return Err(illegal(format!("The argument of function {name} must be integral")));
    }
    let known = |day: i64| (FIRST..=LAST).contains(&day);
    let ty = if or_null { DataType::nullable(DataType::String) } else { DataType::String };
    Ok(BoundKernel::new(ty, move |args, rows| {
        let days = Side::<i64>::read(&args[0])?;
        let mut out = StringsBuilder::with_capacity(rows, rows * 10);
        for i in 0..rows {
            let day = days.get(i);
            if known(day) {
                write(&mut out.data, day);
            } else if !or_null {
                let message = "Value cannot be represented as date because it's out of range";
                return Err(Error::new(codes::CANNOT_FORMAT_DATETIME, message));
            }
            out.close();
        }
        let dates = finish(out)?;
        Ok(match or_null {
            true => Column::nullable(dates, Bitmap::from_fn(rows, |i| known(days.get(i)))),
            false => dates,
        })
    }))
}

/// Seconds from the first moment to the second.
fn time_diff(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let unit = Value::string(b"second");
    let mut all = vec![Arg::constant(DataType::String, unit.clone())];
    all.extend(args.iter().cloned());
    let function = BoundFunction::bind(registry::scalar("dateDiff")?, &all, context)?;
    Ok(BoundKernel::new(DataType::Int64, move |args, rows| {
        let mut all = vec![Column::from_value(&DataType::String, &unit, rows)];
        all.extend(args.iter().cloned());
        function.call(&all, rows)
    }))
}

const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };
const STRICT: FunctionDef = FunctionDef { nulls: Nulls::PropagateStrict, ..ONE };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "toModifiedJulianDay",
        description: "The Modified Julian day of a date in text: days since 1858-11-17.",
        examples: &[("toModifiedJulianDay('2020-11-01')", "59154")],
        bind: |args, _| to_day("toModifiedJulianDay", false, args),
        ..STRICT
    },
    FunctionDef {
        name: "toModifiedJulianDayOrNull",
        description: "Like toModifiedJulianDay, but NULL where the text is no date.",
        examples: &[("toModifiedJulianDayOrNull('2020-13-01')", "ᴺᵁᴸᴸ")],
        bind: |args, _| to_day("toModifiedJulianDayOrNull", true, args),
        ..ONE
    },
    FunctionDef {
        name: "fromModifiedJulianDay",
        description: "The date of a Modified Julian day as text.",
        examples: &[("fromModifiedJulianDay(58849)", "2020-01-01")],
        bind: |args, _| from_day("fromModifiedJulianDay", false, args),
        ..STRICT
    },
    FunctionDef {
        name: "fromModifiedJulianDayOrNull",
        description: "Like fromModifiedJulianDay, but NULL outside of the years 0 to 9999.",
        examples: &[("fromModifiedJulianDayOrNull(10000000)", "ᴺᵁᴸᴸ")],
        bind: |args, _| from_day("fromModifiedJulianDayOrNull", true, args),
        ..ONE
    },
    FunctionDef {
        name: "timeDiff",
        description: "Seconds from the first moment to the second.",
        examples: &[("timeDiff(toDate('2020-01-01'), toDate('2020-01-02'))", "86400")],
        arity: (2, 2),
        bind: time_diff,
        ..FunctionDef::DEFAULT
    },
];
