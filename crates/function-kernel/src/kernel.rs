//! What kernels of several families share: reading numeric columns as one native type, loops over
//! one or two sides, masks, three-valued logic, the usual errors.
//!
//! Different types are converted to a common native type block by block before the loop, so that a
//! function has one loop per result type and not one per pair of argument types.

use entasis_base::{Error, Result, codes};
use entasis_column::{Buffer, Column, Mask, Native, match_native};
use entasis_types::{CastTo, DataType, i256, u256};

/// A native number that every numeric column can be converted to.
pub trait Number: Native {
    /// The values of a full numeric column, converted as `as` does; shared where the layout is
    /// this type's already. `None` for a column that is not numeric.
    fn read(column: &Column) -> Option<Buffer<Self>>;

    /// Writes the values from row `start` on of a full numeric column to `out`, converted as `as`
    /// does. Returns whether the column is numeric. There must be as many rows.
    fn convert(column: &Column, start: usize, out: &mut [Self]) -> bool;
}

macro_rules! numbers {
    ($($ty:ty),*) => {$(
        impl Number for $ty {
            fn read(column: &Column) -> Option<Buffer<Self>> {
                if let Some(values) = Self::values(column) {
                    return Some(values.clone());
                }
                Some(match_native!(column,
                    values => values.iter().map(|&v| v.cast_to()).collect(), _ => return None))
            }

            fn convert(column: &Column, start: usize, out: &mut [Self]) -> bool {
                match_native!(column, values => {
                    let values = &values[start..start + out.len()];
                    for (out, value) in out.iter_mut().zip(values) {
                        *out = value.cast_to();
                    }
                    true
                }, _ => false)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, u128, u256, i8, i16, i32, i64, i128, i256, f32, f64);

/// One argument of a numeric kernel.
pub enum Side<T> {
    /// The same value in every row.
    One(T),
    /// A value per row.
    Many(Buffer<T>),
}

impl<T: Number> Side<T> {
    /// Reads a full or Const numeric column.
    pub fn read(column: &Column) -> Result<Self> {
        let read = |c: &Column| T::read(c).ok_or_else(|| Error::logical("not a numeric column"));
        match column.as_const() {
            Some(value) => Ok(Self::One(read(value)?[0])),
            None => Ok(Self::Many(read(column)?)),
        }
    }

    /// Whether any value satisfies `test`.
    pub fn any(&self, test: impl Fn(T) -> bool) -> bool {
        match self {
            Self::One(v) => test(*v),
            Self::Many(v) => v.iter().fold(false, |found, &v| found | test(v)),
        }
    }

    /// The value of row `i`.
    #[inline]
    pub fn get(&self, i: usize) -> T {
        match self {
            Self::One(v) => *v,
            Self::Many(v) => v[i],
        }
    }
}

/// Rows that are converted at once: a block of any number stays in the first-level cache.
const BLOCK: usize = 512;

/// An argument that is read in blocks, and converted only there where its layout is another.
enum Blocks<'a, T> {
    One(T),
    Same(&'a [T]),
    Other(&'a Column),
}

impl<'a, T: Number> Blocks<'a, T> {
    fn of(column: &'a Column) -> Result<Self> {
        let wrong = || Error::logical("not a numeric column");
        match column.as_const() {
            Some(value) => Ok(Self::One(T::read(value).ok_or_else(wrong)?[0])),
            None => match T::values(column) {
                Some(values) => Ok(Self::Same(values)),
                None if T::convert(column, 0, &mut []) => Ok(Self::Other(column)),
                None => Err(wrong()),
            },
        }
    }

    /// The values of `len` rows from row `start` on.
    #[inline(always)]
    fn block<'b>(&'b self, start: usize, len: usize, room: &'b mut [T; BLOCK]) -> &'b [T] {
        match self {
            Self::One(_) => &[],
            Self::Same(values) => &values[start..start + len],
            Self::Other(column) => {
                T::convert(column, start, &mut room[..len]);
                &room[..len]
            }
        }
    }
}

/// Calls `f(start, count)` for each block of so many rows.
#[inline(always)]
fn each_block(rows: usize, mut f: impl FnMut(usize, usize)) {
    for start in (0..rows).step_by(BLOCK) {
        f(start, BLOCK.min(rows - start));
    }
}

/// `f` of every value.
pub fn map<T: Number, R: Native>(a: &Column, rows: usize, f: impl Fn(T) -> R) -> Result<Column> {
    let a = Blocks::of(a)?;
    if let Blocks::One(a) = a {
        return Ok(constant(f(a), rows));
    }
    let (mut room, mut out) = ([T::default(); BLOCK], Vec::with_capacity(rows));
    each_block(rows, |start, len| {
        out.extend(a.block(start, len, &mut room).iter().map(|&a| f(a)));
    });
    Ok(R::column(out.into()))
}

/// [`map`] over a side that was read already.
///
/// Loops here own their closure: what it captures is then known not to change with the stores, and
/// is read once instead of in every row.
pub fn map_side<T: Number, R: Native>(a: &Side<T>, rows: usize, f: impl Fn(T) -> R) -> Column {
    match a {
        Side::One(a) => constant(f(*a), rows),
        Side::Many(a) => R::column(a.iter().map(move |&a| f(a)).collect()),
    }
}

/// `f` of every pair of values.
pub fn zip<T: Number, U: Number, R: Native>(
    a: &Column,
    b: &Column,
    rows: usize,
    f: impl Fn(T, U) -> R,
) -> Result<Column> {
    let (a, b) = (Blocks::<T>::of(a)?, Blocks::<U>::of(b)?);
    let (mut x, mut y) = ([T::default(); BLOCK], [U::default(); BLOCK]);
    let mut out = Vec::with_capacity(rows);
    match (&a, &b) {
        (&Blocks::One(a), &Blocks::One(b)) => return Ok(constant(f(a, b), rows)),
        (a, &Blocks::One(b)) => each_block(rows, |start, len| {
            out.extend(a.block(start, len, &mut x).iter().map(|&a| f(a, b)));
        }),
        (&Blocks::One(a), b) => each_block(rows, |start, len| {
            out.extend(b.block(start, len, &mut y).iter().map(|&b| f(a, b)));
        }),
        (a, b) => each_block(rows, |start, len| {
            let a = a.block(start, len, &mut x);
            let b = b.block(start, len, &mut y);
            out.extend(a.iter().zip(b).map(|(&a, &b)| f(a, b)));
        }),
    }
    Ok(R::column(out.into()))
}

/// [`zip`] over sides that were read already.
pub fn zip_sides<T: Number, U: Number, R: Native>(
    a: &Side<T>,
    b: &Side<U>,
    rows: usize,
    f: impl Fn(T, U) -> R,
) -> Column {
    match (a, b) {
        (&Side::One(a), &Side::One(b)) => constant(f(a, b), rows),
        (Side::Many(a), &Side::One(b)) => R::column(a.iter().map(move |&a| f(a, b)).collect()),
        (&Side::One(a), Side::Many(b)) => R::column(b.iter().map(move |&b| f(a, b)).collect()),
        (Side::Many(a), Side::Many(b)) => {
            R::column(a.iter().zip(b.iter()).map(move |(&a, &b)| f(a, b)).collect())
        }
    }
}

/// A Const column of one number.
pub fn constant<T: Native>(value: T, rows: usize) -> Column {
    Column::constant(T::column(vec![value].into()), rows)
}

/// A mask whose words `fill` writes.
pub fn mask_with(rows: usize, fill: impl FnOnce(&mut [u64])) -> Mask {
    let mut words = vec![0; rows.div_ceil(64)];
    fill(&mut words);
    Mask::from_words(words, rows)
}

/// The bytes of row `i` of a string or fixed-string column, Const or full.
#[inline]
pub fn bytes_at(column: &Column, i: usize) -> &[u8] {
    match column {
        Column::String(strings) => strings.get(i),
        Column::Fixed(fixed) => fixed.get(i),
        Column::Const(constant) => bytes_at(&constant.value, 0),
        _ => &[],
    }
}

/// Truth values with "unknown": a row is true where `yes`, false where `no`, NULL where neither.
#[derive(Clone, Debug)]
pub struct Truth {
    /// Rows that are true.
    pub yes: Mask,
    /// Rows that are false.
    pub no: Mask,
}

impl Truth {
    /// Of a numeric or nullable numeric column in any representation.
    pub fn of(column: &Column, rows: usize) -> Self {
        let yes = column.to_mask();
        let known = match column {
            Column::Const(c) => Mask::constant(!c.value.is_null(0), rows),
            Column::Dict(_) => Mask::from_fn(rows, |i| !column.is_null(i)),
            other => {
                let validity = other.split_nullable().0;
                validity.cloned().unwrap_or_else(|| Mask::constant(true, rows))
            }
        };
        Self { no: known.and_not(&yes), yes }
    }

    /// Conjunction.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self { yes: self.yes.and(&other.yes), no: self.no.or(&other.no) }
    }

    /// Disjunction.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        Self { yes: self.yes.or(&other.yes), no: self.no.and(&other.no) }
    }

    /// As a UInt8 or (`nullable`) Nullable(UInt8) column.
    pub fn column(&self, nullable: bool) -> Column {
        let values = Column::from_mask(&self.yes);
        if nullable { Column::nullable(values, self.yes.or(&self.no)) } else { values }
    }
}

/// ILLEGAL_TYPE_OF_ARGUMENT for one argument.
#[cold]
pub fn illegal_type(function: &str, ty: &DataType) -> Error {
    let message = format!("Illegal type {ty} of argument of function {function}");
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}

/// ILLEGAL_TYPE_OF_ARGUMENT for a pair of arguments.
#[cold]
pub fn illegal_types(function: &str, a: &DataType, b: &DataType) -> Error {
    let message = format!("Illegal types {a} and {b} of arguments of function {function}");
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}
