//! A column of any type that grows at its end: for reading formats, tables in memory, and combining
//! small chunks.

use entasis_base::{Error, Result};
use entasis_types::{CastTo, DataType, Value, i256, u256};

use crate::bitmap::BitmapBuilder;
use crate::{Column, FixedStrings, Native, StringsBuilder, VariantBuilder, match_physical};

/// The growing counterpart of [`Column`], with one variant per layout. The variants are public so
/// that the reader of a format can match once per column and then push plain values.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum ColumnBuilder {
    Nothing(usize),
    UInt8(Vec<u8>),
    UInt16(Vec<u16>),
    UInt32(Vec<u32>),
    UInt64(Vec<u64>),
    UInt128(Vec<u128>),
    UInt256(Vec<u256>),
    Int8(Vec<i8>),
    Int16(Vec<i16>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Int128(Vec<i128>),
    Int256(Vec<i256>),
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    String(StringsBuilder),
    Fixed { width: usize, data: Vec<u8> },
    Nullable { validity: BitmapBuilder, values: Box<ColumnBuilder> },
    Array { offsets: Vec<u32>, values: Box<ColumnBuilder> },
    Tuple { columns: Vec<ColumnBuilder>, len: usize },
    Variant(Box<VariantBuilder>),
}

/// Runs `$body` with `$values` bound to the `Vec<T>` of a numeric builder.
macro_rules! match_builder {
    ($builder:expr, $values:ident => $body:expr, $other:pat => $rest:expr) => {
        match $builder {
            ColumnBuilder::UInt8($values) => $body,
            ColumnBuilder::UInt16($values) => $body,
            ColumnBuilder::UInt32($values) => $body,
            ColumnBuilder::UInt64($values) => $body,
            ColumnBuilder::UInt128($values) => $body,
            ColumnBuilder::UInt256($values) => $body,
            ColumnBuilder::Int8($values) => $body,
            ColumnBuilder::Int16($values) => $body,
            ColumnBuilder::Int32($values) => $body,
            ColumnBuilder::Int64($values) => $body,
            ColumnBuilder::Int128($values) => $body,
            ColumnBuilder::Int256($values) => $body,
            ColumnBuilder::Float32($values) => $body,
            ColumnBuilder::Float64($values) => $body,
            $other => $rest,
        }
    };
}

fn native_builder<T: Native>(capacity: usize) -> ColumnBuilder
where
    ColumnBuilder: From<Vec<T>>,
{
    Vec::<T>::with_capacity(capacity).into()
}

macro_rules! from_vec {
    ($($ty:ty => $variant:ident),*) => {$(
        impl From<Vec<$ty>> for ColumnBuilder {
            fn from(values: Vec<$ty>) -> Self {
                Self::$variant(values)
            }
        }
    )*};
}

from_vec!(u8 => UInt8, u16 => UInt16, u32 => UInt32, u64 => UInt64, u128 => UInt128,
    u256 => UInt256, i8 => Int8, i16 => Int16, i32 => Int32, i64 => Int64, i128 => Int128,
    i256 => Int256, f32 => Float32, f64 => Float64);

impl ColumnBuilder {
    /// An empty builder for values of `ty`, with room for `capacity` rows.
    pub fn new(ty: &DataType, capacity: usize) -> Self {
        match ty.storage() {
            DataType::Nullable(inner) => Self::Nullable {
                validity: BitmapBuilder::default(),
                values: Box::new(Self::new(inner, capacity)),
            },
            DataType::Array(inner) => {
                let mut offsets = Vec::with_capacity(capacity + 1);
                offsets.push(0);
                Self::Array { offsets, values: Box::new(Self::new(inner, capacity)) }
            }
            DataType::Tuple(tuple) => Self::Tuple {
                columns: tuple.types.iter().map(|t| Self::new(t, capacity)).collect(),
                len: 0,
            },
            DataType::Variant(types) => {
                Self::Variant(Box::new(VariantBuilder::new(types, capacity)))
            }
            other => match_physical!(other.physical(), T => native_builder::<T>(capacity),
            physical => match physical {
                Physical::Fixed(width) => Self::Fixed {
                    width: width as usize,
                    data: Vec::with_capacity(capacity * width as usize),
                },
                Physical::Nothing => Self::Nothing(0),
                _ => Self::String(StringsBuilder::with_capacity(capacity, capacity * 8)),
            }),
        }
    }

    /// Rows so far.
    pub fn len(&self) -> usize {
        match_builder!(self, values => values.len(), other => match other {
            Self::Nothing(len) | Self::Tuple { len, .. } => *len,
            Self::String(strings) => strings.len(),
            Self::Fixed { width, data } => data.len() / width,
            Self::Nullable { validity, .. } => validity.len(),
            Self::Array { offsets, .. } => offsets.len() - 1,
            Self::Variant(variant) => variant.len(),
            _ => 0,
        })
    }

    /// Whether there are no rows yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a default value: zero, empty or NULL.
    pub fn push_default(&mut self) {
        match_builder!(self, values => values.push(0u8.cast_to()), other => match other {
            Self::Nothing(len) => *len += 1,
            Self::String(strings) => strings.push(b""),
            Self::Fixed { width, data } => data.resize(data.len() + *width, 0),
            Self::Nullable { validity, values } => {
                validity.push(false);
                values.push_default();
            }
            Self::Array { offsets, .. } => offsets.push(offsets[offsets.len() - 1]),
            Self::Tuple { columns, len } => {
                columns.iter_mut().for_each(Self::push_default);
                *len += 1;
            }
            Self::Variant(variant) => variant.push_null(),
            _ => {}
        });
    }

    /// Appends the bits of a value of a type that is [`entasis_types::TextType`]. Fails for layouts
    /// that no such type has.
    pub fn push_bits(&mut self, bits: i128) -> Result<()> {
        match_builder!(self, values => values.push(bits.cast_to()), other => match other {
            Self::Fixed { width: 16, data } => data.extend_from_slice(&bits.to_be_bytes()),
            _ => return Err(Error::logical("Bits for a builder of what are no whole numbers")),
        });
        Ok(())
    }

    /// Appends one value of the builder's type; see [`Column::from_value`] for mismatches.
    pub fn push_value(&mut self, ty: &DataType, value: &Value) {
        match_builder!(self, values => return values.push(match value {
            Value::UInt(number) => number.cast_to(),
            Value::Int(number) => number.cast_to(),
            Value::Wide(number) => number.cast_to(),
            Value::Huge(number) => number.cast_to(),
            Value::Float(number) => number.cast_to(),
            _ => 0u8.cast_to(),
        }), _ => {});
        match (&mut *self, ty.storage(), value) {
            (Self::String(out), _, Value::String(bytes)) => out.push(bytes),
            (Self::Nullable { validity, values }, DataType::Nullable(inner), value) => {
                validity.push(!value.is_null());
                values.push_value(inner, value);
            }
            (Self::Array { offsets, values }, DataType::Array(inner), Value::Array(items)) => {
                items.iter().for_each(|item| values.push_value(inner, item));
                offsets.push(offsets[offsets.len() - 1] + items.len() as u32);
            }
            (Self::Tuple { columns, len }, DataType::Tuple(tuple), Value::Tuple(items)) => {
                let parts = columns.iter_mut().zip(&tuple.types).zip(items.iter());
                parts.for_each(|((column, ty), item)| column.push_value(ty, item));
                *len += 1;
            }
            (Self::Variant(out), DataType::Variant(types), value) => out.push_value(types, value),
            _ => self.append(&Column::from_value(ty, value, 1)),
        }
    }

    /// Appends all rows of a column of the same layout, in any representation. A plain column may
    /// go into a nullable builder. Panics if the layouts differ otherwise.
    pub fn append(&mut self, column: &Column) {
        let column = column.full();
        match_builder!(self, values => extend(values, &column), other => match (other, &column) {
            (Self::Nothing(len), column) => *len += column.len(),
            (Self::String(out), Column::String(strings)) => out.extend(strings),
            (Self::Fixed { data, .. }, Column::Fixed(fixed)) => data.extend_from_slice(&fixed.data),
            (Self::Nullable { validity, values }, column) => {
                let (bits, plain) = column.split_nullable();
                match bits {
                    Some(bits) => validity.extend(bits),
                    None => validity.push_n(true, plain.len()),
                }
                match plain {
                    Column::Nothing(len) => (0..*len).for_each(|_| values.push_default()),
                    plain => values.append(plain),
                }
            }
            (Self::Array { offsets, values }, Column::Array(array)) => {
                let base = offsets[offsets.len() - 1];
                let (ends, elements) = array.flat();
                offsets.extend(ends[1..].iter().map(|o| o + base));
                values.append(&elements);
            }
            (Self::Tuple { columns, len }, Column::Tuple(tuple)) => {
                columns.iter_mut().zip(&tuple.columns).for_each(|(b, c)| b.append(c));
                *len += tuple.len;
            }
            (Self::Variant(out), Column::Variant(column)) => out.append(column),
            _ => assert!(column.is_empty(), "layouts of builder and column differ"),
        });
    }

    /// Drops the rows from `len` on, for example a row that was only partly read.
    pub fn truncate(&mut self, len: usize) {
        if self.len() <= len {
            return;
        }
        match_builder!(self, values => values.truncate(len), other => match other {
            Self::Nothing(n) => *n = len,
            Self::String(strings) => {
                strings.offsets.truncate(len + 1);
                strings.data.truncate(strings.offsets[len] as usize);
            }
            Self::Fixed { width, data } => data.truncate(len * *width),
            Self::Nullable { validity, values } => {
                let bits = std::mem::take(validity).finish().slice(0, len);
                validity.extend(&bits);
                values.truncate(len);
            }
            Self::Array { offsets, values } => {
                offsets.truncate(len + 1);
                values.truncate(offsets[len] as usize);
            }
            Self::Tuple { columns, len: n } => {
                columns.iter_mut().for_each(|c| c.truncate(len));
                *n = len;
            }
            Self::Variant(variant) => variant.truncate_with(len, Self::truncate),
            _ => {}
        });
    }

    /// Approximate number of bytes, to decide when a chunk is large enough.
    pub fn byte_size(&self) -> usize {
        match_builder!(self, values => size_of_val(&values[..]), other => match other {
            Self::String(strings) => strings.data.len() + 4 * strings.offsets.len(),
            Self::Fixed { data, .. } => data.len(),
            Self::Nullable { values, .. } => values.byte_size() + values.len() / 8,
            Self::Array { offsets, values } => 4 * offsets.len() + values.byte_size(),
            Self::Tuple { columns, .. } => columns.iter().map(Self::byte_size).sum(),
            Self::Variant(variant) => variant.byte_size(),
            _ => 0,
        })
    }

    /// The column.
    pub fn finish(self) -> Column {
        match_builder!(self, values => Column::from(values), other => match other {
            Self::Nothing(len) => Column::Nothing(len),
            Self::String(strings) => strings.finish().into(),
            Self::Fixed { width, data } => {
                Column::Fixed(FixedStrings { width, data: data.into() })
            }
            Self::Nullable { validity, values } => {
                Column::nullable(values.finish(), validity.finish())
            }
            Self::Array { offsets, values } => Column::array(offsets.into(), values.finish()),
            Self::Tuple { columns, len } => {
                Column::tuple(columns.into_iter().map(Self::finish).collect(), len)
            }
            Self::Variant(variant) => variant.finish(),
            _ => Column::Nothing(0),
        })
    }
}

fn extend<T: Native>(out: &mut Vec<T>, column: &Column) {
    match T::values(column) {
        Some(values) => out.extend_from_slice(values),
        None => assert!(column.is_empty(), "layouts of builder and column differ"),
    }
}
