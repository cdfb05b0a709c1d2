//! Numbers against numbers, exactly: a signed, an unsigned and a float side compare by value and
//! not by a rounded common type.
//!
//! A constant is first reduced to the column's own type (`UInt8 column > 2.5` becomes `> 2`), so
//! that the usual predicate is one loop over the column as it lies.

use std::cmp::Ordering;

use entasis_base::{Error, Result};
use entasis_column::{Column, Mask, Native, match_native};
use entasis_simd::compare::{CompareOp, mask_compare, mask_compare_columns};
use entasis_types::Physical;

use entasis_function_common::kernel::{Number, mask_with};

/// A number of any kind, exactly.
#[derive(Clone, Copy, Debug)]
pub enum Exact {
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
}

impl Exact {
    /// Row `i` of a full numeric column.
    pub fn at(column: &Column, i: usize) -> Option<Self> {
        Some(match column {
            Column::Float32(v) => Self::Float(v[i].into()),
            Column::Float64(v) => Self::Float(v[i]),
            other => match_native!(other, v => Self::Int(v[i] as i128), _ => return None),
        })
    }

    fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(&b)),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(&b),
            (Self::Int(a), Self::Float(b)) => int_with_float(a, b),
            (Self::Float(a), Self::Int(b)) => int_with_float(b, a).map(Ordering::reverse),
        }
    }
}

fn int_with_float(a: i128, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    // Saturates far outside every 64-bit integer, which keeps the order.
    let whole = b.floor() as i128;
    Some(a.cmp(&whole).then(if b > b.floor() { Ordering::Less } else { Ordering::Equal }))
}

/// Whether an ordering (`None`: unordered, NaN) satisfies the operator.
pub fn holds(op: CompareOp, ordering: Option<Ordering>) -> bool {
    match op {
        CompareOp::Eq => ordering == Some(Ordering::Equal),
        CompareOp::Ne => ordering != Some(Ordering::Equal),
        CompareOp::Lt => ordering == Some(Ordering::Less),
        CompareOp::Le => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
        CompareOp::Gt => ordering == Some(Ordering::Greater),
        CompareOp::Ge => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
    }
}

/// A comparison with a constant, in the column's own type.
enum Reduced<T> {
    /// Every row that is not NaN answers the same.
    All(bool),
    Compare(CompareOp, T),
}

/// Types a constant can be reduced to.
trait Reduce: Number {
    fn reduce(op: CompareOp, constant: Exact) -> Reduced<Self>;
}

macro_rules! reduce_integers {
    ($($ty:ty),*) => {$(
        impl Reduce for $ty {
            fn reduce(op: CompareOp, constant: Exact) -> Reduced<Self> {
                let (op, whole) = match constant {
                    Exact::Int(v) => (op, v),
                    Exact::Float(v) if v.is_nan() => return Reduced::All(op == CompareOp::Ne),
                    Exact::Float(v) if v == v.floor() => (op, v as i128),
                    Exact::Float(v) => match op {
                        CompareOp::Eq => return Reduced::All(false),
                        CompareOp::Ne => return Reduced::All(true),
                        CompareOp::Lt | CompareOp::Le => (CompareOp::Le, v.floor() as i128),
                        CompareOp::Gt | CompareOp::Ge => (CompareOp::Gt, v.floor() as i128),
                    },
                };
                match Self::try_from(whole) {
                    Ok(v) => Reduced::Compare(op, v),
                    // Every value of the type lies on one side of the constant.
                    Err(_) => Reduced::All(holds(op, Some(0.cmp(&whole)))),
                }
            }
        }
    )*};
}

reduce_integers!(u8, u16, u32, u64, i8, i16, i32, i64, i128);

macro_rules! reduce_floats {
    ($($ty:ty),*) => {$(
        impl Reduce for $ty {
            fn reduce(op: CompareOp, constant: Exact) -> Reduced<Self> {
                let rounded = match constant {
                    Exact::Int(v) => v as $ty,
                    Exact::Float(v) => v as $ty,
                };
                // No value of the type lies strictly between the constant and its rounding.
                match (Exact::Float(f64::from(rounded)).compare(constant), op) {
                    (None | Some(Ordering::Equal), op) => Reduced::Compare(op, rounded),
                    (_, CompareOp::Eq) => Reduced::All(false),
                    (_, CompareOp::Ne) => Reduced::All(true),
                    (Some(Ordering::Greater), CompareOp::Lt | CompareOp::Le) => {
                        Reduced::Compare(CompareOp::Lt, rounded)
                    }
                    (Some(Ordering::Greater), _) => Reduced::Compare(CompareOp::Ge, rounded),
                    (_, CompareOp::Lt | CompareOp::Le) => Reduced::Compare(CompareOp::Le, rounded),
                    (_, _) => Reduced::Compare(CompareOp::Gt, rounded),
                }
            }
        }
    )*};
}

reduce_floats!(f32, f64);

/// Compares two numeric columns, full or Const, of any two layouts.
pub fn compare(op: CompareOp, a: &Column, b: &Column, rows: usize) -> Result<Mask> {
    match (a.as_const(), b.as_const()) {
        (Some(x), Some(y)) => {
            let (x, y) = (exact(x)?, exact(y)?);
            Ok(Mask::constant(holds(op, x.compare(y)), rows))
        }
        (None, Some(y)) => with_constant(op, a, exact(y)?),
        (Some(x), None) => with_constant(op.swapped(), b, exact(x)?),
        (None, None) => columns(op, a, b, rows),
    }
}

fn exact(column: &Column) -> Result<Exact> {
    Exact::at(column, 0).ok_or_else(|| Error::logical("comparison of what is no number"))
}

fn with_constant(op: CompareOp, column: &Column, constant: Exact) -> Result<Mask> {
    match_native!(column, values => Ok(reduced(op, values, constant)),
        _ => Err(Error::logical("comparison of what is no number")))
}

fn reduced<T: Reduce>(op: CompareOp, values: &[T], constant: Exact) -> Mask {
    match T::reduce(op, constant) {
        Reduced::All(answer) => Mask::constant(answer, values.len()),
        Reduced::Compare(op, v) => {
            mask_with(values.len(), |words| mask_compare(op, values, v, words))
        }
    }
}

/// The native type in which two layouts compare exactly.
fn common(a: Physical, b: Physical) -> Option<Physical> {
    use Physical::*;
    let bits = |p| match p {
        UInt8 | Int8 => 8,
        UInt16 | Int16 => 16,
        UInt32 | Int32 | Float32 => 32,
        _ => 64,
    };
    let signed = |p| matches!(p, Int8 | Int16 | Int32 | Int64);
    let float = |p| matches!(p, Float32 | Float64);
    if a == b {
        return Some(a);
    }
    if float(a) || float(b) {
        let integer = if float(a) { b } else { a };
        return (float(integer) || bits(integer) < 64).then_some(Float64);
    }
    let any_signed = signed(a) || signed(b);
    let needed = |p| bits(p) + u32::from(any_signed && !signed(p));
    Some(match (any_signed, needed(a).max(needed(b))) {
        (false, 0..=16) => UInt16,
        (false, 17..=32) => UInt32,
        (false, _) => UInt64,
        (true, 0..=16) => Int16,
        (true, 17..=32) => Int32,
        (true, 33..=64) => Int64,
        (true, _) => return None,
    })
}

fn columns(op: CompareOp, a: &Column, b: &Column, rows: usize) -> Result<Mask> {
    let Some(common) = common(a.physical(), b.physical()) else {
        let at = |c: &Column, i| Exact::at(c, i);
        return Ok(Mask::from_fn(rows, |i| match (at(a, i), at(b, i)) {
            (Some(x), Some(y)) => holds(op, x.compare(y)),
            _ => false,
        }));
    };
    entasis_column::match_physical!(common, T => same::<T>(op, a, b, rows),
        _ => Err(Error::logical("comparison of what is no number")))
}

fn same<T: Number + Native>(op: CompareOp, a: &Column, b: &Column, rows: usize) -> Result<Mask> {
    match (T::read(a), T::read(b)) {
        (Some(x), Some(y)) => Ok(mask_with(rows, |words| mask_compare_columns(op, &x, &y, words))),
        _ => Err(Error::logical("comparison of what is no number")),
    }
}
