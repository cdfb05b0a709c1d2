//! Quotients, remainders and divisors of integers if one of them has 128 or 256 bits.
//!
//! Both sides are converted to one width, 128 or 256 bits, and split into sign and magnitude, so
//! that there is one loop per width and not one per pair of types.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::{CastTo, Physical, i256, u256};

use super::Op;
use super::divide::{Rules, by_zero, minimum_by_minus_one};
use super::numbers::{integer, narrow};
use entasis_function_kernel::kernel::{Number, Side};

/// An unsigned integer that holds the magnitudes of a width.
trait Magnitude: Number + Ord {
    /// The signed integer of the same width.
    type Signed: Number + CastTo<Self>;
    fn negated(self) -> Self;
    fn quotient(self, by: Self) -> Self;
    fn rest(self, by: Self) -> Self;
    fn product(self, by: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn one() -> Self;
    /// The magnitude of the least signed number of so many bits.
    fn least(bits: u32) -> Self;
}

macro_rules! magnitude {
    ($($ty:ty, $signed:ty, $one:expr);*) => {$(
        impl Magnitude for $ty {
            type Signed = $signed;
            fn negated(self) -> Self {
                self.wrapping_neg()
            }
            fn quotient(self, by: Self) -> Self {
                self / by
            }
            fn rest(self, by: Self) -> Self {
                self % by
            }
            fn product(self, by: Self) -> Self {
                self.wrapping_mul(by)
            }
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn one() -> Self {
                $one
            }
            fn least(bits: u32) -> Self {
                $one << (bits - 1)
            }
        }
    )*};
}

magnitude!(u128, i128, 1u128; u256, i256, u256::ONE);

/// One argument as signs and magnitudes.
enum Parts<T: Magnitude> {
    Signed(Side<T::Signed>),
    Unsigned(Side<T>),
}

impl<T: Magnitude> Parts<T> {
    fn read(column: &Column, signed: bool) -> Result<Self> {
        Ok(match signed {
            true => Self::Signed(Side::read(column)?),
            false => Self::Unsigned(Side::read(column)?),
        })
    }

    /// Whether the value of row `i` is below zero, and its magnitude.
    fn get(&self, i: usize) -> (bool, T) {
        match self {
            Self::Unsigned(side) => (false, side.get(i)),
            Self::Signed(side) => {
                let value = side.get(i);
                let negative = value < T::Signed::default();
                let bits: T = value.cast_to();
                (negative, if negative { bits.negated() } else { bits })
            }
        }
    }
}

/// The operations of wide integers.
impl Rules {
    /// `a op b` in the layout `to`.
    pub(super) fn run_wide(
        self,
        a: &Column,
        b: &Column,
        to: Physical,
        rows: usize,
    ) -> Result<Column> {
        let constant = a.is_const() && b.is_const();
        let count = if constant { 1 } else { rows };
        let values = match self.a.0.max(self.b.0) {
            16 => self.run_magnitudes::<u128>(a, b, count)?,
            _ => self.run_magnitudes::<u256>(a, b, count)?,
        };
        let values = narrow(&values, to)?;
        Ok(if constant { Column::constant(values, rows) } else { values })
    }

    fn run_magnitudes<T: Magnitude>(self, a: &Column, b: &Column, rows: usize) -> Result<Column> {
        let divides = matches!(self.op, Op::IntDiv | Op::IntDivOrZero);
        let (mut signed_a, mut signed_b) = (self.a.1, self.b.1);
        let (mut a, mut b) = (a.clone(), b.clone());
        if divides && (signed_a || signed_b) {
            // Mixed signs divide as the signed types of the widths, as the reference does.
            a = narrow(&a, integer(true, self.a.0).physical())?;
            b = narrow(&b, integer(true, self.a.0.max(self.b.0)).physical())?;
            (signed_a, signed_b) = (true, true);
        }
        let (a, b) = (Parts::<T>::read(&a, signed_a)?, Parts::<T>::read(&b, signed_b)?);
        let one = |i: usize| self.wide_one(a.get(i), b.get(i));
        Ok(T::column((0..rows).map(one).collect::<Result<Vec<T>>>()?.into()))
    }

    /// The bits of one result.
    fn wide_one<T: Magnitude>(self, (minus, x): (bool, T), (by_minus, y): (bool, T)) -> Result<T> {
        if self.op == Op::Gcd || self.op == Op::Lcm {
            return self.wide_divisor(x, y);
        }
        let or_zero = matches!(self.op, Op::IntDivOrZero | Op::ModuloOrZero);
        if y.is_zero() {
            return if or_zero { Ok(T::default()) } else { Err(by_zero()) };
        }
        let least = T::least(self.a.0 as u32 * 8);
        if self.a.1 && self.b.1 && minus && by_minus && x == least && y == T::one() {
            return if or_zero { Ok(T::default()) } else { Err(minimum_by_minus_one()) };
        }
        Ok(match self.op {
            Op::IntDiv | Op::IntDivOrZero => {
                let quotient = x.quotient(y);
                if minus == by_minus { quotient } else { quotient.negated() }
            }
            Op::PositiveModulo if minus => {
                let rest = x.rest(y);
                if rest.is_zero() { rest } else { y.minus(rest) }
            }
            _ => {
                let rest = x.rest(y);
                if minus { rest.negated() } else { rest }
            }
        })
    }

    fn wide_divisor<T: Magnitude>(self, x: T, y: T) -> Result<T> {
        if x.is_zero() || y.is_zero() {
            return Err(by_zero());
        }
        // The limits of a signed result are refused as arguments, since the reference does so.
        let least = T::least(size_of::<T>() as u32 * 8);
        let is_limit = |v: T| v == least || v == least.minus(T::one());
        if (self.a.1 || self.b.1) && (is_limit(x) || is_limit(y)) {
            let message = format!(
                "Overflow in {}: an argument is at the limits of signed numbers of the result's \
                 width",
                self.op.name()
            );
            return Err(Error::new(codes::DECIMAL_OVERFLOW, message));
        }
        let (mut a, mut b) = (x, y);
        while !b.is_zero() {
            (a, b) = (b, a.rest(b));
        }
        Ok(if self.op == Op::Gcd { a } else { x.quotient(a).product(y) })
    }
}

/// `intDiv` of a number by another of which one is a float and the first has 128 or 256 bits.
pub(super) fn quotients_of_floats(
    op: Op,
    a: &Column,
    b: &Column,
    to: Physical,
    rows: usize,
) -> Result<Column> {
    let (x, y) = (Side::<f64>::read(a)?, Side::<f64>::read(b)?);
    let limit = if to == Physical::Int128 { 2f64.powi(127) } else { 2f64.powi(255) };
    let one = |i: usize| -> Result<i256> {
        let (x, y) = (x.get(i), y.get(i));
        let quotient = x / y;
        match (quotient >= -limit && quotient < limit, y == 0.0) {
            (true, _) => Ok(quotient.cast_to()),
            (false, true) if op == Op::IntDivOrZero => Ok(i256::ZERO),
            (false, true) => Err(by_zero()),
            (false, false) => {
                let message = "Cannot perform integer division on infinite or too large numbers";
                Err(Error::new(codes::ILLEGAL_DIVISION, message))
            }
        }
    };
    let values = (0..rows).map(one).collect::<Result<Vec<i256>>>()?;
    narrow(&values.into(), to)
}

#[cfg(test)]
mod tests;
