//! Values as text: only this module prints and reads numbers, dates and times.
//!
//! Writers append to a byte vector and never fail. Readers take from the front of `input`. They
//! return `None` if there is no value there, and leave the text after the value to the caller,
//! because formats and conversions differ only in what they accept after a value. Integer readers
//! wrap around on overflow, as in the reference.

mod date;
mod number;

pub use date::{
    date_from_parts, read_date, read_date_or, read_datetime, read_datetime_parts, read_strict_time,
    write_civil, write_date, write_datetime, write_time_of_day, write_two_digits,
};
pub use number::{
    NUMBER_ROOM, put_i64, put_u64, read_f64, read_i64, read_u64, write_f32, write_f64, write_i64,
    write_u64,
};

use crate::{DataType, TextType, TimeZone, Value};

pub use crate::wide::{read_i256, read_u256, write_i128, write_i256, write_u128, write_u256};

/// Appends a value as TSV writes it, but without escaping, for `toString` of constants, messages
/// and tests. Strings are written as they are and NULL as `ᴺᵁᴸᴸ`; elements of arrays and tuples are
/// quoted.
pub fn write_value(out: &mut Vec<u8>, ty: &DataType, value: &Value, zone: TimeZone) {
    if let (Some((key, of)), Value::Array(entries)) = (ty.as_map(), value) {
        out.push(b'{');
        for (i, entry) in entries.iter().enumerate() {
            if let Value::Tuple(pair) = entry {
                write_element(out, i, key, &pair[0], zone);
                out.push(b':');
                write_element(out, 0, of, &pair[1], zone);
            }
        }
        return out.push(b'}');
    }
    let ty = ty.storage();
    if let (Some(spelled), Some(bits)) = (TextType::of(ty, zone), value.as_bits()) {
        return spelled.write(out, bits);
    }
    match (ty, value) {
        (_, Value::Null) => out.extend_from_slice("ᴺᵁᴸᴸ".as_bytes()),
        (DataType::Nullable(inner), value) => write_value(out, inner, value, zone),
        (DataType::Bool, Value::UInt(v)) => {
            out.extend_from_slice(if *v != 0 { b"true" } else { b"false" });
        }
        (DataType::Date, Value::UInt(days)) => write_date(out, *days as i32),
        (DataType::DateTime(own), Value::UInt(second)) => {
            write_datetime(out, *second as i64, own.unwrap_or(zone));
        }
        (DataType::Float32, Value::Float(v)) => write_f32(out, *v as f32),
        (_, Value::Float(v)) => write_f64(out, *v),
        (_, Value::UInt(v)) => write_u64(out, *v),
        (_, Value::Int(v)) => write_i64(out, *v),
        (_, Value::Wide(v)) => write_i256(out, *v),
        (_, Value::Huge(v)) => write_u256(out, *v),
        (_, Value::String(bytes)) => out.extend_from_slice(bytes),
        (DataType::Array(inner), Value::Array(items)) => {
            out.push(b'[');
            for (i, item) in items.iter().enumerate() {
                write_element(out, i, inner, item, zone);
            }
            out.push(b']');
        }
        (DataType::Tuple(tuple), Value::Tuple(items)) => {
            out.push(b'(');
            for (i, (item, ty)) in items.iter().zip(&tuple.types).enumerate() {
                write_element(out, i, ty, item, zone);
            }
            out.push(b')');
        }
        (DataType::Variant(types), Value::Variant(d, value)) => {
            if let Some(ty) = types.get(usize::from(*d)) {
                write_value(out, ty, value, zone);
            }
        }
        (_, Value::Array(_) | Value::Tuple(_) | Value::Variant(..)) => {}
    }
}

fn write_element(out: &mut Vec<u8>, i: usize, ty: &DataType, value: &Value, zone: TimeZone) {
    if let (DataType::Variant(types), Value::Variant(d, value)) = (ty, value) {
        if let Some(ty) = types.get(usize::from(*d)) {
            write_element(out, i, ty, value, zone);
        }
        return;
    }
    if i > 0 {
        out.push(b',');
    }
    let plain = ty.without_nullable();
    if value.is_null() {
        out.extend_from_slice(b"NULL");
    } else if plain.is_quoted() {
        let mut text = Vec::new();
        write_value(&mut text, ty, value, zone);
        out.push(b'\'');
        for byte in text {
            if byte == b'\'' || byte == b'\\' {
                out.push(b'\\');
            }
            out.push(byte);
        }
        out.push(b'\'');
    } else {
        write_value(out, ty, value, zone);
    }
}
