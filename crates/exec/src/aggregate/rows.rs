//! Encodes keys that have no other layout as the bytes of the row. Columns follow each other:
//! numbers as they are, strings after a 4-byte length, NULL as a flag byte before a cleared value,
//! arrays and tuples in the binary form of aggregate states.
//!
//! Encoding writes one row after the other, so that short values can be copied as 16 bytes: what is
//! too much is overwritten by the next value. Decoding processes one column after the other, with a
//! cursor per row.

use entasis_base::{Error, Result};
use entasis_column::{
    Bitmap, Column, ColumnBuilder, FixedStrings, Native, Strings, StringsBuilder, match_native,
    match_number_physical,
};
use entasis_function::aggregate::binary::{read_value, write_value};
use entasis_simd::cast::as_bytes;
use entasis_types::{DataType, i256, u256};

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
    let mut data = vec![0u8; total + SHORT];
    let fields: Vec<Field<'_>> =
        prepared.iter().zip(&layout.types).map(|(p, ty)| Field::of(p, ty.is_nullable())).collect();
    let mut at = 0;
    for row in 0..rows {
        for field in &fields {
            at = field.write(row, &mut data, at);
        }
    }
    data.truncate(total);
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

/// Values of up to this many bytes are copied in one piece.
const SHORT: usize = 16;

/// Copies `len` bytes of `from`, and perhaps some of those behind them.
#[inline(always)]
fn copy(from: &[u8], start: usize, len: usize, data: &mut [u8], at: usize) {
    match (from[start..].first_chunk::<SHORT>(), data[at..].first_chunk_mut::<SHORT>()) {
        (Some(from), Some(to)) if len <= SHORT => *to = *from,
        _ => data[at..at + len].copy_from_slice(&from[start..start + len]),
    }
}

/// A column of which values are written into rows.
struct Field<'a> {
    nullable: bool,
    valid: Option<&'a Bitmap>,
    values: Values<'a>,
}

enum Values<'a> {
    /// Strings with or without their lengths.
    Strings {
        strings: &'a Strings,
        lengths: bool,
    },
    /// Values of this many bytes.
    Fixed(&'a [u8], usize),
    Nothing,
}

impl<'a> Field<'a> {
    fn of(prepared: &'a Prepared, nullable: bool) -> Self {
        let values = match (&prepared.nested, &prepared.values) {
            (Some(strings), _) => Values::Strings { strings, lengths: false },
            (None, Column::String(strings)) => Values::Strings { strings, lengths: true },
            (None, Column::Fixed(fixed)) => Values::Fixed(&fixed.data, fixed.width),
            (None, values) => match_native!(values,
                values => Values::Fixed(as_bytes(values), width_of(values)), _ => Values::Nothing),
        };
        Self { nullable, valid: prepared.valid.as_ref(), values }
    }

    /// Writes the value of a row to `data` from `at` on, and returns where it ends.
    #[inline(always)]
    fn write(&self, row: usize, data: &mut [u8], mut at: usize) -> usize {
        let is_null = self.valid.is_some_and(|valid| !valid.get(row));
        if self.nullable {
            data[at] = is_null.into();
            at += 1;
        }
        match self.values {
            Values::Strings { strings, lengths } => {
                let (start, end) = (strings.offsets()[row], strings.offsets()[row + 1]);
                let len = if is_null && lengths { 0 } else { end - start };
                if lengths {
                    data[at..at + 4].copy_from_slice(&len.to_le_bytes());
                    at += 4;
                }
                copy(strings.data(), start as usize, len as usize, data, at);
                at + len as usize
            }
            Values::Fixed(bytes, width) => {
                match is_null {
                    true => data[at..at + width].fill(0),
                    false => copy(bytes, row * width, width, data, at),
                }
                at + width
            }
            Values::Nothing => at,
        }
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
