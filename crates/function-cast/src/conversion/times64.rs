//! DateTime64: `toDateTime64`, `now64`, Unix times in ticks, best-effort reading.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::name::check_scale;
use entasis_types::text_type::{overflow, power_of_ten, ticks_of};
use entasis_types::{DataType, Value};

use super::by_name::{default, default_bound, null, or_null, or_zero, plain, to, zero};
use crate::cast::best_effort::{self, Order};
use crate::cast::bits::parsed;
use crate::cast::{Mode, Session};
use entasis_function::{Arg, BoundKernel, Determinism, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::arguments::zone_argument;
use entasis_function_kernel::kernel::{Number, illegal_type};
use entasis_function_kernel::ticks::rescale;

/// A scale argument; 3 where there is none.
fn scale(function: &str, arg: Option<&Arg>) -> Result<u8> {
    let Some(arg) = arg else { return Ok(3) };
    match arg.constant.as_ref().and_then(Value::as_u64) {
        Some(scale) => check_scale(scale),
        None => {
            let message = format!("Scale argument of function {function} must be constant");
            Err(Error::new(codes::ILLEGAL_COLUMN, message))
        }
    }
}

/// DateTime64 of the scale and zone in the arguments from `at` on; a zone of the first is kept.
fn target(function: &str, args: &[Arg], at: usize) -> Result<DataType> {
    let zone = zone_argument(function, args.get(at + 1))?;
    let zone = zone.or_else(|| args.first().and_then(|a| a.ty.own_zone()));
    Ok(DataType::DateTime64(scale(function, args.get(at))?, zone))
}

fn now64(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let scale = scale("now64", args.first())?;
    let ty = DataType::DateTime64(scale, zone_argument("now64", args.get(1))?);
    let nanoseconds = context.now().as_nanos() as i128;
    let ticks = rescale(nanoseconds, 9, scale).unwrap_or_default() as i64;
    Ok(BoundKernel::new(ty, move |_, rows| Ok(Column::constant(vec![ticks].into(), rows))))
}

/// Ticks of one scale as ticks of another.
fn rescaled(column: &Column, from: u8, to: u8) -> Result<Column> {
    let values = i64::read(&column.full()).ok_or_else(|| Error::logical("not a number"))?;
    let unit = power_of_ten(from.saturating_sub(to));
    let ticks = values.iter().map(|&v| {
        let ticks =
            if to < from { Some(i128::from(v) / unit) } else { rescale(v.into(), from, to) };
        ticks.and_then(|t| i64::try_from(t).ok()).ok_or_else(overflow)
    });
    Ok(ticks.collect::<Result<Vec<i64>>>()?.into())
}

fn to_unix(name: &str, wanted: u8, args: &[Arg]) -> Result<BoundKernel> {
    let DataType::DateTime64(scale, _) = args[0].ty else {
        let message = format!("The first argument for function {name} must be DateTime64");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    };
    Ok(BoundKernel::new(DataType::Int64, move |args, _| rescaled(&args[0], scale, wanted)))
}

fn from_unix(name: &str, scale: u8, args: &[Arg]) -> Result<BoundKernel> {
    if !args[0].ty.is_native_integer() {
        let message = format!("The first argument for function {name} must be an integer");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    }
    let ty = DataType::DateTime64(scale, zone_argument(name, args.get(1))?);
    Ok(BoundKernel::new(ty, move |args, _| rescaled(&args[0], scale, scale)))
}

fn best_effort(
    name: &str,
    mode: Mode,
    zeros: bool,
    args: &[Arg],
    f: &dyn FunctionContext,
) -> Result<BoundKernel> {
    if !args[0].ty.is_string() {
        return Err(illegal_type(name, &args[0].ty));
    }
    let ty = target(name, args, 1)?;
    let session = Session::of(f);
    let (scale, zone) = (scale(name, args.get(1))?, ty.own_zone().unwrap_or(session.zone));
    let to = ty.clone();
    let result = if mode == Mode::OrNull && !zeros { DataType::nullable(ty) } else { ty };
    Ok(BoundKernel::new(result, move |args, _| {
        let column = parsed(&args[0].full(), &to, mode, |text| {
            let (second, fraction) = best_effort::read_parts(text, zone, session, Order::DayFirst)?;
            ticks_of(second, fraction, scale).map(i128::from)
        })?;
        Ok(if zeros { column.split_nullable().1.clone() } else { column })
    }))
}

macro_rules! unix {
    ($to:literal, $from:literal, $scale:literal) => {
        [
            FunctionDef {
                name: $to,
                description: "The Unix timestamp of a DateTime64, in the unit that the name \
                              states.",
                arity: (1, 1),
                bind: |args, _| to_unix($to, $scale, args),
                ..FunctionDef::DEFAULT
            },
            FunctionDef {
                name: $from,
                description: "The DateTime64 of a Unix timestamp in the unit that the name states.",
                arity: (1, 2),
                bind: |args, _| from_unix($from, $scale, args),
                ..FunctionDef::DEFAULT
            },
        ]
    };
}

const SECOND: [FunctionDef; 2] = unix!("toUnixTimestamp64Second", "fromUnixTimestamp64Second", 0);
const MILLI: [FunctionDef; 2] = unix!("toUnixTimestamp64Milli", "fromUnixTimestamp64Milli", 3);
const MICRO: [FunctionDef; 2] = unix!("toUnixTimestamp64Micro", "fromUnixTimestamp64Micro", 6);
const NANO: [FunctionDef; 2] = unix!("toUnixTimestamp64Nano", "fromUnixTimestamp64Nano", 9);

const EFFORT: FunctionDef = FunctionDef {
    description: "Reads a point in time in any common form, with its fraction of a second.",
    nulls: Nulls::PropagateStrict,
    arity: (1, 3),
    ..FunctionDef::DEFAULT
};

const fn all() -> [FunctionDef; 16] {
    let ([a, b], [c, d], [e, f], [g, h]) = (SECOND, MILLI, MICRO, NANO);
    [
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        h,
        FunctionDef {
            arity: (2, 3),
            ..to(
                "toDateTime64",
                &[("toDateTime64('2020-01-02 03:04:05.678', 2, 'UTC')", "2020-01-02 03:04:05.67")],
                |a, f| plain(&target("toDateTime64", a, 1)?, &a[..1], f),
            )
        },
        FunctionDef {
            arity: (2, 3),
            ..null("toDateTime64OrNull", &[], |a, f| {
                or_null(&target("toDateTime64OrNull", a, 1)?, a, f)
            })
        },
        FunctionDef {
            arity: (2, 3),
            ..zero("toDateTime64OrZero", &[], |a, f| {
                or_zero(&target("toDateTime64OrZero", a, 1)?, a, f)
            })
        },
        FunctionDef {
            arity: (2, 4),
            ..default("toDateTime64OrDefault", &[], |a, f| {
                default_bound(&target("toDateTime64OrDefault", a, 1)?, a, 3, f)
            })
        },
        FunctionDef {
            name: "now64",
            aliases: &["nowInBlock64"],
            description: "The time at which the query started, with the given number of decimals \
                          of a second (3).",
            determinism: Determinism::PerQuery,
            arity: (0, 2),
            bind: now64,
            ..FunctionDef::DEFAULT
        },
        FunctionDef {
            name: "parseDateTime64BestEffort",
            examples: &[(
                "parseDateTime64BestEffort('2020-01-01T00:00:00.5Z', 1, 'UTC')",
                "2020-01-01 00:00:00.5",
            )],
            bind: |a, f| best_effort("parseDateTime64BestEffort", Mode::Wrap, false, a, f),
            ..EFFORT
        },
        FunctionDef {
            name: "parseDateTime64BestEffortOrNull",
            bind: |a, f| best_effort("parseDateTime64BestEffortOrNull", Mode::OrNull, false, a, f),
            ..EFFORT
        },
        FunctionDef {
            name: "parseDateTime64BestEffortOrZero",
            bind: |a, f| best_effort("parseDateTime64BestEffortOrZero", Mode::OrNull, true, a, f),
            ..EFFORT
        },
    ]
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &all();
