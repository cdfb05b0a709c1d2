//! Converts any column to strings.

use entasis_column::{Column, Native, Strings, StringsBuilder};
use entasis_types::text::{
    NUMBER_ROOM, put_i64, put_u64, write_date, write_datetime, write_f32, write_f64, write_i128,
    write_i256, write_u128, write_u256,
};
use entasis_types::{DataType, TextType, TimeZone};

/// Every row of a full column that is not Nullable as text.
pub fn strings(column: &Column, ty: &DataType, zone: TimeZone) -> Strings {
    let rows = column.len();
    let mut out = StringsBuilder::with_capacity(rows, rows * 8);
    if let Some(spelled) = TextType::of(ty, zone) {
        for i in 0..rows {
            spelled.write(&mut out.data, column.bits(i));
            out.close();
        }
        return out.finish();
    }
    match (ty, column) {
        (DataType::Bool, Column::UInt8(v)) => each(&mut out, v, write_bool),
        (DataType::Date, Column::UInt16(v)) => {
            each(&mut out, v, |out, v| write_date(out, i32::from(v)));
        }
        (DataType::DateTime(own), Column::UInt32(v)) => {
            let zone = own.unwrap_or(zone);
            each(&mut out, v, |out, v| write_datetime(out, i64::from(v), zone));
        }
        (_, Column::UInt8(v)) => integers(&mut out, v, |out, at, v| put_u64(out, at, v.into())),
        (_, Column::UInt16(v)) => integers(&mut out, v, |out, at, v| put_u64(out, at, v.into())),
        (_, Column::UInt32(v)) => integers(&mut out, v, |out, at, v| put_u64(out, at, v.into())),
        (_, Column::UInt64(v)) => integers(&mut out, v, put_u64),
        (_, Column::Int8(v)) => integers(&mut out, v, |out, at, v| put_i64(out, at, v.into())),
        (_, Column::Int16(v)) => integers(&mut out, v, |out, at, v| put_i64(out, at, v.into())),
        (_, Column::Int32(v)) => integers(&mut out, v, |out, at, v| put_i64(out, at, v.into())),
        (_, Column::Int64(v)) => integers(&mut out, v, put_i64),
        (_, Column::UInt128(v)) => each(&mut out, v, write_u128),
        (_, Column::UInt256(v)) => each(&mut out, v, write_u256),
        (_, Column::Int128(v)) => each(&mut out, v, write_i128),
        (_, Column::Int256(v)) => each(&mut out, v, write_i256),
        (_, Column::Float32(v)) => each(&mut out, v, write_f32),
        (_, Column::Float64(v)) => each(&mut out, v, write_f64),
        (_, Column::String(strings)) => return strings.clone(),
        (_, Column::Fixed(fixed)) => {
            for i in 0..rows {
                out.push(without_padding(fixed.get(i)));
            }
        }
        _ => {
            for i in 0..rows {
                write_row(&mut out.data, column, ty, i, zone, false);
                out.close();
            }
        }
    }
    out.finish()
}

/// The bytes without zero bytes at the end.
pub fn without_padding(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1)]
}

fn each<T: Native>(out: &mut StringsBuilder, values: &[T], write: impl Fn(&mut Vec<u8>, T)) {
    for &value in values {
        write(&mut out.data, value);
        out.close();
    }
}

/// Integers are written to a small block first, which is appended as a whole: the place of the next
/// one is then kept in a register.
fn integers<T: Native>(
    out: &mut StringsBuilder,
    values: &[T],
    put: impl Fn(&mut [u8], usize, T) -> usize,
) {
    const ROWS: usize = 64;
    let mut block = [0; ROWS * NUMBER_ROOM];
    let mut ends = [0; ROWS];
    for part in values.chunks(ROWS) {
        let (start, mut at) = (out.data.len() as u32, 0);
        for (end, &value) in ends.iter_mut().zip(part) {
            at = put(&mut block, at, value);
            *end = start + at as u32;
        }
        out.data.extend_from_slice(&block[..at]);
        out.offsets.extend_from_slice(&ends[..part.len()]);
        out.pace();
    }
}

fn write_bool(out: &mut Vec<u8>, value: u8) {
    out.extend_from_slice(if value != 0 { b"true" } else { b"false" });
}

/// One row of a full column; `nested` inside an array or tuple, where strings are quoted.
fn write_row(
    out: &mut Vec<u8>,
    column: &Column,
    ty: &DataType,
    i: usize,
    zone: TimeZone,
    nested: bool,
) {
    let inner = |out: &mut Vec<u8>, column: &Column, ty: &DataType, i: usize| {
        write_row(out, column, ty, i, zone, true);
    };
    match (ty, column) {
        (DataType::Nullable(plain), Column::Nullable(n)) => match n.validity.get(i) {
            true => write_row(out, &n.values, plain, i, zone, nested),
            false => out.extend_from_slice(b"NULL"),
        },
        (DataType::Variant(types), Column::Variant(variant)) => match variant.at(i) {
            Some((values, at)) => {
                let ty = &types[usize::from(variant.discriminators[i])];
                write_row(out, values, ty, at, zone, nested);
            }
            None => out.extend_from_slice(b"NULL"),
        },
        (DataType::Map(_), Column::Array(array)) => {
            let (Some((key, value)), Column::Tuple(pair)) = (ty.as_map(), &array.values) else {
                return;
            };
            out.push(b'{');
            for (k, at) in array.range(i).enumerate() {
                if k > 0 {
                    out.push(b',');
                }
                inner(out, &pair.columns[0], key, at);
                out.push(b':');
                inner(out, &pair.columns[1], value, at);
            }
            out.push(b'}');
        }
        (DataType::Array(element), Column::Array(array)) => {
            out.push(b'[');
            for (k, at) in array.range(i).enumerate() {
                if k > 0 {
                    out.push(b',');
                }
                inner(out, &array.values, element, at);
            }
            out.push(b']');
        }
        (DataType::Tuple(types), Column::Tuple(tuple)) => {
            out.push(b'(');
            for (k, (column, ty)) in tuple.columns.iter().zip(&types.types).enumerate() {
                if k > 0 {
                    out.push(b',');
                }
                inner(out, column, ty, i);
            }
            out.push(b')');
        }
        _ => {
            let text = strings(&column.slice(i, 1), ty, zone);
            if nested && ty.is_quoted() {
                write_quoted(out, text.get(0));
            } else {
                out.extend_from_slice(text.get(0));
            }
        }
    }
}

fn write_quoted(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'\'');
    for &byte in text {
        let escaped = match byte {
            b'\'' | b'\\' => byte,
            b'\n' => b'n',
            b'\t' => b't',
            b'\r' => b'r',
            0 => b'0',
            8 => b'b',
            12 => b'f',
            _ => {
                out.push(byte);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', escaped]);
    }
    out.push(b'\'');
}
