//! Turns JSON values into values of types.

use entasis_column::ColumnBuilder;
use entasis_types::text::{read_date, read_datetime, read_f64};
use entasis_types::{DataType, TextType, TimeZone, TupleType};

use super::value::{Json, Value};

/// Appends the value as one of the type; false, and nothing appended, where it cannot be one.
pub fn push(json: Json, ty: &DataType, zone: TimeZone, out: &mut ColumnBuilder) -> bool {
    match (ty, out) {
        (DataType::LowCardinality(inner) | DataType::Nested(inner), out) => {
            push(json, inner, zone, out)
        }
        (DataType::Nullable(inner), ColumnBuilder::Nullable { validity, values }) => {
            let known = !json.is_null() && push(json, inner, zone, values);
            if !known {
                values.push_default();
            }
            validity.push(known);
            true
        }
        (DataType::Array(inner), ColumnBuilder::Array { offsets, values }) => {
            let Value::Array(items) = json.value() else { return false };
            push_all(items, inner, zone, values);
            offsets.push(values.len() as u32);
            true
        }
        (DataType::Map(_), ColumnBuilder::Array { offsets, values }) => {
            let (Value::Object(members), Some((key, value))) = (json.value(), ty.as_map()) else {
                return false;
            };
            let ColumnBuilder::Tuple { columns, len } = &mut **values else { return false };
            for (name, member) in members {
                for (part, (ty, column)) in
                    [name, member].into_iter().zip([key, value].into_iter().zip(&mut *columns))
                {
                    if !push(part, ty, zone, column) {
                        column.push_default();
                    }
                }
                *len += 1;
            }
            offsets.push(*len as u32);
            true
        }
        (DataType::Tuple(tuple), ColumnBuilder::Tuple { columns, len }) => {
            let done = push_tuple(json, tuple, zone, columns);
            *len += usize::from(done);
            done
        }
        (ty, out) => push_plain(json, ty, zone, out),
    }
}

/// Appends the values, a default for each that cannot be one.
pub fn push_all<'j>(
    items: impl Iterator<Item = Json<'j>>,
    ty: &DataType,
    zone: TimeZone,
    out: &mut ColumnBuilder,
) {
    for item in items {
        if !push(item, ty, zone, out) {
            out.push_default();
        }
    }
}

/// Members by the elements' names, else by their places.
fn push_tuple(
    json: Json,
    tuple: &TupleType,
    zone: TimeZone,
    columns: &mut [ColumnBuilder],
) -> bool {
    let value = json.value();
    let part = |i: usize| match (value.clone(), &tuple.names) {
        (Value::Array(mut items), _) => items.nth(i),
        (Value::Object(members), Some(names)) => members.named(names[i].as_bytes()),
        (Value::Object(mut members), None) => members.nth(i).map(|(_, value)| value),
        _ => None,
    };
    if !matches!(value, Value::Array(_) | Value::Object(_)) {
        return false;
    }
    for (i, (ty, column)) in tuple.types.iter().zip(columns).enumerate() {
        if !part(i).is_some_and(|value| push(value, ty, zone, column)) {
            column.push_default();
        }
    }
    true
}

/// A whole number, of a number or of its text; `None` where there is none.
pub fn whole(json: Json) -> Option<i128> {
    whole_of(json.value())
}

fn whole_of(value: Value) -> Option<i128> {
    match value {
        Value::Int(value) => Some(value.into()),
        Value::UInt(value) => Some(value.into()),
        Value::Bool(value) => Some(value.into()),
        Value::Float(value) if value.abs() < 1e37 => Some(value as i128),
        Value::String(text) => std::str::from_utf8(text).ok()?.parse().ok(),
        _ => None,
    }
}

/// A number, of a number or of its text.
pub fn float(json: Json) -> Option<f64> {
    match json.value() {
        Value::Float(value) => Some(value),
        Value::String(text) => {
            let mut rest = text;
            read_f64(&mut rest).filter(|_| rest.is_empty() && !text.is_empty())
        }
        other => whole_of(other).map(|value| value as f64),
    }
}

/// Appends a value's text as strings take it: strings without quotes.
pub fn text_of(json: Json, out: &mut Vec<u8>) {
    match json.value() {
        Value::String(text) => out.extend_from_slice(text),
        _ => json.write(out),
    }
}

fn push_plain(json: Json, ty: &DataType, zone: TimeZone, out: &mut ColumnBuilder) -> bool {
    if let Some(spelled) = TextType::of(ty, zone) {
        return push_spelled(json, &spelled, out);
    }
    match (ty, out) {
        (DataType::Bool, ColumnBuilder::UInt8(out)) => match truth(json) {
            Some(value) => {
                out.push(u8::from(value));
                true
            }
            None => false,
        },
        (DataType::Date, ColumnBuilder::UInt16(out)) => {
            let Value::String(text) = json.value() else { return false };
            let day = whole_text(text, read_date).and_then(|d| u16::try_from(d).ok());
            out.extend(day);
            day.is_some()
        }
        (DataType::DateTime(own), ColumnBuilder::UInt32(out)) => {
            let second = match json.value() {
                Value::String(text) => {
                    whole_text(text, |rest| read_datetime(rest, own.unwrap_or(zone)))
                }
                other => whole_of(other).map(|v| v as i64),
            };
            let second = second.and_then(|s| u32::try_from(s).ok());
            out.extend(second);
            second.is_some()
        }
        (_, ColumnBuilder::String(out)) => {
            if json.is_null() {
                return false;
            }
            text_of(json, &mut out.data);
            out.close();
            true
        }
        (_, ColumnBuilder::Fixed { width, data }) => {
            let mut text = Vec::new();
            text_of(json, &mut text);
            if json.is_null() || text.len() > *width {
                return false;
            }
            text.resize(*width, 0);
            data.extend_from_slice(&text);
            true
        }
        (_, out) => push_number(json, out),
    }
}

/// What a text says, if that is all it says.
fn whole_text<T>(text: &[u8], read: impl Fn(&mut &[u8]) -> Option<T>) -> Option<T> {
    let mut rest = text;
    read(&mut rest).filter(|_| rest.is_empty())
}

/// Truth of a Bool or a number.
pub fn truth(json: Json) -> Option<bool> {
    match json.value() {
        Value::String(_) => None,
        other => whole_of(other).map(|value| value != 0),
    }
}

fn push_spelled(json: Json, spelled: &TextType, out: &mut ColumnBuilder) -> bool {
    let mut text = Vec::new();
    match json.value() {
        Value::Null | Value::Array(_) | Value::Object(_) | Value::Bool(_) => return false,
        Value::Int(value) if !matches!(spelled, TextType::Decimal(..)) => {
            return match spelled.of_number(value.into()) {
                Ok(bits) => out.push_bits(bits).is_ok(),
                Err(_) => false,
            };
        }
        _ => text_of(json, &mut text),
    }
    match spelled.parse(&text) {
        Ok(bits) => out.push_bits(bits).is_ok(),
        Err(_) => false,
    }
}

fn push_number(json: Json, out: &mut ColumnBuilder) -> bool {
    macro_rules! integer {
        ($values:ident) => {
            match whole(json).and_then(|value| value.try_into().ok()) {
                Some(value) => {
                    $values.push(value);
                    true
                }
                None => false,
            }
        };
    }
    match out {
        ColumnBuilder::UInt8(v) => integer!(v),
        ColumnBuilder::UInt16(v) => integer!(v),
        ColumnBuilder::UInt32(v) => integer!(v),
        ColumnBuilder::UInt64(v) => integer!(v),
        ColumnBuilder::Int8(v) => integer!(v),
        ColumnBuilder::Int16(v) => integer!(v),
        ColumnBuilder::Int32(v) => integer!(v),
        ColumnBuilder::Int64(v) => integer!(v),
        ColumnBuilder::UInt128(v) => integer!(v),
        ColumnBuilder::UInt256(v) => integer!(v),
        ColumnBuilder::Int128(v) => integer!(v),
        ColumnBuilder::Int256(v) => integer!(v),
        ColumnBuilder::Float32(v) => {
            let value = float(json);
            v.extend(value.map(|x| x as f32));
            value.is_some()
        }
        ColumnBuilder::Float64(v) => {
            let value = float(json);
            v.extend(value);
            value.is_some()
        }
        _ => false,
    }
}
