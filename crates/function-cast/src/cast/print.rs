//! Converts any column to strings.

use entasis_base::scope;
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
        _ => nested_rows(&mut out, column, ty, zone),
    }
    out.finish()
}

/// Most rows of arrays, tuples and maps whose elements are printed at once, and most elements of
/// their arrays: they stay within the cache.
const WINDOW_ROWS: usize = 1 << 12;
const WINDOW_ELEMENTS: usize = 1 << 15;

/// Prints arrays, tuples, maps and variants: first the elements of some rows, column by column, and
/// then the rows out of these texts.
fn nested_rows(out: &mut StringsBuilder, column: &Column, ty: &DataType, zone: TimeZone) {
    let mut start = 0;
    while start < column.len() {
        let rows = window(column, start);
        let part = column.slice(start, rows);
        // The texts of a very long array would take much more memory than the array, and its text
        // may not fit into memory either.
        let texts = match long_array(&part) {
            Some(elements) => {
                scope::check_or_unwind(ELEMENT_BYTES * elements);
                part
            }
            None => with_texts(&part, ty, zone),
        };
        for i in 0..rows {
            write_row(&mut out.data, &texts, ty, i, zone, false);
            out.close();
        }
        start += rows;
    }
}

/// About how many bytes an element of a long array takes in its text.
const ELEMENT_BYTES: usize = 8;

/// The number of elements, if a row is an array with more than may be printed at once.
fn long_array(column: &Column) -> Option<usize> {
    let Column::Array(array) = column else { return None };
    let elements = (array.offsets[array.offsets.len() - 1] - array.offsets[0]) as usize;
    (elements > 16 * WINDOW_ELEMENTS).then_some(elements)
}

/// The number of rows from `start` on that are printed at once: one at least.
fn window(column: &Column, start: usize) -> usize {
    let most = WINDOW_ROWS.min(column.len() - start);
    let Column::Array(array) = column else { return most };
    let offsets = &array.offsets[start..=start + most];
    let end = offsets[0] as usize + WINDOW_ELEMENTS;
    offsets[1..].partition_point(|offset| *offset as usize <= end).max(1)
}

/// The column with texts in the place of all values that are not nested. A Variant stays as it is.
fn with_texts(column: &Column, ty: &DataType, zone: TimeZone) -> Column {
    let tuple = |columns: &[Column], types: &[&DataType], rows: usize| {
        let columns = columns.iter().zip(types).map(|(c, ty)| with_texts(c, ty, zone));
        Column::tuple(columns.collect(), rows)
    };
    match (ty, column) {
        (DataType::Nullable(plain), Column::Nullable(n)) => {
            Column::nullable(with_texts(&n.values, plain, zone), n.validity.clone())
        }
        (DataType::Map(_) | DataType::Array(_), Column::Array(array)) => {
            // The values of a slice contain those of all other rows.
            let (from, to) = (array.offsets[0], array.offsets[array.offsets.len() - 1]);
            let values = array.values.slice(from as usize, (to - from) as usize);
            let values = match (ty.as_map(), ty, &values) {
                (Some((key, value)), _, Column::Tuple(pair)) => {
                    tuple(&pair.columns, &[key, value], values.len())
                }
                (_, DataType::Array(element), _) => with_texts(&values, element, zone),
                _ => values,
            };
            let offsets: Vec<u32> = array.offsets.iter().map(|offset| offset - from).collect();
            Column::array(offsets.into(), values)
        }
        (DataType::Tuple(types), Column::Tuple(of)) => {
            tuple(&of.columns, &types.types.iter().collect::<Vec<_>>(), of.len)
        }
        // Of what has no values, only NULLs are printed.
        (_, Column::Variant(_) | Column::Nothing(_)) => column.clone(),
        _ => strings(column, ty, zone).into(),
    }
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

/// One row of a full column, or of one [`with_texts`]; `nested` inside an array or tuple, where
/// strings are quoted.
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
        (_, Column::String(texts)) => write_text(out, texts.get(i), nested && ty.is_quoted()),
        _ => {
            let text = strings(&column.slice(i, 1), ty, zone);
            write_text(out, text.get(0), nested && ty.is_quoted());
        }
    }
}

fn write_text(out: &mut Vec<u8>, text: &[u8], quoted: bool) {
    if quoted {
        write_quoted(out, text);
    } else {
        out.extend_from_slice(text);
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
