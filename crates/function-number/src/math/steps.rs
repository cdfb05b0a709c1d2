//! Rounding to fixed steps: powers of two, durations, ages; and small integer functions.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Native, match_number};
use entasis_types::DataType;

use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::kernel::{Side, constant, illegal_type, map, map_side};

trait PowerOfTwo: Native {
    /// The greatest power of two not above the value; 0 where there is none.
    fn power(self) -> Self;
}

macro_rules! powers {
    ($($ty:ty),*) => {$(
        impl PowerOfTwo for $ty {
            fn power(self) -> Self {
                #[allow(unused_comparisons, clippy::absurd_extreme_comparisons)]
                if self <= 0 { 0 } else { 1 << self.ilog2() }
            }
        }
    )*};
}

powers!(u8, u16, u32, u64, i8, i16, i32, i64);

impl PowerOfTwo for f32 {
    fn power(self) -> Self {
        Self::from_bits(self.to_bits() & 0xff80_0000)
    }
}

impl PowerOfTwo for f64 {
    fn power(self) -> Self {
        Self::from_bits(self.to_bits() & 0xfff0_0000_0000_0000)
    }
}

fn number(name: &str, args: &[Arg]) -> Result<()> {
    if args[0].ty.is_native_number() { Ok(()) } else { Err(illegal_type(name, &args[0].ty)) }
}

fn all_powers<T: PowerOfTwo>(values: &[T]) -> Column {
    T::column(values.iter().map(|v| v.power()).collect())
}

fn round_to_exp2(args: &[Arg]) -> Result<BoundKernel> {
    if args[0].ty.is_wide_integer() {
        return Err(Error::not_implemented("roundToExp2 of integers of 128 and 256 bits"));
    }
    number("roundToExp2", args)?;
    let ty = if args[0].ty == DataType::Bool { DataType::UInt8 } else { args[0].ty.clone() };
    Ok(BoundKernel::new(ty, |args, _| {
        let column = args[0].full();
        match_number!(&column, values => Ok(all_powers(values)),
            _ => Err(Error::logical("rounding of what is no number")))
    }))
}

/// The types of answers.
trait Narrow: Native {
    /// The answer, which fits.
    fn of(answer: u16) -> Self;
}

impl Narrow for u16 {
    fn of(answer: u16) -> Self {
        answer
    }
}

impl Narrow for u8 {
    fn of(answer: u16) -> Self {
        answer as Self
    }
}

/// The last of the ascending steps that is not above the value, 0 below the first.
///
/// There are few steps, so that adding up what those that are not above add is faster than a
/// search: it has no branches, and many values are compared at once.
fn stepped<T: Narrow, const N: usize>(
    name: &str,
    ty: DataType,
    args: &[Arg],
    steps: [(u16, u16); N],
) -> Result<BoundKernel> {
    // What the answer grows by at each step.
    let mut before = 0;
    let grows = steps.map(|(from, answer)| (from, answer - std::mem::replace(&mut before, answer)));
    if !args[0].ty.is_any_number() {
        return Err(illegal_type(name, &args[0].ty));
    }
    Ok(BoundKernel::new(ty, move |args, rows| {
        let answer = |x: u16| -> u16 {
            grows.iter().map(|(from, by)| if *from <= x { *by } else { 0 }).sum()
        };
        // No step is beyond what 16 bits hold, and none is below 1. NaN is above all, as in the
        // reference.
        let short_of = |x: f64| if x < 65_536.0 { x as u16 } else { u16::MAX };
        Ok(match Side::<f64>::read(&args[0])? {
            Side::One(x) => constant(T::of(answer(short_of(x))), rows),
            Side::Many(values) => {
                let mut out = Vec::with_capacity(rows);
                for part in values.chunks(256) {
                    let mut short = [0; 256];
                    short.iter_mut().zip(part).for_each(|(short, x)| *short = short_of(*x));
                    out.extend(short[..part.len()].iter().map(|x| T::of(answer(*x))));
                }
                T::column(out.into())
            }
        })
    }))
}

trait IsFloat {
    fn ty_is_float(&self) -> bool;
}

impl IsFloat for Column {
    fn ty_is_float(&self) -> bool {
        use entasis_types::Physical::{Float32, Float64};
        matches!(self.physical(), Float32 | Float64)
    }
}

const DURATIONS: [(u16, u16); 15] = [
    (1, 1),
    (10, 10),
    (30, 30),
    (60, 60),
    (120, 120),
    (180, 180),
    (240, 240),
    (300, 300),
    (600, 600),
    (1200, 1200),
    (1800, 1800),
    (3600, 3600),
    (7200, 7200),
    (18000, 18000),
    (36000, 36000),
];
const AGES: [(u16, u16); 6] = [(1, 17), (18, 18), (25, 25), (35, 35), (45, 45), (55, 55)];

fn int_power(name: &str, base: u64, args: &[Arg]) -> Result<BoundKernel> {
    number(name, args)?;
    Ok(BoundKernel::new(DataType::UInt64, move |args, rows| {
        map(&args[0], rows, move |v: f64| match v {
            v if v.is_nan() || v < 0.0 => 0u64,
            v => base.checked_pow(v.min(1000.0) as u32).unwrap_or(u64::MAX),
        })
    }))
}

fn factorial(args: &[Arg]) -> Result<BoundKernel> {
    if !args[0].ty.is_native_integer() {
        return Err(illegal_type("factorial", &args[0].ty));
    }
    Ok(BoundKernel::new(DataType::UInt64, |args, rows| {
        let side = Side::<i64>::read(&args[0])?;
        if rows > 0 && side.any(|v| v > 20) {
            let message = "The maximum value for the input argument of function factorial is 20";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        Ok(map_side(&side, rows, |v: i64| (1..=v.max(0) as u64).product::<u64>()))
    }))
}

fn sign(args: &[Arg]) -> Result<BoundKernel> {
    if args[0].ty.is_decimal() {
        let run = |args: &[Column], rows: usize| map(&args[0], rows, |v: i128| v.signum() as i8);
        return Ok(BoundKernel::new(DataType::Int8, run));
    }
    if args[0].ty.is_wide_integer() {
        // Far from zero or not, the nearest float has the sign.
        let sign = |v: f64| if v == 0.0 { 0 } else { v.signum() as i8 };
        return Ok(BoundKernel::new(DataType::Int8, move |args, rows| map(&args[0], rows, sign)));
    }
    number("sign", args)?;
    Ok(BoundKernel::new(DataType::Int8, |args, rows| {
        if args[0].ty_is_float() {
            return map(&args[0], rows, |v: f64| {
                if v == 0.0 {
                    0i8
                } else if v < 0.0 {
                    -1
                } else {
                    1
                }
            });
        }
        match args[0].physical() {
            entasis_types::Physical::UInt64 => map(&args[0], rows, |v: u64| i8::from(v != 0)),
            _ => map(&args[0], rows, |v: i64| v.signum() as i8),
        }
    }))
}

const ONE: FunctionDef = FunctionDef { arity: (1, 1), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "roundToExp2",
        description: "Rounds down to a power of two.",
        examples: &[("roundToExp2(5)", "4")],
        bind: |args, _| round_to_exp2(args),
        ..ONE
    },
    FunctionDef {
        name: "roundDuration",
        description: "Rounds a duration in seconds down to 1, 10, 30, 60, ... 36000.",
        examples: &[("roundDuration(179)", "120")],
        bind: |args, _| stepped::<u16, _>("roundDuration", DataType::UInt16, args, DURATIONS),
        ..ONE
    },
    FunctionDef {
        name: "roundAge",
        description: "Rounds an age down to 18, 25, 35, 45 or 55; younger ages become 17, and 0 \
                      stays 0.",
        examples: &[("roundAge(20)", "18")],
        bind: |args, _| stepped::<u8, _>("roundAge", DataType::UInt8, args, AGES),
        ..ONE
    },
    FunctionDef {
        name: "intExp2",
        description: "A power of two as UInt64.",
        examples: &[("intExp2(10)", "1024")],
        bind: |args, _| int_power("intExp2", 2, args),
        ..ONE
    },
    FunctionDef {
        name: "intExp10",
        description: "A power of ten as UInt64.",
        examples: &[("intExp10(3)", "1000")],
        bind: |args, _| int_power("intExp10", 10, args),
        ..ONE
    },
    FunctionDef {
        name: "factorial",
        case_insensitive: true,
        description: "The factorial of an integer up to 20.",
        examples: &[("factorial(5)", "120")],
        bind: |args, _| factorial(args),
        ..ONE
    },
    FunctionDef {
        name: "sign",
        case_insensitive: true,
        description: "The sign of a number: -1, 0 or 1.",
        examples: &[("sign(-5)", "-1")],
        bind: |args, _| sign(args),
        ..ONE
    },
];
