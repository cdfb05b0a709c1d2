//! Sums, differences, products and quotients of decimals in 64 bits.
//!
//! Whether a number fits is asked once for a column: each step of the loop collects whether it
//! wrapped, and does not branch.

use entasis_base::Result;
use entasis_column::{Column, Native as _};
use entasis_types::{DataType, Physical};

use super::super::Op;
use entasis_function_kernel::kernel::Side;

/// An operator over numbers of at most 64 bits with a result of at most 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Small {
    op: Op,
    /// What each side is multiplied by first.
    scales: (i64, i64),
    narrow: bool,
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
        let fits = |ty: &DataType| {
            use Physical::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32};
            matches!(ty.physical(), UInt8 | UInt16 | UInt32 | Int8 | Int16 | Int32 | Int64)
        };
        let narrow = match result {
            Physical::Int32 => true,
            Physical::Int64 => false,
            _ => return None,
        };
        if !covered || !fits(args.0) || !fits(args.1) {
            return None;
        }
        let scales = (i64::try_from(scales.0).ok()?, i64::try_from(scales.1).ok()?);
        Some(Self { op, scales, narrow })
    }

    /// The result of at least one row; `None` if a number on the way does not fit in 64 bits or a
    /// result in its type, or if a divisor is 0.
    pub(super) fn run(self, args: &[Column]) -> Result<Option<Column>> {
        let (x, y) = (Side::<i64>::read(&args[0])?, Side::<i64>::read(&args[1])?);
        let (left, right) = self.scales;
        let scaled = |v: i64, by: i64| v.overflowing_mul(by);
        let values = match self.op {
            Op::Plus if self.scales == (1, 1) => each(&x, &y, i64::overflowing_add),
            Op::Minus if self.scales == (1, 1) => each(&x, &y, i64::overflowing_sub),
            Op::Multiply => each(&x, &y, i64::overflowing_mul),
            Op::Plus => each(&x, &y, move |x, y| {
                let ((x, a), (y, b)) = (scaled(x, left), scaled(y, right));
                let (sum, c) = x.overflowing_add(y);
                (sum, a | b | c)
            }),
            Op::Minus => each(&x, &y, move |x, y| {
                let ((x, a), (y, b)) = (scaled(x, left), scaled(y, right));
                let (difference, c) = x.overflowing_sub(y);
                (difference, a | b | c)
            }),
            _ => each(&x, &y, move |x, y| {
                let (x, wrapped) = scaled(x, left);
                match x.checked_div(y) {
                    Some(quotient) => (quotient, wrapped),
                    None => (0, true),
                }
            }),
        };
        Ok(values.and_then(|values| self.column(values)))
    }

    /// The values in the layout of the result; `None` if one does not fit.
    fn column(self, values: Vec<i64>) -> Option<Column> {
        if !self.narrow {
            return Some(i64::column(values.into()));
        }
        let wide = values.iter().fold(false, |wide, &v| wide | (v != i64::from(v as i32)));
        (!wide).then(|| i32::column(values.iter().map(|&v| v as i32).collect()))
    }
}

/// `f` of every pair, one value if both sides are constants; `None` if `f` says of any pair that
/// its result does not fit.
fn each(x: &Side<i64>, y: &Side<i64>, f: impl Fn(i64, i64) -> (i64, bool)) -> Option<Vec<i64>> {
    let mut failed = false;
    let mut one = |x: i64, y: i64| {
        let (value, wrapped) = f(x, y);
        failed |= wrapped;
        value
    };
    let values: Vec<i64> = match (x, y) {
        (&Side::One(x), &Side::One(y)) => vec![one(x, y)],
        (Side::Many(x), &Side::One(y)) => x.iter().map(|&x| one(x, y)).collect(),
        (&Side::One(x), Side::Many(y)) => y.iter().map(|&y| one(x, y)).collect(),
        (Side::Many(x), Side::Many(y)) => {
            x.iter().zip(y.iter()).map(|(&x, &y)| one(x, y)).collect()
        }
    };
    (!failed).then_some(values)
}
