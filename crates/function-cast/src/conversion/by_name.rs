//! `toInt8` to `toBool`, with `-OrNull`, `-OrZero` and `-OrDefault`.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask};
use entasis_types::text::read_strict_time;
use entasis_types::text_type::{FIRST_DATE32, ticks_of};
use entasis_types::{DataType, TimeZone};

use super::in_zone;
use crate::cast::{self, Cast, Mode, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls, Properties};
use entasis_function_kernel::arguments::zone_argument;

pub(super) type Bind = fn(&[Arg], &dyn FunctionContext) -> Result<BoundKernel>;

pub(super) fn bound(to: DataType, cast: Cast) -> BoundKernel {
    BoundKernel::new(to, move |args, _| cast(&args[0]))
}

/// `toT(x)`.
pub(super) fn plain(
    to: &DataType,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let from = &args[0].ty;
    if matches!(from, DataType::Array(_) | DataType::Tuple(_)) {
        return Err(entasis_function_kernel::kernel::illegal_type(&format!("to{to}"), from));
    }
    let bound = bound(to.clone(), cast::bind(from, to, Session::of(context))?);
    let integers = !from.is_float() || to.is_float();
    let wraps = from.is_native_number() && to.is_native_number() && integers;
    Ok(if wraps { bound.never_fails() } else { bound })
}

/// `toDate(x[, zone])`.
fn to_date(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let zone = zone_argument("toDate", args.get(1))?;
    let mut session = Session::of(context);
    session.zone = zone.unwrap_or(session.zone);
    let from = in_zone(&args[0].ty, zone);
    if matches!(from, DataType::Array(_) | DataType::Tuple(_)) {
        return Err(entasis_function_kernel::kernel::illegal_type("toDate", &from));
    }
    Ok(bound(DataType::Date, cast::bind(&from, &DataType::Date, session)?))
}

/// The type that `toDateTime(x[, zone])` answers: a zone of the argument is kept.
fn datetime_type(function: &str, args: &[Arg]) -> Result<DataType> {
    Ok(DataType::DateTime(match (zone_argument(function, args.get(1))?, &args[0].ty) {
        (Some(zone), _) => Some(zone),
        (None, ty) => ty.own_zone(),
    }))
}

fn to_datetime(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if args.get(1).is_some_and(|a| a.ty.is_native_integer()) {
        // A number of digits after the point.
        return (entasis_function::registry::scalar("toDateTime64")?.bind)(args, context);
    }
    plain(&datetime_type("toDateTime", args)?, &args[..1], context)
}

fn to_string(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    if args.len() > 1 && !args[0].ty.is_date_or_time() {
        let message = "An incorrect number of arguments was specified for function 'toString'. \
                       Expected 1 argument, got 2 arguments";
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    let from = in_zone(&args[0].ty, zone_argument("toString", args.get(1))?);
    let to = DataType::String;
    Ok(bound(
        to.clone(),
        super::bool_words::bind(&from, &to, Session::of(context), Mode::Wrap, context)?,
    ))
}

fn to_fixed_string(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let from = &args[0].ty;
    if !from.is_string() {
        return Err(Error::new(
            codes::NOT_IMPLEMENTED,
            "toFixedString is only implemented for types String and FixedString",
        ));
    }
    if !args[1].ty.is_unsigned() {
        let message = "Second argument for function toFixedString must be unsigned integer";
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    }
    let Some(width) = &args[1].constant else {
        let message = "Second argument for function toFixedString must be a constant";
        return Err(Error::new(codes::ILLEGAL_COLUMN, message));
    };
    let to = match width.as_u64().and_then(|w| u32::try_from(w).ok()) {
        Some(width) if (1..=0xFF_FFFF).contains(&width) => DataType::FixedString(width),
        _ => {
            let message = "FixedString size must be positive and at most 16777215";
            return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
        }
    };
    Ok(bound(to.clone(), cast::bind(from, &to, Session::of(context))?))
}

fn text_only(to: &DataType, arg: &Arg, suffix: &str) -> Result<()> {
    if arg.ty.is_string() {
        return Ok(());
    }
    let message = format!(
        "Illegal type {} of first argument of function to{to}{suffix}. Conversion functions with \
         postfix 'OrZero' or 'OrNull' should take String argument",
        arg.ty
    );
    Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message))
}

/// Text as a value of the type or NULL. Times are read strictly here, where other conversions take
/// any common form.
fn text_or_null(from: &DataType, to: &DataType, session: Session) -> Result<Cast> {
    let to = to.clone();
    match to {
        DataType::DateTime(own) => {
            let zone = own.unwrap_or(session.zone);
            Ok(Arc::new(move |column| {
                let mut seconds = Vec::with_capacity(column.len());
                let known = Mask::from_fn(column.len(), |i| {
                    let text = cast::text_at(column, i);
                    let second = match read_strict_time(text, zone, 0) {
                        Some((second, None)) => Some(cast::parse::clamp_second(second)),
                        _ => None,
                    };
                    seconds.push(second.unwrap_or_default());
                    second.is_some()
                });
                Ok(Column::nullable(seconds.into(), known))
            }))
        }
        DataType::DateTime64(scale, own) => {
            let zone = own.unwrap_or(session.zone);
            Ok(Arc::new(move |column| {
                cast::bits::parsed(column, &to, Mode::OrNull, |text| {
                    strict_ticks(text, scale, zone).ok_or_else(cast::parse::not_a_date)
                })
            }))
        }
        to => cast::bind_mode(from, &to, session, Mode::OrNull),
    }
}

/// Ticks of a time in the strict form; also of a negative Unix time, and 0 of no text at all.
fn strict_ticks(text: &[u8], scale: u8, zone: TimeZone) -> Option<i128> {
    if text.is_empty() {
        return Some(0);
    }
    if let [b'-', positive @ ..] = text {
        let mut digits = positive.splitn(2, |b| *b == b'.');
        let (whole, fraction) = (digits.next()?, digits.next().unwrap_or_default());
        if whole.is_empty() || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
            return None;
        }
        let second: i64 = std::str::from_utf8(whole).ok()?.parse().ok()?;
        return ticks_of(second, fraction, scale).ok().map(|ticks| -i128::from(ticks));
    }
    let (second, fraction) = read_strict_time(text, zone, FIRST_DATE32)?;
    ticks_of(second, fraction.unwrap_or_default(), scale).ok().map(i128::from)
}

/// A Date32 or, for NULL, its first day.
fn first_day_for_null(cast: Cast) -> Cast {
    Arc::new(move |column| {
        let converted = cast(column)?.full();
        let (Some(known), Column::Int32(days)) = converted.split_nullable() else {
            return Err(Error::logical("days are no numbers"));
        };
        let day = |(i, day): (usize, &i32)| if known.get(i) { *day } else { FIRST_DATE32 };
        Ok(days.iter().enumerate().map(day).collect::<Vec<i32>>().into())
    })
}

pub(super) fn or_null(
    to: &DataType,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    text_only(to, &args[0], "OrNull")?;
    let cast = text_or_null(&args[0].ty, to, Session::of(context))?;
    Ok(bound(DataType::nullable(to.clone()), cast))
}

pub(super) fn or_zero(
    to: &DataType,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    text_only(to, &args[0], "OrZero")?;
    let cast = text_or_null(&args[0].ty, to, Session::of(context))?;
    if *to == DataType::Date32 {
        return Ok(bound(to.clone(), first_day_for_null(cast)));
    }
    // The values under NULL are the zeros asked for.
    Ok(bound(
        to.clone(),
        Arc::new(move |column| Ok(cast(column)?.full().split_nullable().1.clone())),
    ))
}

/// `toTOrDefault(x[, default])`: `default` stands at position `at`.
pub(super) fn or_default(
    to: &DataType,
    args: &[Arg],
    at: usize,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    default_bound(to, args, at, context)
}

/// What does not convert exactly becomes the default: an argument of the type, or zero.
pub fn default_bound(
    to: &DataType,
    args: &[Arg],
    at: usize,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    if let Some(default) = args.get(at).filter(|d| d.ty != *to) {
        let message = format!(
            "Default value type should be same as cast type. Expected {to}. Actual {}",
            default.ty
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    let cast = cast::bind_mode(&args[0].ty, to, Session::of(context), Mode::OrNull)?;
    let (ty, has_default) = (to.clone(), args.len() > at);
    Ok(BoundKernel::new(to.clone(), move |args, rows| {
        let converted = cast(&args[0])?.full();
        let (validity, mut values) = converted.split_nullable();
        if ty.is_nullable() {
            values = &converted;
        }
        let Some(validity) = validity.filter(|v| !v.all()) else { return Ok(values.clone()) };
        let default = match has_default {
            true => args[at].full(),
            false => Column::from_value(&ty, &ty.column_default(), rows).full(),
        };
        let both = Column::concat(&[values, &default]);
        let indices: Vec<u32> =
            (0..rows).map(|i| (if validity.get(i) { i } else { rows + i }) as u32).collect();
        Ok(both.take(&indices))
    }))
}

const TO: &str = "Converts a number, text, date or time to the type in its name. Numbers wrap \
                  around; text that is no such value is an error.";
const OR_NULL: &str = "Converts text to the type in the function's name; returns NULL if the text is not such a value.";
const OR_ZERO: &str = "Converts text to the type in the function's name; returns its zero value if the text is not such a value.";
const OR_DEFAULT: &str = "Converts a value to the type in its name, or to the given default (else \
                          its zero value) where that is not possible without loss.";

pub(super) type Examples = &'static [(&'static str, &'static str)];

pub(super) const fn to(name: &'static str, examples: Examples, bind: Bind) -> FunctionDef {
    FunctionDef {
        name,
        description: TO,
        examples,
        nulls: Nulls::PropagateStrict,
        takes_variant: true,
        arity: (1, 1),
        bind,
        ..FunctionDef::DEFAULT
    }
}

pub(super) const fn null(name: &'static str, examples: Examples, bind: Bind) -> FunctionDef {
    FunctionDef {
        description: OR_NULL,
        nulls: Nulls::Propagate,
        takes_variant: false,
        ..to(name, examples, bind)
    }
}

pub(super) const fn zero(name: &'static str, examples: Examples, bind: Bind) -> FunctionDef {
    FunctionDef {
        description: OR_ZERO,
        nulls: Nulls::Propagate,
        takes_variant: false,
        ..to(name, examples, bind)
    }
}

pub(super) const fn default(name: &'static str, examples: Examples, bind: Bind) -> FunctionDef {
    FunctionDef {
        description: OR_DEFAULT,
        nulls: Nulls::Custom,
        arity: (1, 2),
        ..to(name, examples, bind)
    }
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    to("toInt8", &[("toInt8('-12')", "-12"), ("toInt8(300)", "44")], |a, f| {
        plain(&DataType::Int8, a, f)
    }),
    to("toInt16", &[("toInt16(1.9)", "1")], |a, f| plain(&DataType::Int16, a, f)),
    to("toInt32", &[("toInt32('42')", "42")], |a, f| plain(&DataType::Int32, a, f)),
    to("toInt64", &[("toInt64('42')", "42")], |a, f| plain(&DataType::Int64, a, f)),
    to("toUInt8", &[("toUInt8(-1)", "255")], |a, f| plain(&DataType::UInt8, a, f)),
    to("toUInt16", &[("toUInt16(toDate('2020-01-01'))", "18262")], |a, f| {
        plain(&DataType::UInt16, a, f)
    }),
    to("toUInt32", &[("toUInt32('7')", "7")], |a, f| plain(&DataType::UInt32, a, f)),
    to("toUInt64", &[("toUInt64(1.5)", "1")], |a, f| plain(&DataType::UInt64, a, f)),
    to("toFloat32", &[("toFloat32('1.5')", "1.5")], |a, f| plain(&DataType::Float32, a, f)),
    to("toFloat64", &[("toFloat64('1e3')", "1000")], |a, f| plain(&DataType::Float64, a, f)),
    to("toBool", &[("toBool('yes')", "true"), ("toBool(0)", "false")], |a, f| {
        plain(&DataType::Bool, a, f)
    }),
    FunctionDef {
        arity: (1, 2),
        aliases: &["DATE", "date"],
        ..to(
            "toDate",
            &[("toDate('2020-01-02 03:04:05')", "2020-01-02"), ("toDate(18262)", "2020-01-01")],
            to_date,
        )
    },
    to("toDate32", &[("toDate32('1950-01-02')", "1950-01-02")], |a, f| {
        plain(&DataType::Date32, a, f)
    }),
    null("toDate32OrNull", &[], |a, f| or_null(&DataType::Date32, a, f)),
    zero("toDate32OrZero", &[], |a, f| or_zero(&DataType::Date32, a, f)),
    default("toDate32OrDefault", &[], |a, f| or_default(&DataType::Date32, a, 1, f)),
    to(
        "toUUID",
        &[("toUUID('61F0C4045CB311E7907BA6006AD3DBA0')", "61f0c404-5cb3-11e7-907b-a6006ad3dba0")],
        |a, f| plain(&DataType::Uuid, a, f),
    ),
    null("toUUIDOrNull", &[("toUUIDOrNull('x')", "ᴺᵁᴸᴸ")], |a, f| {
        or_null(&DataType::Uuid, a, f)
    }),
    zero("toUUIDOrZero", &[], |a, f| or_zero(&DataType::Uuid, a, f)),
    default("toUUIDOrDefault", &[], |a, f| or_default(&DataType::Uuid, a, 1, f)),
    FunctionDef {
        arity: (1, 2),
        aliases: &["toDateTime32"],
        ..to(
            "toDateTime",
            &[("toDateTime('2020-01-02 03:04:05', 'UTC')", "2020-01-02 03:04:05")],
            to_datetime,
        )
    },
    FunctionDef {
        description: "Converts a value to text; a DateTime may be followed by the time zone to \
                      show it in.",
        nulls: Nulls::Propagate,
        arity: (1, 2),
        properties: Properties::DEFAULT.injective(),
        ..to("toString", &[("toString(1.5)", "1.5"), ("toString([1, 2])", "[1,2]")], to_string)
    },
    FunctionDef {
        description: "Converts a string to a FixedString of the given length, padded with zero \
                      bytes.",
        arity: (2, 2),
        ..to("toFixedString", &[("toFixedString('ab', 2)", "ab")], to_fixed_string)
    },
    null("toInt8OrNull", &[("toInt8OrNull('x')", "ᴺᵁᴸᴸ")], |a, f| {
        or_null(&DataType::Int8, a, f)
    }),
    null("toInt16OrNull", &[], |a, f| or_null(&DataType::Int16, a, f)),
    null("toInt32OrNull", &[("toInt32OrNull('12')", "12")], |a, f| or_null(&DataType::Int32, a, f)),
    null("toInt64OrNull", &[], |a, f| or_null(&DataType::Int64, a, f)),
    null("toUInt8OrNull", &[("toUInt8OrNull('300')", "ᴺᵁᴸᴸ")], |a, f| {
        or_null(&DataType::UInt8, a, f)
    }),
    null("toUInt16OrNull", &[], |a, f| or_null(&DataType::UInt16, a, f)),
    null("toUInt32OrNull", &[], |a, f| or_null(&DataType::UInt32, a, f)),
    null("toUInt64OrNull", &[], |a, f| or_null(&DataType::UInt64, a, f)),
    null("toFloat32OrNull", &[], |a, f| or_null(&DataType::Float32, a, f)),
    null("toFloat64OrNull", &[("toFloat64OrNull('')", "ᴺᵁᴸᴸ")], |a, f| {
        or_null(&DataType::Float64, a, f)
    }),
    null("toDateOrNull", &[("toDateOrNull('x')", "ᴺᵁᴸᴸ")], |a, f| {
        or_null(&DataType::Date, a, f)
    }),
    FunctionDef {
        arity: (1, 2),
        ..null("toDateTimeOrNull", &[("toDateTimeOrNull('x')", "ᴺᵁᴸᴸ")], |a, f| {
            or_null(&datetime_type("toDateTimeOrNull", a)?, a, f)
        })
    },
    zero("toInt8OrZero", &[("toInt8OrZero('x')", "0")], |a, f| or_zero(&DataType::Int8, a, f)),
    zero("toInt16OrZero", &[], |a, f| or_zero(&DataType::Int16, a, f)),
    zero("toInt32OrZero", &[("toInt32OrZero('12')", "12")], |a, f| or_zero(&DataType::Int32, a, f)),
    zero("toInt64OrZero", &[], |a, f| or_zero(&DataType::Int64, a, f)),
    zero("toUInt8OrZero", &[], |a, f| or_zero(&DataType::UInt8, a, f)),
    zero("toUInt16OrZero", &[], |a, f| or_zero(&DataType::UInt16, a, f)),
    zero("toUInt32OrZero", &[], |a, f| or_zero(&DataType::UInt32, a, f)),
    zero("toUInt64OrZero", &[], |a, f| or_zero(&DataType::UInt64, a, f)),
    zero("toFloat32OrZero", &[], |a, f| or_zero(&DataType::Float32, a, f)),
    zero("toFloat64OrZero", &[], |a, f| or_zero(&DataType::Float64, a, f)),
    zero("toDateOrZero", &[("toDateOrZero('x')", "1970-01-01")], |a, f| {
        or_zero(&DataType::Date, a, f)
    }),
    FunctionDef {
        arity: (1, 2),
        ..zero("toDateTimeOrZero", &[], |a, f| {
            or_zero(&datetime_type("toDateTimeOrZero", a)?, a, f)
        })
    },
    default("toInt8OrDefault", &[("toInt8OrDefault('x', toInt8(7))", "7")], |a, f| {
        or_default(&DataType::Int8, a, 1, f)
    }),
    default("toInt16OrDefault", &[], |a, f| or_default(&DataType::Int16, a, 1, f)),
    default("toInt32OrDefault", &[], |a, f| or_default(&DataType::Int32, a, 1, f)),
    default("toInt64OrDefault", &[], |a, f| or_default(&DataType::Int64, a, 1, f)),
    default("toUInt8OrDefault", &[("toUInt8OrDefault(300)", "0")], |a, f| {
        or_default(&DataType::UInt8, a, 1, f)
    }),
    default("toUInt16OrDefault", &[], |a, f| or_default(&DataType::UInt16, a, 1, f)),
    default("toUInt32OrDefault", &[], |a, f| or_default(&DataType::UInt32, a, 1, f)),
    default("toUInt64OrDefault", &[], |a, f| or_default(&DataType::UInt64, a, 1, f)),
    default("toFloat32OrDefault", &[], |a, f| or_default(&DataType::Float32, a, 1, f)),
    default("toFloat64OrDefault", &[], |a, f| or_default(&DataType::Float64, a, 1, f)),
    default("toDateOrDefault", &[], |a, f| or_default(&DataType::Date, a, 1, f)),
    FunctionDef {
        arity: (1, 3),
        ..default("toDateTimeOrDefault", &[], |a, f| {
            or_default(&datetime_type("toDateTimeOrDefault", a)?, a, 2, f)
        })
    },
];
