//! Keys as they are hashed: a number of 64 or 128 bits, or bytes.

use entasis_base::{Error, Result};
use entasis_column::{Buffer, Column, Strings, match_native};
use entasis_types::{DataType, Physical};

/// The form in which the keys of a dictionary are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyForm {
    /// One column of at most 64 bits.
    Word,
    /// Columns of at most 128 bits together.
    Double,
    /// One column of strings.
    Text,
    /// Anything else, written to bytes.
    Bytes,
}

/// A column of keys in their form.
pub(crate) enum Keys {
    Word(Buffer<u64>),
    Double(Vec<u128>),
    Bytes(Strings),
}

impl KeyForm {
    pub(crate) fn of(types: &[DataType]) -> Self {
        let width = |ty: &DataType| match ty.physical() {
            Physical::UInt8 | Physical::Int8 => Some(8),
            Physical::UInt16 | Physical::Int16 => Some(16),
            Physical::UInt32 | Physical::Int32 => Some(32),
            Physical::UInt64 | Physical::Int64 => Some(64),
            Physical::UInt128 | Physical::Int128 => Some(128),
            _ => None,
        };
        let total = types.iter().map(width).sum::<Option<u32>>();
        match (types, total) {
            ([_], Some(bits)) if bits <= 64 => Self::Word,
            (_, Some(bits)) if bits <= 128 => Self::Double,
            ([one], _) if one.physical() == Physical::String => Self::Text,
            _ => Self::Bytes,
        }
    }

    /// Brings the columns of a key into this form.
    pub(crate) fn keys(self, columns: &[Column], rows: usize) -> Result<Keys> {
        let columns: Vec<Column> = columns.iter().map(Column::full).collect();
        Ok(match (self, &columns[..]) {
            (Self::Word, [one]) => Keys::Word(words(one)?),
            (Self::Double, columns) => Keys::Double(doubles(columns, rows)?),
            (Self::Text, [Column::String(strings)]) => Keys::Bytes(strings.clone()),
            (_, columns) => Keys::Bytes(encoded(columns, rows)?),
        })
    }
}

#[cold]
fn unexpected() -> Error {
    Error::logical("a key of a dictionary has an unexpected layout")
}

fn words(column: &Column) -> Result<Buffer<u64>> {
    let words: Vec<u64> = match column {
        Column::UInt64(values) => return Ok(values.clone()),
        Column::UInt8(values) => values.iter().map(|&v| u64::from(v)).collect(),
        Column::UInt16(values) => values.iter().map(|&v| u64::from(v)).collect(),
        Column::UInt32(values) => values.iter().map(|&v| u64::from(v)).collect(),
        Column::Int8(values) => values.iter().map(|&v| v as u64).collect(),
        Column::Int16(values) => values.iter().map(|&v| v as u64).collect(),
        Column::Int32(values) => values.iter().map(|&v| v as u64).collect(),
        Column::Int64(values) => values.iter().map(|&v| v as u64).collect(),
        _ => return Err(unexpected()),
    };
    Ok(words.into())
}

fn doubles(columns: &[Column], rows: usize) -> Result<Vec<u128>> {
    let mut keys = vec![0u128; rows];
    for column in columns {
        match column {
            Column::UInt128(values) => keys.copy_from_slice(values),
            Column::Int128(values) => {
                keys.iter_mut().zip(values.iter()).for_each(|(key, &v)| *key = v as u128);
            }
            column => {
                let bits = column.physical_bits().ok_or_else(unexpected)?;
                let mask = u64::MAX >> (64 - bits);
                let values = words(column)?;
                for (key, &value) in keys.iter_mut().zip(values.iter()) {
                    *key = *key << bits | u128::from(value & mask);
                }
            }
        }
    }
    Ok(keys)
}

trait PhysicalBits {
    fn physical_bits(&self) -> Option<u32>;
}

impl PhysicalBits for Column {
    fn physical_bits(&self) -> Option<u32> {
        match self.physical() {
            Physical::UInt8 | Physical::Int8 => Some(8),
            Physical::UInt16 | Physical::Int16 => Some(16),
            Physical::UInt32 | Physical::Int32 => Some(32),
            Physical::UInt64 | Physical::Int64 => Some(64),
            _ => None,
        }
    }
}

/// Rows of any columns as bytes. Equal rows have equal bytes, and different rows different ones.
pub fn encoded(columns: &[Column], rows: usize) -> Result<Strings> {
    let mut offsets: Vec<u32> = Vec::with_capacity(rows + 1);
    let mut data: Vec<u8> = Vec::new();
    offsets.push(0);
    for row in 0..rows {
        for column in columns {
            append(column, row, &mut data)?;
        }
        let end = u32::try_from(data.len()).map_err(|_| {
            Error::new(entasis_base::codes::TOO_LARGE_STRING_SIZE, "Keys of one chunk exceed 4 GiB")
        })?;
        offsets.push(end);
    }
    Ok(Strings::new(offsets.into(), data.into()))
}

fn append(column: &Column, row: usize, out: &mut Vec<u8>) -> Result<()> {
    match_native!(column, values => {
        write_number(values[row], out);
        return Ok(());
    }, other => match other {
        Column::String(strings) => {
            let text = strings.get(row);
            out.extend_from_slice(&(text.len() as u32).to_le_bytes());
            out.extend_from_slice(text);
        }
        Column::Fixed(fixed) => out.extend_from_slice(fixed.get(row)),
        Column::Nullable(nullable) => {
            let valid = nullable.validity.get(row);
            out.push(u8::from(valid));
            if valid {
                append(&nullable.values, row, out)?;
            }
        }
        Column::Tuple(tuple) => {
            tuple.columns.iter().try_for_each(|column| append(column, row, out))?;
        }
        Column::Array(array) => {
            let range = array.range(row);
            out.extend_from_slice(&(range.len() as u32).to_le_bytes());
            range.into_iter().try_for_each(|i| append(&array.values, i, out))?;
        }
        Column::Const(constant) => append(&constant.value, 0, out)?,
        Column::Dict(dict) => append(&dict.dictionary.values, dict.codes[row] as usize, out)?,
        _ => return Err(unexpected()),
    });
    Ok(())
}

fn write_number<T: std::fmt::Debug + Copy + AsBytes>(value: T, out: &mut Vec<u8>) {
    value.append_to(out);
}

trait AsBytes {
    fn append_to(self, out: &mut Vec<u8>);
}

macro_rules! as_bytes {
    ($($ty:ty),*) => {$(
        impl AsBytes for $ty {
            fn append_to(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

as_bytes!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64);

impl AsBytes for entasis_types::u256 {
    fn append_to(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.to_string().as_bytes());
        out.push(0);
    }
}

impl AsBytes for entasis_types::i256 {
    fn append_to(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.to_string().as_bytes());
        out.push(0);
    }
}
