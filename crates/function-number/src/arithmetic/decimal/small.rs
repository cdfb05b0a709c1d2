//! Sums, differences, products and quotients of decimals of at most 128 bits, in the width of the
//! result.
//!
//! Whether a number fits is asked once for a column: each step of the loop collects whether it
//! wrapped, and does not branch.

use entasis_base::Result;
use entasis_column::{Column, Native as _};
use entasis_types::{DataType, Physical};

use super::super::Op;
use entasis_function_kernel::kernel::{Number, Side};

/// Whole numbers that say of a result whether it has wrapped.
trait Whole: Number {
    fn of(value: i128) -> Option<Self>;
    fn sum(self, other: Self) -> (Self, bool);
    fn difference(self, other: Self) -> (Self, bool);
    fn product(self, other: Self) -> (Self, bool);
    /// `None` for a division by 0, and for one whose result does not fit.
    fn quotient(self, other: Self) -> Option<Self>;
}

macro_rules! whole {
    ($($ty:ty),*) => {$(
        impl Whole for $ty {
            fn of(value: i128) -> Option<Self> {
                Self::try_from(value).ok()
            }
            #[inline(always)]
            fn sum(self, other: Self) -> (Self, bool) {
                self.overflowing_add(other)
            }
            #[inline(always)]
            fn difference(self, other: Self) -> (Self, bool) {
                self.overflowing_sub(other)
            }
            #[inline(always)]
            fn product(self, other: Self) -> (Self, bool) {
                self.overflowing_mul(other)
            }
            #[inline(always)]
            fn quotient(self, other: Self) -> Option<Self> {
                self.checked_div(other)
            }
        }
    )*};
}

whole!(i64, i128);

/// An operator over numbers that are no wider than the result, which has at most 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Small {
    op: Op,
    /// What each side is multiplied by first.
    scales: (i128, i128),
    result: Physical,
}

impl Small {
    /// `None` for operators, arguments and results that it does not cover.
    pub(super) fn new(
        op: Op,
        args: (&DataType, &DataType),
        scales: (i128, i128),
        result: Physical,
    ) -> Option<Self> {
        let covered = matches!(op, Op::Plus | Op::Minus | Op::Multiply | Op::Divide);
        let wide = match result {
            Physical::Int32 | Physical::Int64 => false,
            Physical::Int128 => true,
            _ => return None,
        };
        let fits = |ty: &DataType| {
            use Physical::{Int8, Int16, Int32, Int64, Int128, UInt8, UInt16, UInt32, UInt64};
            match ty.physical() {
                UInt8 | UInt16 | UInt32 | Int8 | Int16 | Int32 | Int64 => true,
                UInt64 | Int128 => wide,
                _ => false,
            }
        };
        (covered && fits(args.0) && fits(args.1)).then_some(Self { op, scales, result })
    }

    /// The result of at least one row; `None` if a number on the way does not fit, or a result in
    /// its type, or if a divisor is 0.
    pub(super) fn run(self, args: &[Column]) -> Result<Option<Column>> {
        if self.result == Physical::Int128 {
            let values = self.values::<i128>(args)?;
            return Ok(values.map(|values| i128::column(values.into())));
        }
        let Some(values) = self.values::<i64>(args)? else { return Ok(None) };
        if self.result == Physical::Int64 {
            return Ok(Some(i64::column(values.into())));
        }
        let wide = values.iter().fold(false, |wide, &v| wide | (v != i64::from(v as i32)));
        Ok((!wide).then(|| i32::column(values.iter().map(|&v| v as i32).collect())))
    }

    fn values<T: Whole>(self, args: &[Column]) -> Result<Option<Vec<T>>> {
        let (x, y) = (Side::<T>::read(&args[0])?, Side::<T>::read(&args[1])?);
        let (Some(left), Some(right)) = (T::of(self.scales.0), T::of(self.scales.1)) else {
            return Ok(None);
        };
        Ok(match self.op {
            Op::Plus if self.scales == (1, 1) => each(&x, &y, T::sum),
            Op::Minus if self.scales == (1, 1) => each(&x, &y, T::difference),
            Op::Multiply => each(&x, &y, T::product),
            Op::Plus => each(&x, &y, move |x, y| {
                let ((x, a), (y, b)) = (x.product(left), y.product(right));
                let (sum, c) = x.sum(y);
                (sum, a | b | c)
            }),
            Op::Minus => each(&x, &y, move |x, y| {
                let ((x, a), (y, b)) = (x.product(left), y.product(right));
                let (difference, c) = x.difference(y);
                (difference, a | b | c)
            }),
            _ => each(&x, &y, move |x, y| {
                let (x, wrapped) = x.product(left);
                match x.quotient(y) {
                    Some(quotient) => (quotient, wrapped),
                    None => (T::default(), true),
                }
            }),
        })
    }
}

/// `f` of every pair, one value if both sides are constants; `None` if `f` says of any pair that
/// its result does not fit.
fn each<T: Whole>(x: &Side<T>, y: &Side<T>, f: impl Fn(T, T) -> (T, bool)) -> Option<Vec<T>> {
    let mut failed = false;
    let mut one = |x: T, y: T| {
        let (value, wrapped) = f(x, y);
        failed |= wrapped;
        value
    };
    let values: Vec<T> = match (x, y) {
        (&Side::One(x), &Side::One(y)) => vec![one(x, y)],
        (Side::Many(x), &Side::One(y)) => x.iter().map(|&x| one(x, y)).collect(),
        (&Side::One(x), Side::Many(y)) => y.iter().map(|&y| one(x, y)).collect(),
        (Side::Many(x), Side::Many(y)) => {
            x.iter().zip(y.iter()).map(|(&x, &y)| one(x, y)).collect()
        }
    };
    (!failed).then_some(values)
}
