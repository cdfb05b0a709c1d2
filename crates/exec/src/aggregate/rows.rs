//! Encodes keys that have no other layout as the bytes of the row. Columns follow each other:
//! numbers as they are, strings after a 4-byte length, NULL as a flag byte before a cleared value,
//! arrays and tuples in the binary form of aggregate states.
//!
//! Encoding and decoding process one column after the other, with a cursor per row.

use entasis_base::{Error, Result};
use entasis_column::{
    Bitmap, Column, ColumnBuilder, FixedStrings, Native, Strings, StringsBuilder, match_native,
    match_number, match_number_physical,
};
use entasis_function::aggregate::binary::{read_value, write_value};
use entasis_types::{CastTo, DataType, i256, u256};

use super::keys::KeyBits;

/// The types of the key columns.
#[derive(Clone, Debug)]
pub struct RowLayout {
    types: Vec<DataType>,
}

impl RowLayout {
    /// The layout for key columns of these types.
    pub fn new(types: &[DataType]) -> Self {
        Self { types: types.to_vec() }
    }
}

/// Encodes the values of arrays and tuples in advance, as one string per row.
fn nested_bytes(column: &Column) -> Strings {
    let mut out = StringsBuilder::default();
    for i in 0..column.len() {
        write_value(column, i, &mut out.data);
        out.close();
    }
    out.finish()
}

/// A column prepared for encoding.
struct Prepared {
    valid: Option<Bitmap>,
    values: Column,
    nested: Option<Strings>,
}

fn prepare(column: &Column) -> Prepared {
    let column = column.full();
    let (valid, values) = column.split_nullable();
    let nested = matches!(values, Column::Array(_) | Column::Tuple(_) | Column::Variant(_))
        .then(|| nested_bytes(values));
    Prepared { valid: valid.cloned(), values: values.clone(), nested }
}

/// Encodes the rows of key columns, which may have any representation.
pub fn encode_rows(layout: &RowLayout, columns: &[Column], rows: usize) -> Result<Strings> {
    let prepared: Vec<Prepared> = columns.iter().map(prepare).collect();
    let mut fixed = 0;
    let mut lengths = vec![0usize; rows];
    for (p, ty) in prepared.iter().zip(&layout.types) {
        fixed += usize::from(ty.is_nullable());
        match (&p.nested, &p.values) {
            (Some(nested), _) => add_lengths(nested, None, &mut lengths),
            (None, Column::String(strings)) => {
                fixed += 4;
                add_lengths(strings, p.valid.as_ref(), &mut lengths);
            }
            (None, Column::Fixed(f)) => fixed += f.width,
            (None, values) => match_native!(values, v => fixed += width_of(v), _ => {}),
        }
    }
    let total = fixed * rows + lengths.iter().sum::<usize>();
    StringsBuilder::default().check_room(total)?;
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0u32);
    let mut end = 0u32;
    offsets.extend(lengths.iter().map(|&l| {
        end += (l + fixed) as u32;
        end
    }));
    let mut data = vec![0u8; total];
    let mut cursors = offsets[..rows].to_vec();
    for (p, ty) in prepared.iter().zip(&layout.types) {
        write_column(p, ty.is_nullable(), &mut data, &mut cursors);
    }
    Ok(Strings::new(offsets.into(), data.into()))
}

fn width_of<T>(_: &[T]) -> usize {
    size_of::<T>()
}

fn add_lengths(strings: &Strings, valid: Option<&Bitmap>, lengths: &mut [usize]) {
    for (i, (length, w)) in lengths.iter_mut().zip(strings.offsets().windows(2)).enumerate() {
        if valid.is_none_or(|v| v.get(i)) {
            *length += (w[1] - w[0]) as usize;
        }
    }
}

/// Writes bytes at the cursor and advances it.
#[inline(always)]
fn put(data: &mut [u8], cursor: &mut u32, bytes: &[u8]) {
    let at = *cursor as usize;
    data[at..at + bytes.len()].copy_from_slice(bytes);
    *cursor += bytes.len() as u32;
}

fn write_column(p: &Prepared, nullable: bool, data: &mut [u8], cursors: &mut [u32]) {
    let valid = |i: usize| p.valid.as_ref().is_none_or(|v| v.get(i));
    if nullable {
        for (i, cursor) in cursors.iter_mut().enumerate() {
            put(data, cursor, &[u8::from(!valid(i))]);
        }
    }
    match (&p.nested, &p.values) {
        (Some(nested), _) => {
            cursors.iter_mut().zip(nested.iter()).for_each(|(c, s)| put(data, c, s));
        }
        (None, Column::String(strings)) => {
            for (i, (cursor, s)) in cursors.iter_mut().zip(strings.iter()).enumerate() {
                let s = if valid(i) { s } else { b"" };
                put(data, cursor, &(s.len() as u32).to_le_bytes());
                put(data, cursor, s);
            }
        }
        (None, Column::Fixed(fixed)) => {
            for (i, cursor) in cursors.iter_mut().enumerate() {
                if valid(i) {
                    put(data, cursor, fixed.get(i));
                } else {
                    *cursor += fixed.width as u32;
                }
            }
        }
        (None, values) => match_number!(values, values => {
            for (i, (cursor, &v)) in cursors.iter_mut().zip(values.iter()).enumerate() {
                let bits = if valid(i) { v.to_bits64() } else { 0 };
                put(data, cursor, &bits.to_le_bytes()[..size_of_val(&v)]);
            }
        }, wide => match_native!(wide, values => {
            for (i, (cursor, &v)) in cursors.iter_mut().zip(values.iter()).enumerate() {
                put(data, cursor, &(if valid(i) { v } else { 0u8.cast_to() }).to_le_bytes());
            }
        }, _ => {})),
    }
}

/// Decodes rows to key columns.
pub fn decode_rows(layout: &RowLayout, rows: &Strings) -> Result<Vec<Column>> {
    let mut cursors = rows.offsets()[..rows.len()].to_vec();
    layout.types.iter().map(|ty| read_column(ty, rows, &mut cursors)).collect()
}

#[cold]
fn broken() -> Error {
    Error::logical("encoded keys are cut off")
}

fn get<const N: usize>(data: &[u8], cursor: &mut u32) -> Result<[u8; N]> {
    let bytes = data[*cursor as usize..].first_chunk::<N>().ok_or_else(broken)?;
    *cursor += N as u32;
    Ok(*bytes)
}

fn read_column(ty: &DataType, rows: &Strings, cursors: &mut [u32]) -> Result<Column> {
    let data = rows.data();
    let DataType::Nullable(inner) = ty.storage() else { return read_plain(ty, data, cursors) };
    let mut valid = Vec::with_capacity(cursors.len());
    for cursor in cursors.iter_mut() {
        valid.push(u8::from(get::<1>(data, cursor)?[0] == 0));
    }
    Ok(Column::nullable(read_plain(inner, data, cursors)?, Bitmap::from_bytes(&valid)))
}

fn read_wide<T: Native, const N: usize>(
    data: &[u8],
    cursors: &mut [u32],
    of: fn([u8; N]) -> T,
) -> Result<Column> {
    let next = |cursor: &mut u32| get::<N>(data, cursor).map(of);
    Ok(T::column(cursors.iter_mut().map(next).collect::<Result<Vec<T>>>()?.into()))
}

fn read_plain(ty: &DataType, data: &[u8], cursors: &mut [u32]) -> Result<Column> {
    match_number_physical!(ty.physical(), T => {
        let mut out: Vec<T> = Vec::with_capacity(cursors.len());
        for cursor in cursors.iter_mut() {
            let mut bits = [0; 8];
            bits[..size_of::<T>()].copy_from_slice(&get::<{ size_of::<T>() }>(data, cursor)?);
            out.push(T::from_bits64(u64::from_le_bytes(bits)));
        }
        Ok(out.into())
    }, physical => match physical {
        Physical::String => {
            let mut out = StringsBuilder::with_capacity(cursors.len(), data.len());
            for cursor in cursors.iter_mut() {
                let n = u32::from_le_bytes(get(data, cursor)?);
                out.push(&data[*cursor as usize..(*cursor + n) as usize]);
                *cursor += n;
            }
            Ok(out.finish().into())
        }
        Physical::Fixed(width) => {
            let width = width as usize;
            let mut out = Vec::with_capacity(cursors.len() * width);
            for cursor in cursors.iter_mut() {
                out.extend_from_slice(&data[*cursor as usize..*cursor as usize + width]);
                *cursor += width as u32;
            }
            Ok(Column::Fixed(FixedStrings { width, data: out.into() }))
        }
        Physical::UInt128 => read_wide(data, cursors, u128::from_le_bytes),
        Physical::UInt256 => read_wide(data, cursors, u256::from_le_bytes),
        Physical::Int128 => read_wide(data, cursors, i128::from_le_bytes),
        Physical::Int256 => read_wide(data, cursors, i256::from_le_bytes),
        Physical::Nothing => Ok(Column::Nothing(cursors.len())),
        _ => {
            let mut out = ColumnBuilder::new(ty, cursors.len());
            for cursor in cursors.iter_mut() {
                let mut rest = &data[*cursor as usize..];
                let before = rest.len();
                read_value(&mut rest, &mut out)?;
                *cursor += (before - rest.len()) as u32;
            }
            Ok(out.finish())
        }
    })
}
