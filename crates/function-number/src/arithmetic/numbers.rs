//! Arithmetic of two numbers: result types and loops.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{DataType, Physical, i256, u256};

use super::{Op, divide, wide};
use entasis_function::BoundKernel;
use entasis_function_kernel::kernel::{Number, Side, illegal_types, zip};

fn bytes(ty: &DataType) -> usize {
    ty.fixed_width().unwrap_or(8)
}

/// The integer type of a width in bytes.
pub(super) fn integer(signed: bool, bytes: usize) -> DataType {
    match (signed, bytes) {
        (false, 1) => DataType::UInt8,
        (false, 2) => DataType::UInt16,
        (false, 4) => DataType::UInt32,
        (false, 8) => DataType::UInt64,
        (false, 16) => DataType::UInt128,
        (false, _) => DataType::UInt256,
        (true, 1) => DataType::Int8,
        (true, 2) => DataType::Int16,
        (true, 4) => DataType::Int32,
        (true, 8) => DataType::Int64,
        (true, 16) => DataType::Int128,
        (true, _) => DataType::Int256,
    }
}

/// Twice as many bytes as far as 8; beyond 8 as many.
fn widened(bytes: usize) -> usize {
    if bytes < 8 { bytes * 2 } else { bytes }
}

/// The type of `a op b`, both numbers.
pub(super) fn result_type(op: Op, a: &DataType, b: &DataType) -> Result<DataType> {
    let float = a.is_float() || b.is_float();
    let signed = a.is_signed() || b.is_signed();
    let wider = widened(bytes(a).max(bytes(b)));
    let wide = a.is_wide_integer() || b.is_wide_integer();
    Ok(match op {
        Op::Divide => DataType::Float64,
        Op::Gcd | Op::Lcm if float => return Err(illegal_types(op.name(), a, b)),
        Op::IntDiv | Op::IntDivOrZero => integer(signed || float, bytes(a)),
        Op::Plus | Op::Minus | Op::Multiply if float && wide => {
            return Err(illegal_types(op.name(), a, b));
        }
        _ if float => DataType::Float64,
        Op::Plus | Op::Multiply | Op::Gcd | Op::Lcm => integer(signed, wider),
        Op::Minus => integer(true, wider),
        Op::Modulo | Op::ModuloOrZero if a.is_signed() => integer(true, widened(bytes(b))),
        Op::Modulo | Op::ModuloOrZero | Op::PositiveModulo => integer(false, bytes(b)),
    })
}

/// Integers that wrap and floats that do not, under one name.
trait Wrapping: Number {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

macro_rules! wrapping_integers {
    ($($ty:ty),*) => {$(
        impl Wrapping for $ty {
            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
        }
    )*};
}

wrapping_integers!(u16, u32, u64, u128, u256, i16, i32, i64, i128, i256);

impl Wrapping for f64 {
    #[inline]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    #[inline]
    fn times(self, other: Self) -> Self {
        self * other
    }
}

fn combine<T: Wrapping>(op: Op, a: &Column, b: &Column, rows: usize) -> Result<Column> {
    match op {
        Op::Plus => zip(a, b, rows, T::plus),
        Op::Minus => zip(a, b, rows, T::minus),
        _ => zip(a, b, rows, T::times),
    }
}

/// Binds an operator to two number types.
pub(super) fn bind(op: Op, a: &DataType, b: &DataType) -> Result<BoundKernel> {
    let result = result_type(op, a, b)?;
    let to = result.physical();
    let float = a.is_float() || b.is_float();
    Ok(match op {
        Op::Plus | Op::Minus | Op::Multiply => BoundKernel::new(result, move |args, rows| {
            let (a, b) = (&args[0], &args[1]);
            match to {
                Physical::UInt16 => combine::<u16>(op, a, b, rows),
                Physical::UInt32 => combine::<u32>(op, a, b, rows),
                Physical::UInt64 => combine::<u64>(op, a, b, rows),
                Physical::Int16 => combine::<i16>(op, a, b, rows),
                Physical::Int32 => combine::<i32>(op, a, b, rows),
                Physical::Int64 => combine::<i64>(op, a, b, rows),
                Physical::UInt128 => combine::<u128>(op, a, b, rows),
                Physical::UInt256 => combine::<u256>(op, a, b, rows),
                Physical::Int128 => combine::<i128>(op, a, b, rows),
                Physical::Int256 => combine::<i256>(op, a, b, rows),
                _ => combine::<f64>(op, a, b, rows),
            }
        }),
        Op::Divide => BoundKernel::new(result, |args, rows| {
            zip(&args[0], &args[1], rows, |a: f64, b: f64| a / b)
        }),
        Op::IntDiv | Op::IntDivOrZero if float && a.is_wide_integer() => {
            BoundKernel::new(result, move |args, rows| {
                wide::quotients_of_floats(op, &args[0], &args[1], to, rows)
            })
        }
        Op::IntDiv | Op::IntDivOrZero if float => BoundKernel::new(result, move |args, rows| {
            divide::quotients_of_floats(op, &args[0], &args[1], to, rows)
        }),
        _ if !float && (a.is_wide_integer() || b.is_wide_integer()) => {
            let rules = divide::Rules::new(op, a, b);
            BoundKernel::new(result, move |args, rows| rules.run_wide(&args[0], &args[1], to, rows))
        }
        Op::IntDiv | Op::IntDivOrZero => {
            let rules = divide::Rules::new(op, a, b);
            BoundKernel::new(result, move |args, rows| {
                divide::quotients(rules, &args[0], &args[1], to, rows)
            })
        }
        Op::Modulo | Op::ModuloOrZero | Op::PositiveModulo if float => {
            BoundKernel::new(result, move |args, rows| {
                zip(&args[0], &args[1], rows, move |a: f64, b: f64| match op {
                    Op::PositiveModulo if rest(a, b) < 0.0 => rest(a, b) + b.abs(),
                    _ => rest(a, b),
                })
            })
        }
        Op::Modulo | Op::ModuloOrZero | Op::PositiveModulo => {
            let rules = divide::Rules::new(op, a, b);
            BoundKernel::new(result, move |args, rows| {
                divide::remainders(rules, &args[0], &args[1], to, rows)
            })
        }
        Op::Gcd | Op::Lcm => {
            let (a, b, result) = (a.clone(), b.clone(), result);
            BoundKernel::new(result.clone(), move |args, rows| {
                divisors(op, (&a, &b), &args[0], &args[1], &result, rows)
            })
        }
    })
}

/// The remainder as the reference rounds it, which is not `fmod`.
#[inline]
fn rest(a: f64, b: f64) -> f64 {
    a - (a / b).trunc() * b
}

/// Sum or difference of intervals of one unit.
pub(super) fn bind_intervals(op: Op, ty: DataType) -> Result<BoundKernel> {
    Ok(BoundKernel::new(ty, move |args, rows| combine::<i64>(op, &args[0], &args[1], rows)))
}

fn divisors(
    op: Op,
    args: (&DataType, &DataType),
    a: &Column,
    b: &Column,
    result: &DataType,
    rows: usize,
) -> Result<Column> {
    let to = result.physical();
    let wide = if result.is_signed() {
        let (x, y) = (Side::<i64>::read(a)?, Side::<i64>::read(b)?);
        let one = |i| signed_divisor(op, args, result, x.get(i), y.get(i));
        Column::from((0..rows).map(one).collect::<Result<Vec<i64>>>()?)
    } else {
        let (x, y) = (Side::<u64>::read(a)?, Side::<u64>::read(b)?);
        let one = |i| one_divisor(op, x.get(i), y.get(i));
        Column::from((0..rows).map(one).collect::<Result<Vec<u64>>>()?)
    };
    narrow(&wide, to)
}

/// Of two numbers of which one is signed. The least number of a type by -1 is refused as a
/// division, the limits of 64 bits as an overflow, since the reference does so.
fn signed_divisor(
    op: Op,
    (a, b): (&DataType, &DataType),
    result: &DataType,
    x: i64,
    y: i64,
) -> Result<i64> {
    if x == 0 || y == 0 {
        return Err(divide::by_zero());
    }
    let least_of = |ty: &DataType, v: i64| v == divide::least(bytes(ty));
    if a.is_signed()
        && b.is_signed()
        && ((least_of(a, x) && y == -1) || (least_of(b, y) && x == -1))
    {
        return Err(divide::minimum_by_minus_one());
    }
    let is_limit = |v: i64| v == i64::MIN || v == i64::MAX;
    if bytes(result) == 8 && (is_limit(x) || is_limit(y)) {
        let message = format!(
            "Overflow in {}: an argument is at the limits of signed numbers of 64 bits",
            op.name()
        );
        return Err(Error::new(codes::DECIMAL_OVERFLOW, message));
    }
    one_divisor(op, x.unsigned_abs(), y.unsigned_abs()).map(|v| v as i64)
}

fn one_divisor(op: Op, x: u64, y: u64) -> Result<u64> {
    if x == 0 || y == 0 {
        return Err(divide::by_zero());
    }
    let (mut a, mut b) = (x, y);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    Ok(if op == Op::Gcd { a } else { (x / a).wrapping_mul(y) })
}

/// A column of 64-bit results in the result's layout.
pub(super) fn narrow(wide: &Column, to: Physical) -> Result<Column> {
    if let Column::Const(c) = wide {
        return Ok(Column::constant(narrow(&c.value, to)?, c.len));
    }
    entasis_column::match_physical!(to, T => {
        T::read(wide).map(<T as entasis_column::Native>::column)
            .ok_or_else(|| Error::logical("arithmetic on what is no number"))
    }, _ => Err(Error::logical("arithmetic on what is no number")))
}
