//! Compares numbers exactly: signed, unsigned and float sides are compared by value and not in a
//! rounded common type.
//!
//! A constant is first reduced to the type of the column (`UInt8 column > 2.5` becomes `> 2`), so
//! that the usual predicate is one loop over the stored column.

use std::cmp::Ordering;

use entasis_base::{Error, Result};
use entasis_column::{Column, Mask, Native, match_native};
use entasis_simd::compare::{CompareOp, mask_compare, mask_compare_columns};
use entasis_types::{CastTo, Physical, i256, u256, wide};

use entasis_function_kernel::kernel::{Number, mask_with};

/// A number of any kind, exactly.
#[derive(Clone, Copy, Debug)]
pub enum Exact {
    /// An integer.
    Int(i128),
    /// An integer that does not fit in 128 bits.
    Wide(i256),
    /// An integer from 2 to the power of 255 on.
    Huge(u256),
    /// A float.
    Float(f64),
}

impl Exact {
    /// Row `i` of a full numeric column.
    pub fn at(column: &Column, i: usize) -> Option<Self> {
        Some(match column {
            Column::Float32(v) => Self::Float(v[i].into()),
            Column::Float64(v) => Self::Float(v[i]),
            Column::UInt128(v) => Self::of_unsigned(v[i].cast_to()),
            Column::UInt256(v) => Self::of_unsigned(v[i]),
            Column::Int256(v) => Self::of_signed(v[i]),
            other => match_native!(other, v => Self::Int(v[i].cast_to()), _ => return None),
        })
    }

    fn of_signed(value: i256) -> Self {
        i128::try_from(value).map_or(Self::Wide(value), Self::Int)
    }

    fn of_unsigned(value: u256) -> Self {
        i256::try_from(value).map_or(Self::Huge(value), Self::of_signed)
    }

    /// A float without a fraction as an integer; as it is where it has more than 256 bits.
    fn of_whole(value: f64) -> Self {
        let bound = |bits: i32| 2f64.powi(bits);
        match value {
            v if v >= -bound(127) && v < bound(127) => Self::Int(v as i128),
            v if v >= -bound(255) && v < bound(256) => {
                wide::exact(v).map_or_else(Self::Wide, Self::of_unsigned)
            }
            v => Self::Float(v),
        }
    }

    fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(&b)),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(&b),
            (a, Self::Float(b)) => a.with_float(b),
            (Self::Float(a), b) => b.with_float(a).map(Ordering::reverse),
            (Self::Huge(a), Self::Huge(b)) => Some(a.cmp(&b)),
            (Self::Huge(_), _) => Some(Ordering::Greater),
            (_, Self::Huge(_)) => Some(Ordering::Less),
            (a, b) => Some(a.signed().cmp(&b.signed())),
        }
    }

    fn signed(self) -> i256 {
        match self {
            Self::Int(v) => v.cast_to(),
            Self::Wide(v) => v,
            Self::Huge(v) => v.cast_to(),
            Self::Float(v) => v.cast_to(),
        }
    }

    fn with_float(self, b: f64) -> Option<Ordering> {
        match self {
            Self::Float(a) => a.partial_cmp(&b),
            Self::Huge(a) => wide::compare_unsigned(a, b),
            Self::Int(a) if b.abs() < 1e38 => {
                let behind = if b > b.floor() { Ordering::Less } else { Ordering::Equal };
                Some(a.cmp(&(b.floor() as i128)).then(behind))
            }
            a => wide::compare_signed(a.signed(), b),
        }
    }
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
                    wide @ (Exact::Wide(_) | Exact::Huge(_)) => {
                        return Reduced::All(holds(op, Exact::Int(0).compare(wide)));
                    }
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

reduce_integers!(u8, u16, u32, u64, i8, i16, i32, i64);

/// The operator and the integer that a comparison of integers with a constant amounts to; else the
/// answer that all rows have.
fn whole(op: CompareOp, constant: Exact) -> std::result::Result<(CompareOp, Exact), bool> {
    match constant {
        Exact::Float(v) if v.is_nan() => Err(op == CompareOp::Ne),
        Exact::Float(v) if v == v.floor() => Ok((op, Exact::of_whole(v))),
        Exact::Float(v) => match op {
            CompareOp::Eq => Err(false),
            CompareOp::Ne => Err(true),
            CompareOp::Lt | CompareOp::Le => Ok((CompareOp::Le, Exact::of_whole(v.floor()))),
            CompareOp::Gt | CompareOp::Ge => Ok((CompareOp::Gt, Exact::of_whole(v.floor()))),
        },
        integer => Ok((op, integer)),
    }
}

macro_rules! reduce_wide {
    ($($ty:ty),*) => {$(
        impl Reduce for $ty {
            fn reduce(op: CompareOp, constant: Exact) -> Reduced<Self> {
                let (op, whole) = match whole(op, constant) {
                    Ok(reduced) => reduced,
                    Err(answer) => return Reduced::All(answer),
                };
                let value = match whole {
                    Exact::Int(v) => Self::try_from(v).ok(),
                    Exact::Wide(v) => Self::try_from(v).ok(),
                    Exact::Huge(v) => Self::try_from(v).ok(),
                    Exact::Float(_) => None,
                };
                match value {
                    Some(v) => Reduced::Compare(op, v),
                    // Every value of the type lies on one side of the constant.
                    None => Reduced::All(holds(op, Exact::Int(0).compare(whole))),
                }
            }
        }
    )*};
}

reduce_wide!(u128, u256, i128, i256);

macro_rules! reduce_floats {
    ($($ty:ty),*) => {$(
        impl Reduce for $ty {
            fn reduce(op: CompareOp, constant: Exact) -> Reduced<Self> {
                let rounded = match constant {
                    Exact::Int(v) => v as $ty,
                    Exact::Wide(v) => v.cast_to(),
                    Exact::Huge(v) => v.cast_to(),
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
        UInt128 | Int128 => 128,
        UInt256 | Int256 => 256,
        _ => 64,
    };
    let signed = |p| matches!(p, Int8 | Int16 | Int32 | Int64 | Int128 | Int256);
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
    let wide = bits(a).max(bits(b)) > 64;
    Some(match (any_signed, needed(a).max(needed(b))) {
        (false, 0..=16) => UInt16,
        (false, 17..=32) => UInt32,
        (false, 33..=64) => UInt64,
        (false, 65..=128) => UInt128,
        (false, _) => UInt256,
        (true, 0..=16) => Int16,
        (true, 17..=32) => Int32,
        (true, 33..=64) => Int64,
        (true, 65..=128) if wide => Int128,
        (true, 65..=256) if wide => Int256,
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
