//! Arithmetic with decimals: in 64 bits where all numbers fit, else in 128 bits, then converted to
//! the width of the result, which must hold it.

mod small;

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::common::full_precision;
use entasis_types::text_type::{overflow, power_of_ten};
use entasis_types::{DataType, Physical, i256, u256};

use self::small::Small;
use super::{Op, numbers};
use entasis_function::cast::{self, Session, convert};
use entasis_function::{BoundKernel, FunctionContext};
use entasis_function_kernel::kernel::{Number, Side, illegal_types};

/// Scale of a decimal, 0 of an integer; `None` for others.
fn scale_of(ty: &DataType) -> Option<u8> {
    match ty {
        DataType::Decimal(_, scale) => Some(*scale),
        ty if ty.is_any_integer() || *ty == DataType::Bool => Some(0),
        _ => None,
    }
}

/// Precision of the result: that of the only decimal, or the greatest that the wider of two
/// decimals has room for.
fn precision(a: &DataType, b: &DataType) -> u8 {
    match (a, b) {
        (DataType::Decimal(x, _), DataType::Decimal(y, _)) => full_precision((*x).max(*y)),
        (DataType::Decimal(x, _), _) | (_, DataType::Decimal(x, _)) => *x,
        _ => 38,
    }
}

#[cold]
fn scale_error(message: &str) -> Error {
    Error::new(codes::ARGUMENT_OUT_OF_BOUND, message)
}

/// What each side is multiplied by first, and the result's scale.
fn scales(op: Op, a: u8, b: u8, both: bool) -> Result<(u8, u8, u8)> {
    Ok(match op {
        Op::Multiply => (0, 0, a + b),
        Op::Divide | Op::IntDiv | Op::IntDivOrZero | Op::Modulo | Op::ModuloOrZero
            if both && a < b =>
        {
            return Err(scale_error("Decimal result's scale is less than argument's one"));
        }
        // The reference takes the remainder of the units, whatever the scales.
        Op::Modulo | Op::ModuloOrZero => (0, 0, if both { a } else { a.max(b) }),
        // An integer takes the divisor's scale; then the quotient of the two has none.
        Op::Divide => {
            let result = if both { a } else { a.max(b) };
            (b + result - a, 0, result)
        }
        Op::IntDiv | Op::IntDivOrZero => (b.saturating_sub(a), a.saturating_sub(b), 0),
        _ => {
            let result = a.max(b);
            (result - a, result - b, result)
        }
    })
}

fn combine(op: Op, x: i128, y: i128) -> Option<i128> {
    match op {
        Op::Plus => x.checked_add(y),
        Op::Minus => x.checked_sub(y),
        Op::Multiply => x.checked_mul(y),
        Op::IntDivOrZero | Op::ModuloOrZero if y == 0 => Some(0),
        Op::Divide | Op::IntDiv | Op::IntDivOrZero => x.checked_div(y),
        _ => x.checked_rem(y),
    }
}

/// Whole numbers, which must fit in 128 bits.
fn units(column: &Column) -> Result<Side<i128>> {
    let wide =
        matches!(column.physical(), Physical::UInt128 | Physical::UInt256 | Physical::Int256);
    if wide {
        let fits = |v: i256| i128::try_from(v).is_ok();
        if column.physical() == Physical::UInt256
            && Side::<u256>::read(column)?.any(|v| v > u256::from(u128::MAX))
            || Side::<i256>::read(column)?.any(|v| !fits(v))
        {
            return Err(overflow());
        }
    }
    Side::read(column)
}

/// Binds an operator of which at least one side is a Decimal.
pub(super) fn bind(
    op: Op,
    a: &DataType,
    b: &DataType,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    if a.is_float() || b.is_float() {
        return as_floats(op, a, b, context);
    }
    let (Some(x), Some(y)) = (scale_of(a), scale_of(b)) else {
        return Err(illegal_types(op.name(), a, b));
    };
    if matches!(op, Op::Gcd | Op::Lcm | Op::PositiveModulo) {
        return Err(illegal_types(op.name(), a, b));
    }
    let (left, right, scale) = scales(op, x, y, a.is_decimal() && b.is_decimal())?;
    let precision = precision(a, b);
    if scale > precision {
        return Err(scale_error("Decimal result's scale is bigger than its precision"));
    }
    let result = match (op, precision) {
        (Op::IntDiv | Op::IntDivOrZero, ..=9) => DataType::Int32,
        (Op::IntDiv | Op::IntDivOrZero, _) => DataType::Int64,
        _ => DataType::Decimal(precision, scale),
    };
    let (left, right) = (power_of_ten(left), power_of_ten(right));
    let physical = result.physical();
    let checks = context.setting("decimal_check_overflow").and_then(|v| v.as_u64()) != Some(0);
    let small = checks.then(|| Small::new(op, (a, b), (left, right), physical)).flatten();
    let wide = Wide { op, scales: (left, right), physical, checks };
    let bound = BoundKernel::new(result, move |args, rows| {
        let constant = args.iter().all(Column::is_const);
        let column = match small.map(|small| small.run(args)).transpose()?.flatten() {
            Some(column) => column,
            None => {
                let values = wide.run(args, if constant { 1 } else { rows })?;
                convert(&values.into(), physical, true)?
            }
        };
        Ok(if constant { Column::constant(column, rows) } else { column })
    });
    Ok(if op == Op::Divide { bound.strict() } else { bound })
}

/// An operator in 128 bits.
#[derive(Clone, Copy)]
struct Wide {
    op: Op,
    /// What each side is multiplied by first.
    scales: (i128, i128),
    physical: Physical,
    checks: bool,
}

impl Wide {
    /// The results, of which each fits in the layout of the result.
    fn run(self, args: &[Column], rows: usize) -> Result<Vec<i128>> {
        let Self { op, scales: (left, right), physical, checks } = self;
        let divides = matches!(op, Op::Divide | Op::IntDiv | Op::Modulo);
        let (x, y) = (units(&args[0])?, units(&args[1])?);
        let one = |i: usize| -> Result<i128> {
            let (x, y) = match checks {
                true => (x.get(i).checked_mul(left), y.get(i).checked_mul(right)),
                false => {
                    let scaled = |v: i128, by: i128| Some(wrapped(v.wrapping_mul(by), physical));
                    (scaled(x.get(i), left), scaled(y.get(i), right))
                }
            };
            if divides && y == Some(0) {
                return Err(Error::new(codes::ILLEGAL_DIVISION, "Division by zero"));
            }
            if let (false, Some(x), Some(y)) = (checks, x, y) {
                return Ok(wrapped(wrapping(op, x, y), physical));
            }
            let value = x.zip(y).and_then(|(x, y)| combine(op, x, y));
            value.filter(|v| fits(*v, physical)).ok_or_else(overflow)
        };
        (0..rows).map(one).collect()
    }
}

/// [`combine`] that wraps (`decimal_check_overflow = 0`). The divisor of a quotient is not 0.
fn wrapping(op: Op, x: i128, y: i128) -> i128 {
    match op {
        Op::Plus => x.wrapping_add(y),
        Op::Minus => x.wrapping_sub(y),
        Op::Multiply => x.wrapping_mul(y),
        _ if y == 0 => 0,
        Op::Divide | Op::IntDiv | Op::IntDivOrZero => x.wrapping_div(y),
        _ => x.wrapping_rem(y),
    }
}

/// The lowest bits of a value, as many as a number of the layout has.
fn wrapped(value: i128, physical: Physical) -> i128 {
    match physical {
        Physical::Int32 => i128::from(value as i32),
        Physical::Int64 => i128::from(value as i64),
        _ => value,
    }
}

fn fits(value: i128, physical: Physical) -> bool {
    match physical {
        Physical::Int32 => i32::try_from(value).is_ok(),
        Physical::Int64 => i64::try_from(value).is_ok(),
        _ => true,
    }
}

fn as_floats(
    op: Op,
    a: &DataType,
    b: &DataType,
    context: &dyn FunctionContext,
) -> Result<BoundKernel> {
    let float = DataType::Float64;
    let session = Session::of(context);
    let (x, y) = (cast::bind(a, &float, session)?, cast::bind(b, &float, session)?);
    let inner = numbers::bind(op, &float, &float)?;
    let entasis_function::Run::Columns(run) = inner.run else {
        return Err(Error::logical("arithmetic takes no lambda"));
    };
    Ok(BoundKernel::new(inner.return_type, move |args, rows| {
        run(&[x(&args[0])?, y(&args[1])?], rows)
    }))
}

/// A function of the bits of a Decimal that keeps its type.
pub(super) fn unary(ty: &DataType, f: fn(i128) -> i128) -> BoundKernel {
    let physical = ty.physical();
    BoundKernel::new(ty.clone(), move |args, _| {
        let values = i128::read(&args[0].full()).ok_or_else(|| Error::logical("no decimal"))?;
        convert(&values.iter().map(|&v| f(v)).collect::<Vec<_>>().into(), physical, true)
    })
}

#[cfg(test)]
mod tests;
