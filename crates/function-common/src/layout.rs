//! Layouts of columns: which types are numbers underneath, values as bits, lists put together.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Native, match_native};
use entasis_types::{CastTo, DataType, Physical, i256, u256};

use crate::kernel::bytes_at;

/// Whether values are numbers: those themselves, dates, times and intervals.
pub fn number_like(ty: &DataType) -> bool {
    ty.is_number() || ty.is_date_or_time() || matches!(ty, DataType::Interval(_))
}

/// The physical layout of numbers, dates and times; `None` for others.
pub fn numeric_layout(ty: &DataType) -> Option<Physical> {
    number_like(ty).then(|| ty.physical())
}

/// Numbers as their bits, zero-extended to 64.
pub trait Bits: Native {
    /// The bits.
    fn to_bits64(self) -> u64;
    /// The number that has the low of these bits.
    fn from_bits64(bits: u64) -> Self;
}

macro_rules! bits_of_integers {
    ($($ty:ty, $unsigned:ty);*) => {$(
        impl Bits for $ty {
            fn to_bits64(self) -> u64 {
                self as $unsigned as u64
            }
            fn from_bits64(bits: u64) -> Self {
                bits as $ty
            }
        }
    )*};
}

bits_of_integers!(u8, u8; u16, u16; u32, u32; u64, u64; i8, u8; i16, u16; i32, u32; i64, u64;
    i128, u128; u128, u128);

macro_rules! bits_of_wide {
    ($($ty:ty),*) => {$(
        impl Bits for $ty {
            fn to_bits64(self) -> u64 {
                self.cast_to()
            }
            fn from_bits64(bits: u64) -> Self {
                bits.cast_to()
            }
        }
    )*};
}

bits_of_wide!(i256, u256);

impl Bits for f32 {
    fn to_bits64(self) -> u64 {
        self.to_bits().into()
    }
    fn from_bits64(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
}

impl Bits for f64 {
    fn to_bits64(self) -> u64 {
        self.to_bits()
    }
    fn from_bits64(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

fn widened<T: Bits>(values: &[T]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits64()).collect()
}

/// The first 8 bytes of every value, little-endian.
pub fn all_bits(column: &Column) -> Vec<u64> {
    match_native!(column, values => widened(values), other => {
        (0..other.len()).map(|i| {
            let mut word = [0; 8];
            let bytes = bytes_at(other, i);
            let count = bytes.len().min(8);
            word[..count].copy_from_slice(&bytes[..count]);
            u64::from_le_bytes(word)
        }).collect()
    })
}

/// Bytes of one value; 0 for what is no number.
pub fn byte_width(column: &Column) -> usize {
    fn width<T>(_: &[T]) -> usize {
        size_of::<T>()
    }
    match_native!(column, values => width(values), _ => 0)
}

/// Two full array columns as one of pairs. Fails where lengths differ.
pub fn zip_arrays(keys: &Column, values: &Column) -> Result<Column> {
    let (Column::Array(keys), Column::Array(values)) = (keys, values) else {
        return Err(Error::logical("keys and values are no arrays"));
    };
    let ((ends, keys), (other, values)) = (keys.flat(), values.flat());
    if ends[..] != other[..] {
        let message = "Key and value arrays should have same amount of elements";
        return Err(Error::new(codes::SIZES_OF_ARRAYS_DONT_MATCH, message));
    }
    let entries = keys.len();
    Ok(Column::array(ends, Column::tuple(vec![keys, values], entries)))
}
