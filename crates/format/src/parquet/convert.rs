//! Arrow arrays to columns: numbers and strings without a copy.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{DataType as ArrowType, Field as ArrowField, TimeUnit};
use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Buffer, Column, FixedStrings, Native, Strings, StringsBuilder};
use entasis_types::text_type::swap_uuid;
use entasis_types::{DataType, Physical, TupleType};

/// The type that a file's field has here; `None` for what we cannot read.
pub(crate) fn data_type(field: &ArrowField) -> Option<DataType> {
    let ty = match field.data_type() {
        ArrowType::List(inner)
        | ArrowType::LargeList(inner)
        | ArrowType::FixedSizeList(inner, _) => {
            return Some(DataType::array(data_type(inner)?));
        }
        ArrowType::Dictionary(_, values) => super::is_plain(values)?,
        ArrowType::Map(entries, _) => {
            let ArrowType::Struct(pair) = entries.data_type() else { return None };
            let (key, value) = (data_type(pair.first()?)?, data_type(pair.get(1)?)?);
            return Some(DataType::map(key, value));
        }
        ArrowType::Struct(fields) => {
            let types: Option<Vec<DataType>> = fields.iter().map(|f| data_type(f)).collect();
            let names = fields.iter().map(|f| Arc::from(f.name().as_str())).collect();
            return Some(DataType::Tuple(Arc::new(TupleType {
                types: types?,
                names: Some(names),
            })));
        }
        plain => super::is_plain(plain)?,
    };
    Some(if field.is_nullable() { DataType::nullable(ty) } else { ty })
}

/// The type under which a column is shown that cannot be read: it fails when it is asked for.
pub(crate) fn unsupported() -> DataType {
    DataType::nullable(DataType::Nothing)
}

/// A column of the type, which is the file's, or the file's without Nullable.
pub(crate) fn column(ty: &DataType, array: &ArrayRef) -> Result<Column> {
    let nulls = array.logical_nulls().filter(|n| n.null_count() > 0);
    let values = |array: &ArrayRef| match ty.without_nullable() {
        DataType::Uuid => values(array).map(swapped),
        _ => values(array),
    };
    Ok(match ty {
        DataType::Nullable(_) => {
            let validity = match nulls {
                Some(nulls) => bitmap(&nulls),
                None => Bitmap::constant(true, array.len()),
            };
            Column::nullable(values(array)?, validity)
        }
        _ => match nulls {
            None => values(array)?,
            Some(nulls) => blank(values(array)?, &bitmap(&nulls)),
        },
    })
}

fn bitmap(nulls: &NullBuffer) -> Bitmap {
    let words = nulls.inner().bit_chunks().iter_padded().collect();
    Bitmap::from_words(words, nulls.len())
}

/// Default values where `valid` is 0: under NULL anything may stand.
pub(crate) fn blank(column: Column, valid: &Bitmap) -> Column {
    let defaults = match &column {
        Column::Array(_) | Column::Tuple(_) => return column, // a list that is NULL is empty
        Column::String(_) => Column::String(Strings::from_iter([b""])),
        Column::Fixed(fixed) => {
            Column::Fixed(FixedStrings { width: fixed.width, data: vec![0; fixed.width].into() })
        }
        numbers => {
            return entasis_column::match_native!(numbers,
            v => blank_numbers(v, valid), _ => column);
        }
    };
    let last = column.len() as u32;
    let both = Column::concat(&[&column, &defaults]);
    let indices: Vec<u32> =
        (0..last).map(|i| if valid.get(i as usize) { i } else { last }).collect();
    both.take(&indices)
}

fn blank_numbers<T: Native>(values: &Buffer<T>, valid: &Bitmap) -> Column {
    let pick = |(i, v): (usize, &T)| if valid.get(i) { *v } else { T::default() };
    T::column(values.iter().enumerate().map(pick).collect())
}

fn numbers<A: ArrowPrimitiveType>(array: &ArrayRef) -> Column
where
    A::Native: Native,
{
    let values: ScalarBuffer<A::Native> = array.as_primitive::<A>().values().clone();
    <A::Native as Native>::column(Buffer::from_owner(Arc::new(values)))
}

/// Ticks of 32 bits as those of 64.
fn wide<A: ArrowPrimitiveType<Native = i32>>(array: &ArrayRef) -> Column {
    let values = array.as_primitive::<A>().values();
    Column::from(values.iter().map(|v| i64::from(*v)).collect::<Vec<i64>>())
}

/// Seconds of a timestamp, as far as a DateTime reaches.
fn seconds<A: ArrowPrimitiveType<Native = i64>>(array: &ArrayRef, per_second: i64) -> Column {
    let values = array.as_primitive::<A>().values();
    let second = |v: &i64| v.div_euclid(per_second).clamp(0, i64::from(u32::MAX)) as u32;
    Column::from(values.iter().map(second).collect::<Vec<u32>>())
}

/// UUIDs as written to UUIDs as stored: the halves change places.
fn swapped(column: Column) -> Column {
    let Column::Fixed(fixed) = &column else { return column };
    let (values, _) = fixed.data.as_chunks::<16>();
    let swap = |v: &[u8; 16]| swap_uuid(u128::from_be_bytes(*v)).to_be_bytes();
    let data: Vec<u8> = values.iter().flat_map(swap).collect();
    Column::Fixed(FixedStrings { width: 16, data: data.into() })
}

/// Decimals in the width that their precision needs.
fn decimals(array: &ArrayRef, precision: u8) -> Column {
    let values = array.as_primitive::<Decimal128Type>().values();
    match DataType::Decimal(precision, 0).physical() {
        Physical::Int32 => values.iter().map(|&v| v as i32).collect::<Vec<_>>().into(),
        Physical::Int64 => values.iter().map(|&v| v as i64).collect::<Vec<_>>().into(),
        _ => numbers::<Decimal128Type>(array),
    }
}

/// Offsets as unsigned, sharing memory: they are never negative.
fn offsets(signed: &ScalarBuffer<i32>) -> Buffer<u32> {
    let unsigned: ScalarBuffer<u32> = ScalarBuffer::from(signed.inner().clone());
    Buffer::from_owner(Arc::new(unsigned))
}

/// Offsets of 64 bits, as far as they fit.
fn narrow(wide: &ScalarBuffer<i64>) -> Result<Buffer<u32>> {
    let last = wide.last().copied().unwrap_or(0);
    if last > i64::from(u32::MAX) {
        let message = format!("A column of a batch with {last} bytes or elements; at most 4 GiB");
        return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
    }
    Ok(wide.iter().map(|o| *o as u32).collect())
}

/// The values that a dictionary's codes name. A few codes may name a long value: that is bounded.
fn dictionary(array: &ArrayRef, ty: &ArrowType) -> Result<Column> {
    let dictionary = array.as_any_dictionary();
    let plain = values(dictionary.values())?;
    if plain.is_empty() {
        let ty = super::is_plain(ty).ok_or_else(|| unknown(array))?;
        return Ok(Column::default_of(&ty, array.len()));
    }
    let codes: Vec<u32> = dictionary.normalized_keys().iter().map(|k| *k as u32).collect();
    let bytes = match &plain {
        Column::String(strings) => codes.iter().map(|code| strings.get(*code as usize).len()).sum(),
        Column::Fixed(fixed) => codes.len().saturating_mul(fixed.width),
        _ => 0,
    };
    if bytes > u32::MAX as usize {
        let message = "The values that a dictionary stands for take more than 4 GiB";
        return Err(Error::new(codes::TOO_LARGE_STRING_SIZE, message));
    }
    Ok(plain.take(&codes))
}

/// Text and bytes in all their forms.
fn strings(array: &ArrayRef) -> Result<Column> {
    Ok(match array.data_type() {
        ArrowType::Binary => {
            let strings = array.as_binary::<i32>();
            let data = Buffer::from_owner(Arc::new(strings.values().clone()));
            Column::String(Strings::new(offsets(strings.offsets().inner()), data))
        }
        ArrowType::Utf8 => {
            let strings = array.as_string::<i32>();
            let data = Buffer::from_owner(Arc::new(strings.values().clone()));
            Column::String(Strings::new(offsets(strings.offsets().inner()), data))
        }
        ArrowType::LargeBinary => {
            let strings = array.as_binary::<i64>();
            let data = Buffer::from_owner(Arc::new(strings.values().clone()));
            Column::String(Strings::new(narrow(strings.offsets().inner())?, data))
        }
        ArrowType::BinaryView => {
            let strings = array.as_binary_view();
            let mut out = StringsBuilder::with_capacity(strings.len(), 0);
            for text in strings {
                let text = text.unwrap_or_default();
                out.check_room(text.len())?;
                out.push(text);
            }
            out.finish().into()
        }
        ArrowType::Dictionary(_, ty) => dictionary(array, ty)?,
        ArrowType::FixedSizeBinary(width) => {
            let data = array.as_fixed_size_binary().value_data().to_vec();
            Column::Fixed(FixedStrings { width: *width as usize, data: data.into() })
        }
        _ => return Err(unknown(array)),
    })
}

fn values(array: &ArrayRef) -> Result<Column> {
    Ok(match array.data_type() {
        ArrowType::Int8 => numbers::<Int8Type>(array),
        ArrowType::Int16 => numbers::<Int16Type>(array),
        ArrowType::Int32 => numbers::<Int32Type>(array),
        ArrowType::Int64 => numbers::<Int64Type>(array),
        ArrowType::UInt8 => numbers::<UInt8Type>(array),
        ArrowType::UInt16 => numbers::<UInt16Type>(array),
        ArrowType::UInt32 => numbers::<UInt32Type>(array),
        ArrowType::UInt64 => numbers::<UInt64Type>(array),
        ArrowType::Float32 => numbers::<Float32Type>(array),
        ArrowType::Float64 => numbers::<Float64Type>(array),
        ArrowType::Float16 => {
            let values = array.as_primitive::<Float16Type>().values();
            Column::from(values.iter().map(|v| v.to_f32()).collect::<Vec<f32>>())
        }
        ArrowType::Time32(TimeUnit::Second) => wide::<Time32SecondType>(array),
        ArrowType::Time32(_) => wide::<Time32MillisecondType>(array),
        ArrowType::Time64(TimeUnit::Microsecond) => numbers::<Time64MicrosecondType>(array),
        ArrowType::Time64(_) => numbers::<Time64NanosecondType>(array),
        ArrowType::Duration(unit) => match unit {
            TimeUnit::Second => numbers::<DurationSecondType>(array),
            TimeUnit::Millisecond => numbers::<DurationMillisecondType>(array),
            TimeUnit::Microsecond => numbers::<DurationMicrosecondType>(array),
            TimeUnit::Nanosecond => numbers::<DurationNanosecondType>(array),
        },
        ArrowType::Null => Column::from(vec![0i32; array.len()]),
        ArrowType::Boolean => {
            let bits = array.as_boolean().values();
            let words = bits.bit_chunks().iter_padded().collect();
            Column::from_mask(&Bitmap::from_words(words, bits.len()))
        }
        ArrowType::Date64 => seconds::<Date64Type>(array, 1_000),
        ArrowType::Date32 => numbers::<Date32Type>(array),
        ArrowType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => numbers::<TimestampSecondType>(array),
            TimeUnit::Millisecond => numbers::<TimestampMillisecondType>(array),
            TimeUnit::Microsecond => numbers::<TimestampMicrosecondType>(array),
            TimeUnit::Nanosecond => numbers::<TimestampNanosecondType>(array),
        },
        ArrowType::Decimal128(precision, _) => decimals(array, *precision),
        _ => return nested(array),
    })
}

/// The values of lists, maps and structs; of strings, if it is none of them.
fn nested(array: &ArrayRef) -> Result<Column> {
    Ok(match array.data_type() {
        ArrowType::Map(entries, _) => {
            let maps = array.as_map();
            let ArrowType::Struct(pair) = entries.data_type() else { return Err(unknown(array)) };
            let part = |i: usize, values: &ArrayRef| -> Result<Column> {
                let ty = data_type(&pair[i]).ok_or_else(|| unknown(array))?;
                Ok(column(&ty, values)?.full())
            };
            let parts = vec![part(0, maps.keys())?, part(1, maps.values())?];
            let pairs = Column::tuple(parts, maps.entries().len());
            Column::array(offsets(maps.offsets().inner()), pairs)
        }
        ArrowType::List(inner) => {
            let lists = array.as_list::<i32>();
            let ty = data_type(inner).ok_or_else(|| unknown(array))?;
            Column::array(offsets(lists.offsets().inner()), column(&ty, lists.values())?)
        }
        ArrowType::LargeList(inner) => {
            let lists = array.as_list::<i64>();
            let ty = data_type(inner).ok_or_else(|| unknown(array))?;
            Column::array(narrow(lists.offsets().inner())?, column(&ty, lists.values())?)
        }
        ArrowType::FixedSizeList(inner, size) => {
            let lists = array.as_fixed_size_list();
            let ty = data_type(inner).ok_or_else(|| unknown(array))?;
            let offsets = (0..=array.len()).map(|i| (i as i64) * i64::from(*size));
            let offsets = narrow(&offsets.collect::<Vec<_>>().into())?;
            Column::array(offsets, column(&ty, lists.values())?)
        }
        ArrowType::Struct(fields) => {
            let parts = fields.iter().zip(array.as_struct().columns());
            let columns: Result<Vec<Column>> = parts
                .map(|(f, c)| column(&data_type(f).ok_or_else(|| unknown(array))?, c))
                .collect();
            Column::tuple(columns?, array.len())
        }
        _ => return strings(array),
    })
}

#[cold]
fn unknown(array: &ArrayRef) -> Error {
    Error::not_implemented(format!("Column of Arrow type {}", array.data_type()))
}
