//! Integer quotients and remainders.
//!
//! A constant divisor, the usual case, is replaced by a multiplication with its reciprocal
//! (Granlund and Montgomery 1994, "Division by invariant integers using multiplication"). If all
//! dividends of a chunk have 32 bits, the loop is made of vector instructions
//! ([`entasis_simd::divide`]). Everything else divides 64-bit integers row by row, after one look
//! at the divisors for zero.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Native};
use entasis_simd::divide;
use entasis_types::{CastTo, DataType, Physical};

use super::Op;
use super::numbers::narrow;
use entasis_function_kernel::kernel::{Number, Side, map_side, zip_sides};

#[cold]
pub(super) fn by_zero() -> Error {
    Error::new(codes::ILLEGAL_DIVISION, "Division by zero")
}

#[cold]
pub(super) fn minimum_by_minus_one() -> Error {
    let message = "Division of minimal signed number by minus one";
    Error::new(codes::ILLEGAL_DIVISION, message)
}

/// What the argument types say about an operation of integers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) op: Op,
    /// Bytes and signedness of both arguments: dividend and divisor, if the operation divides.
    pub(super) a: (usize, bool),
    pub(super) b: (usize, bool),
}

impl Rules {
    pub(super) fn new(op: Op, a: &DataType, b: &DataType) -> Self {
        let of = |t: &DataType| (t.fixed_width().unwrap_or(8), t.is_signed());
        Self { op, a: of(a), b: of(b) }
    }

    fn or_zero(self) -> bool {
        matches!(self.op, Op::IntDivOrZero | Op::ModuloOrZero)
    }

    fn both_signed(self) -> bool {
        self.a.1 && self.b.1
    }

    /// The least value of the dividend's type, as the divisor -1 must not meet it.
    fn minimum(self) -> i64 {
        least(self.a.0)
    }
}

/// The least signed number of so many bytes.
pub(super) fn least(width: usize) -> i64 {
    i64::MIN >> (64 - 8 * width)
}

/// Division of unsigned 64-bit numbers by one divisor of at least 2.
#[derive(Clone, Copy)]
struct Reciprocal {
    multiplier: u64,
    shift: u32,
    /// The true multiplier is 2^64 more.
    extra: bool,
}

impl Reciprocal {
    fn new(divisor: u64) -> Self {
        let log = divisor.ilog2();
        if divisor.is_power_of_two() {
            // x * 2^63 >> 64 halves once; the shift does the rest.
            return Self { multiplier: 1 << 63, shift: log - 1, extra: false };
        }
        let numerator = 1u128 << (64 + log);
        let (quotient, rest) =
            ((numerator / u128::from(divisor)) as u64, (numerator % u128::from(divisor)) as u64);
        if divisor - rest < 1 << log {
            return Self { multiplier: quotient + 1, shift: log, extra: false };
        }
        let twice = rest.wrapping_add(rest);
        let carry = u64::from(twice >= divisor || twice < rest);
        let multiplier = quotient.wrapping_mul(2).wrapping_add(carry).wrapping_add(1);
        Self { multiplier, shift: log, extra: true }
    }

    #[inline(always)]
    fn divide(self, x: u64) -> u64 {
        let high = ((u128::from(x) * u128::from(self.multiplier)) >> 64) as u64;
        if self.extra { (((x - high) >> 1) + high) >> self.shift } else { high >> self.shift }
    }
}

/// What to compute of a dividend and its quotient by a constant.
#[derive(Clone, Copy)]
enum Wanted {
    Quotient,
    Remainder,
}

/// Quotients or remainders of all dividends by one divisor, which is not zero, as `R`.
fn by_constant<T: Number + Into<u64>, R: Native>(
    a: &Side<T>,
    divisor: u64,
    wanted: Wanted,
    rows: usize,
) -> Column
where
    u64: CastTo<R>,
{
    let small = |a: &Side<T>| match a {
        Side::One(_) => false,
        Side::Many(values) => {
            values.iter().fold(0, |all, &v| all | v.into()) <= u64::from(u32::MAX)
        }
    };
    let narrow = u32::try_from(divisor).ok();
    match wanted {
        Wanted::Quotient if divisor.is_power_of_two() => {
            let shift = divisor.trailing_zeros();
            map_side(a, rows, move |x| (x.into() >> shift).cast_to())
        }
        Wanted::Remainder if divisor.is_power_of_two() => {
            map_side(a, rows, move |x| (x.into() & (divisor - 1)).cast_to())
        }
        wanted if let (Some(divisor), true) = (narrow, small(a)) => {
            let by = divide::Reciprocal::of(divisor);
            let low = |x: T| x.into() as u32;
            match wanted {
                Wanted::Quotient => map_side(a, rows, |x| u64::from(by.divide(low(x))).cast_to()),
                Wanted::Remainder => map_side(a, rows, |x| {
                    let x = low(x);
                    u64::from(x - by.divide(x) * divisor).cast_to()
                }),
            }
        }
        Wanted::Quotient => {
            let by = Reciprocal::new(divisor);
            map_side(a, rows, move |x| by.divide(x.into()).cast_to())
        }
        Wanted::Remainder => {
            let by = Reciprocal::new(divisor);
            map_side(a, rows, move |x| {
                let x = x.into();
                x.wrapping_sub(by.divide(x).wrapping_mul(divisor)).cast_to()
            })
        }
    }
}

/// [`by_constant`] with results in the layout `to`.
fn all_by_constant<T: Number + Into<u64>>(
    a: &Side<T>,
    divisor: u64,
    wanted: Wanted,
    to: Physical,
    rows: usize,
) -> Result<Column> {
    Ok(match to {
        Physical::UInt8 => by_constant::<T, u8>(a, divisor, wanted, rows),
        Physical::UInt16 => by_constant::<T, u16>(a, divisor, wanted, rows),
        Physical::UInt32 => by_constant::<T, u32>(a, divisor, wanted, rows),
        Physical::UInt64 => by_constant::<T, u64>(a, divisor, wanted, rows),
        _ => return Err(Error::logical("division of what is no unsigned number")),
    })
}

/// `intDiv`, `intDivOrZero` of integers. Mixed signs divide as the signed types of the operands'
/// widths, as the reference does.
pub(super) fn quotients(
    rules: Rules,
    a: &Column,
    b: &Column,
    to: Physical,
    rows: usize,
) -> Result<Column> {
    if !rules.a.1 && !rules.b.1 {
        return unsigned(rules, a, b, to, rows, true);
    }
    let a = as_signed(a, rules.a.0)?;
    let b_width = if rules.a.0 <= rules.b.0 { rules.b.0 } else { rules.a.0 };
    let b = as_signed(b, b_width)?;
    let dividend = Side::<i64>::read(&a)?;
    let divisor = Side::<i64>::read(&b)?;
    check(rules, &dividend, &divisor, true, rows)?;
    let wide = match divisor {
        Side::One(divisor) if divisor > 1 => {
            let by = Reciprocal::new(divisor as u64);
            map_side(&dividend, rows, move |x: i64| {
                let quotient = by.divide(x.unsigned_abs()) as i64;
                if x < 0 { -quotient } else { quotient }
            })
        }
        divisor => {
            let minimum = rules.minimum();
            zip_sides(&dividend, &divisor, rows, |x: i64, y: i64| {
                if y == 0 || (y == -1 && x == minimum) { 0 } else { x.wrapping_div(y) }
            })
        }
    };
    narrow(&wide, to)
}

/// Integers cut to the signed type of a width.
fn as_signed(column: &Column, width: usize) -> Result<Column> {
    let to = match width {
        1 => Physical::Int8,
        2 => Physical::Int16,
        4 => Physical::Int32,
        _ => Physical::Int64,
    };
    narrow(column, to)
}

/// Fails for zero divisors and, where both sides count as `signed`, for the least dividend by -1,
/// unless `OrZero`.
fn check(rules: Rules, a: &Side<i64>, b: &Side<i64>, signed: bool, rows: usize) -> Result<()> {
    if rules.or_zero() || rows == 0 {
        return Ok(());
    }
    if b.any(|y| y == 0) {
        return Err(by_zero());
    }
    if signed && b.any(|y| y == -1) {
        let minimum = rules.minimum();
        if (0..rows).any(|i| b.get(i) == -1 && a.get(i) == minimum) {
            return Err(minimum_by_minus_one());
        }
    }
    Ok(())
}

/// `positiveModulo` adds the divisor's magnitude to a negative remainder: the least number of a
/// type has none.
fn check_magnitudes(rules: Rules, a: &Side<i64>, b: &Side<i64>, rows: usize) -> Result<()> {
    let minimum = least(rules.b.0);
    let bad = |i: usize| b.get(i) == minimum && a.get(i) < 0 && a.get(i) % minimum != 0;
    if b.any(|y| y == minimum) && (0..rows).any(bad) {
        let message = "Cannot compute positive modulo: division result is minimal signed number";
        return Err(Error::new(codes::ILLEGAL_DIVISION, message));
    }
    Ok(())
}

/// Quotients or remainders of unsigned integers.
fn unsigned(
    rules: Rules,
    a: &Column,
    b: &Column,
    to: Physical,
    rows: usize,
    quotient: bool,
) -> Result<Column> {
    let divisor = Side::<u64>::read(b)?;
    if !rules.or_zero() && rows > 0 && divisor.any(|y| y == 0) {
        return Err(by_zero());
    }
    match divisor {
        Side::One(y) if y > 0 => {
            let wanted = if quotient { Wanted::Quotient } else { Wanted::Remainder };
            match rules.a.0 {
                8 => all_by_constant(&Side::<u64>::read(a)?, y, wanted, to, rows),
                _ => all_by_constant(&Side::<u32>::read(a)?, y, wanted, to, rows),
            }
        }
        divisor => {
            let a = Side::<u64>::read(a)?;
            let wide = if quotient {
                zip_sides(&a, &divisor, rows, |x: u64, y: u64| x.checked_div(y).unwrap_or(0))
            } else {
                zip_sides(&a, &divisor, rows, |x: u64, y: u64| x.checked_rem(y).unwrap_or(0))
            };
            narrow(&wide, to)
        }
    }
}

/// `modulo`, `moduloOrZero`, `positiveModulo` of integers: exact, with the sign of the dividend.
pub(super) fn remainders(
    rules: Rules,
    a: &Column,
    b: &Column,
    to: Physical,
    rows: usize,
) -> Result<Column> {
    if !rules.a.1 && !rules.b.1 {
        return unsigned(rules, a, b, to, rows, false);
    }
    let divisor = Side::<i64>::read(b)?;
    check(rules, &Side::<i64>::read(a)?, &divisor, rules.both_signed(), rows)?;
    let positive = rules.op == Op::PositiveModulo;
    if positive && rules.both_signed() {
        check_magnitudes(rules, &Side::<i64>::read(a)?, &divisor, rows)?;
    }
    // Magnitudes: of an unsigned side the value, of a signed side the absolute value.
    let magnitude = |x: u64, signed: bool| {
        if signed { (x as i64).unsigned_abs() } else { x }
    };
    let (a_signed, b_signed) = (rules.a.1, rules.b.1);
    let finish = move |x: u64, rest: u64, y: u64| {
        let negative = a_signed && (x as i64) < 0;
        match (negative, positive) {
            (true, true) if rest != 0 => y - rest,
            (true, false) => rest.wrapping_neg(),
            _ => rest,
        }
    };
    // Reading as i64 first extends the sign; the bits then travel as u64.
    let bits = |column: &Column, signed: bool| -> Result<Side<u64>> {
        Ok(match (Side::<i64>::read(column)?, signed) {
            (_, false) => Side::<u64>::read(column)?,
            (Side::One(v), true) => Side::One(v as u64),
            (Side::Many(v), true) => Side::Many(v.iter().map(|&v| v as u64).collect()),
        })
    };
    if let (true, false, Side::One(y)) = (a_signed, positive, bits(b, b_signed)?) {
        let y = magnitude(y, b_signed);
        if y > 1 {
            let by = Reciprocal::new(y);
            let wide = map_side(&Side::<i64>::read(a)?, rows, |x: i64| {
                let m = x.unsigned_abs();
                let rest = (m - by.divide(m) * y) as i64;
                if x < 0 { rest.wrapping_neg() } else { rest }
            });
            return narrow(&wide, to);
        }
    }
    let dividend = bits(a, a_signed)?;
    let wide = match bits(b, b_signed)? {
        Side::One(y) if magnitude(y, b_signed) > 1 => {
            let y = magnitude(y, b_signed);
            let by = Reciprocal::new(y);
            map_side(&dividend, rows, |x: u64| {
                let m = magnitude(x, a_signed);
                finish(x, m - by.divide(m) * y, y)
            })
        }
        divisor => zip_sides(&dividend, &divisor, rows, |x: u64, y: u64| {
            let y = magnitude(y, b_signed);
            let m = magnitude(x, a_signed);
            finish(x, m.checked_rem(y).unwrap_or(0), y)
        }),
    };
    narrow(&wide, to)
}

/// `intDiv` where a side is a float: truncated, within the result type's limits.
pub(super) fn quotients_of_floats(
    op: Op,
    a: &Column,
    b: &Column,
    to: Physical,
    rows: usize,
) -> Result<Column> {
    let (x, y) = (Side::<f64>::read(a)?, Side::<f64>::read(b)?);
    let limit = match to {
        Physical::Int8 => 128.0,
        Physical::Int16 => 32_768.0,
        Physical::Int32 => 2_147_483_648.0,
        _ => 9_223_372_036_854_775_808.0,
    };
    let one = |i: usize| -> Result<i64> {
        let (x, y) = (x.get(i), y.get(i));
        let quotient = x / y;
        let fits = quotient.is_finite() && quotient >= -limit && quotient < limit;
        if fits {
            return Ok(quotient as i64);
        }
        if op == Op::IntDivOrZero && y == 0.0 {
            return Ok(0);
        }
        Err(if y == 0.0 {
            by_zero()
        } else {
            let message = "Cannot perform integer division on infinite or too large numbers";
            Error::new(codes::ILLEGAL_DIVISION, message)
        })
    };
    let values: Vec<i64> = (0..rows).map(one).collect::<Result<_>>()?;
    narrow(&<i64 as Native>::column(values.into()), to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_base::clock::Rng;
    use entasis_function_kernel::kernel::Number;

    #[test]
    fn reciprocals_divide_as_division_does() {
        let mut rng = Rng::new(3);
        for _ in 0..20_000 {
            let divisor = (rng.next_u64() >> rng.below(63)).max(2);
            let by = Reciprocal::new(divisor);
            for x in [rng.next_u64() >> rng.below(64), 0, u64::MAX, divisor, divisor - 1] {
                assert_eq!(by.divide(x), x / divisor, "{x} / {divisor}");
            }
        }
    }

    #[test]
    fn small_and_large_dividends_by_constants() {
        let mut rng = Rng::new(4);
        for round in 0..20_000 {
            let divisor = match round % 3 {
                0 => 1 << rng.below(40),
                1 => rng.below(1 << 32) + 1,
                _ => (rng.next_u64() >> rng.below(63)).max(1),
            };
            // Chunks of small numbers, and one that is not.
            let top = if round % 5 == 0 { u64::MAX } else { u64::from(u32::MAX) };
            let values = [rng.next_u64() & 0xFFFF_FFFF, top, 0, 1, divisor.min(top), 12_345];
            let below = divisor.saturating_sub(1).min(top);
            let values: Vec<u64> = values.into_iter().chain([below]).collect();
            let side = Side::Many(values.clone().into());
            let run = |wanted| by_constant::<u64, u64>(&side, divisor, wanted, values.len());
            let (quotients, rests) = (run(Wanted::Quotient), run(Wanted::Remainder));
            for (i, x) in values.iter().enumerate() {
                assert_eq!(quotients.value(i).as_u64(), Some(x / divisor), "{x} / {divisor}");
                assert_eq!(rests.value(i).as_u64(), Some(x % divisor), "{x} % {divisor}");
            }
        }
    }

    #[test]
    fn columns_divide_as_constants_do() {
        let a = Column::from(vec![-7i32, 7, 0, i32::MIN, i32::MAX]);
        let rules = Rules::new(Op::Modulo, &DataType::Int32, &DataType::Int32);
        for divisor in [-7i32, -2, 1, 2, 3, 1000] {
            let constant = entasis_function_kernel::kernel::constant(divisor, 5);
            let full = Column::from(vec![divisor; 5]);
            for kernel in [quotients, remainders] {
                let x = kernel(rules, &a, &constant, Physical::Int32, 5).unwrap().full();
                let y = kernel(rules, &a, &full, Physical::Int32, 5).unwrap().full();
                assert_eq!(i32::read(&x).unwrap()[..], i32::read(&y).unwrap()[..], "{divisor}");
            }
            let rest = remainders(rules, &a, &full, Physical::Int32, 5).unwrap();
            let naive: Vec<i32> =
                i32::read(&a).unwrap().iter().map(|x| x.wrapping_rem(divisor)).collect();
            assert_eq!(i32::read(&rest).unwrap()[..], naive[..]);
        }
    }
}
