//! Fractions of a second: toMillisecond, toStartOfMillisecond and the like.

use entasis_base::{Error, Result, codes};
use entasis_column::{Buffer, Native};
use entasis_types::DataType;
use entasis_types::text_type::power_of_ten;

use super::calendar::Moment;
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::{Number, map};
use entasis_function_kernel::ticks::rescale;

/// The fraction in units of that many decimals.
fn fraction(
    name: &str,
    scale: u8,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let moment = Moment::of_time(name, args, 1, context)?;
    let ty = if scale == 3 { DataType::UInt16 } else { DataType::UInt32 };
    let wide = power_of_ten(scale);
    let of = move |tick: i64| {
        (i128::from(tick.rem_euclid(moment.unit)) * wide / i128::from(moment.unit)) as u32
    };
    let short = scale == 3;
    Ok(BoundKernel::new(ty, move |args, rows| {
        if short { map(&args[0], rows, |t| of(t) as u16) } else { map(&args[0], rows, of) }
    }))
}

/// Times cut down to `count` units of that many decimals; the result has those decimals.
pub fn starts(
    name: &str,
    moment: Moment,
    ty: &DataType,
    scale: u8,
    count: i64,
) -> Result<BoundKernel> {
    let DataType::DateTime64(own, _) = *ty else {
        let message = format!("Illegal type {ty} of argument for function {name}");
        return Err(Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message));
    };
    let result = DataType::DateTime64(scale, moment.own);
    Ok(BoundKernel::new(result, move |args, _| {
        let ticks = i64::read(&args[0].full()).ok_or_else(|| Error::logical("no ticks"))?;
        Ok(i64::column(cut(ticks, own, scale, count)))
    }))
}

/// Ticks of `own` decimals as multiples of `count` ticks of `scale` decimals.
fn cut(ticks: Buffer<i64>, own: u8, scale: u8, count: i64) -> Buffer<i64> {
    let multiple = |tick: i64| tick.div_euclid(count).wrapping_mul(count);
    if own > scale {
        let unit = power_of_ten(own - scale) as i64;
        return ticks.iter().map(|&t| multiple(t.div_euclid(unit))).collect();
    }
    if own == scale {
        return if count == 1 { ticks } else { ticks.iter().map(|&t| multiple(t)).collect() };
    }
    let factor = power_of_ten(scale - own) as i64;
    let most = i64::MAX / factor;
    if ticks.iter().fold(true, |fits, &t| fits & (-most <= t) & (t <= most)) {
        return ticks.iter().map(|&t| multiple(t * factor)).collect();
    }
    let step = i128::from(count);
    let start = |&t: &i64| {
        let ticks = rescale(t.into(), own, scale).unwrap_or_default();
        ticks.div_euclid(step).wrapping_mul(step) as i64
    };
    ticks.iter().map(start).collect()
}

fn start(
    name: &str,
    scale: u8,
    args: &[Arg],
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let moment = Moment::of(name, args, 1, context)?;
    let DataType::DateTime64(own, _) = args[0].ty else {
        return starts(name, moment, &args[0].ty, scale, 1);
    };
    // Never fewer decimals than the argument has.
    let finest = own.max(scale);
    starts(name, moment, &args[0].ty, finest, power_of_ten(finest - scale) as i64)
}

macro_rules! entries {
    ($(($fraction:literal, $start:literal, $scale:literal)),*) => {
        &[$(
            FunctionDef {
                name: $fraction,
                description: "The fraction of the second, in the unit that the name states.",
                arity: (1, 2),
                bind: |args, context| fraction($fraction, $scale, args, context),
                ..FunctionDef::DEFAULT
            },
            FunctionDef {
                name: $start,
                description: "A DateTime64 rounded down to the unit that the name states.",
                arity: (1, 2),
                bind: |args, context| start($start, $scale, args, context),
                ..FunctionDef::DEFAULT
            },
        )*
        FunctionDef {
            name: "toStartOfSecond",
            description: "A DateTime64 without its fraction of a second.",
            arity: (1, 2),
            bind: |args, context| start("toStartOfSecond", 0, args, context),
            ..FunctionDef::DEFAULT
        }]
    };
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = entries![
    ("toMillisecond", "toStartOfMillisecond", 3),
    ("toMicrosecond", "toStartOfMicrosecond", 6),
    ("toNanosecond", "toStartOfNanosecond", 9)
];
