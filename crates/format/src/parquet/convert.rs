//! Arrow arrays to columns: numbers and strings without a copy.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_buffer::{NullBuffer, ScalarBuffer};
use arrow_schema::{DataType as ArrowType, Field as ArrowField, TimeUnit};
use entasis_base::{Error, Result};
use entasis_column::{Bitmap, Buffer, Column, FixedStrings, Native, Strings};
use entasis_types::{DataType, TupleType};

/// The type that a file's field has here; `None` for what we cannot read.
pub(super) fn data_type(field: &ArrowField) -> Option<DataType> {
    let ty = match field.data_type() {
        ArrowType::List(inner) => return Some(DataType::array(data_type(inner)?)),
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

/// A column of the type, which is the file's, or the file's without Nullable.
pub(super) fn column(ty: &DataType, array: &ArrayRef) -> Result<Column> {
    let nulls = array.nulls().filter(|n| n.null_count() > 0);
    Ok(match ty {
        DataType::Nullable(_) => {
            let validity = match nulls {
                Some(nulls) => bitmap(nulls),
                None => Bitmap::constant(true, array.len()),
            };
            Column::nullable(values(array)?, validity)
        }
        _ => match nulls {
            None => values(array)?,
            Some(nulls) => blank(values(array)?, &bitmap(nulls)),
        },
    })
}

fn bitmap(nulls: &NullBuffer) -> Bitmap {
    let words = nulls.inner().bit_chunks().iter_padded().collect();
    Bitmap::from_words(words, nulls.len())
}

/// Default values where `valid` is 0: under NULL anything may stand.
fn blank(column: Column, valid: &Bitmap) -> Column {
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

/// Seconds of a timestamp, as far as a DateTime reaches.
fn seconds<A: ArrowPrimitiveType<Native = i64>>(array: &ArrayRef, per_second: i64) -> Column {
    let values = array.as_primitive::<A>().values();
    let second = |v: &i64| v.div_euclid(per_second).clamp(0, i64::from(u32::MAX)) as u32;
    Column::from(values.iter().map(second).collect::<Vec<u32>>())
}

/// Offsets as unsigned, sharing memory: they are never negative.
fn offsets(signed: &ScalarBuffer<i32>) -> Buffer<u32> {
    let unsigned: ScalarBuffer<u32> = ScalarBuffer::from(signed.inner().clone());
    Buffer::from_owner(Arc::new(unsigned))
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
        ArrowType::Boolean => {
            let bits = array.as_boolean().values();
            let words = bits.bit_chunks().iter_padded().collect();
            Column::from_mask(&Bitmap::from_words(words, bits.len()))
        }
        ArrowType::Date32 => {
            let days = array.as_primitive::<Date32Type>().values();
            let day = |v: &i32| (*v).clamp(0, i32::from(u16::MAX)) as u16;
            Column::from(days.iter().map(day).collect::<Vec<u16>>())
        }
        ArrowType::Timestamp(TimeUnit::Second, _) => seconds::<TimestampSecondType>(array, 1),
        ArrowType::Timestamp(TimeUnit::Millisecond, _) => {
            seconds::<TimestampMillisecondType>(array, 1_000)
        }
        ArrowType::Timestamp(TimeUnit::Microsecond, _) => {
            seconds::<TimestampMicrosecondType>(array, 1_000_000)
        }
        ArrowType::Timestamp(TimeUnit::Nanosecond, _) => {
            seconds::<TimestampNanosecondType>(array, 1_000_000_000)
        }
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
        ArrowType::FixedSizeBinary(width) => {
            let data = array.as_fixed_size_binary().value_data().to_vec();
            Column::Fixed(FixedStrings { width: *width as usize, data: data.into() })
        }
        ArrowType::List(inner) => {
            let lists = array.as_list::<i32>();
            let ty = data_type(inner).ok_or_else(|| unknown(array))?;
            Column::array(offsets(lists.offsets().inner()), column(&ty, lists.values())?)
        }
        ArrowType::Struct(fields) => {
            let parts = fields.iter().zip(array.as_struct().columns());
            let columns: Result<Vec<Column>> = parts
                .map(|(f, c)| column(&data_type(f).ok_or_else(|| unknown(array))?, c))
                .collect();
            Column::tuple(columns?, array.len())
        }
        _ => return Err(unknown(array)),
    })
}

#[cold]
fn unknown(array: &ArrayRef) -> Error {
    Error::not_implemented(format!("Parquet column of type {}", array.data_type()))
}
