//! Partitions: which rows belong together, and their ids in the reference's notation.

use std::collections::HashMap;
use std::fmt::Write;

use entasis_column::{Column, match_native};
use entasis_expr::Expr;
use entasis_types::time_zone::{civil_from_days, days_from_civil};
use entasis_types::{DataType, TextType, TimeZone, Value};

use crate::config::plain_column;

/// A partition's id and the text of its key's value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Partition {
    pub(crate) id: String,
    pub(crate) value: String,
}

impl Partition {
    /// The only partition of a table without a partition key.
    pub(crate) fn all() -> Self {
        Self { id: "all".into(), value: "tuple()".into() }
    }

    /// The partition of row `i`, given the key's columns.
    pub(crate) fn of(types: &[DataType], columns: &[Column], i: usize, is_tuple: bool) -> Self {
        if types.is_empty() {
            return Self::all();
        }
        let values: Vec<Value> = columns.iter().map(|c| c.value(i)).collect();
        let texts: Vec<String> =
            types.iter().zip(&values).map(|(ty, v)| text(ty, v, is_tuple)).collect();
        let value = if is_tuple { format!("({})", texts.join(",")) } else { texts.concat() };
        Self { id: id(types, &values), value }
    }
}

/// The types of the key's elements, and whether the key is written as a tuple. Another key, such as
/// a column that has tuples, is its only element.
pub(crate) fn key_types(key: &Expr) -> (Vec<DataType>, bool) {
    match key.ty() {
        DataType::Tuple(tuple) if plain_column(key).is_none() => (tuple.types.clone(), true),
        other => (vec![other.clone()], false),
    }
}

/// The columns of the key's elements.
pub(crate) fn key_columns(column: &Column, is_tuple: bool) -> Vec<Column> {
    match column.full() {
        Column::Tuple(tuple) if is_tuple => tuple.columns.clone(),
        other => vec![other],
    }
}

/// The partition id: whole numbers are joined by `-`; any other key is hashed.
fn id(types: &[DataType], values: &[Value]) -> String {
    let numbers: Option<Vec<String>> =
        types.iter().zip(values).map(|(ty, v)| number(ty, v)).collect();
    if let Some(numbers) = numbers {
        return numbers.join("-");
    }
    let mut bytes = Vec::new();
    for (ty, value) in types.iter().zip(values) {
        hash_value(ty, value, &mut bytes);
    }
    sip_hash_128(&bytes).iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Appends what the reference hashes of a value: the number of its type, and the value as the
/// reference has it in memory (a UUID as two numbers, a Decimal in its width).
fn hash_value(ty: &DataType, value: &Value, bytes: &mut Vec<u8>) {
    if let Some((tag, elements)) = elements_of(ty, value) {
        bytes.push(tag);
        bytes.extend_from_slice(&(elements.len() as u64).to_le_bytes());
        elements.iter().for_each(|(ty, value)| hash_value(ty, value, bytes));
        return;
    }
    match value {
        Value::String(s) if *ty.without_nullable() == DataType::Uuid && s.len() == 16 => {
            bytes.push(4);
            bytes.extend(s[8..].iter().rev().chain(s[..8].iter().rev()));
        }
        Value::Int(_) | Value::Wide(_) if decimal_tag(ty).is_some() => {
            let bits = value.as_bits().unwrap_or_default().to_le_bytes();
            let (tag, width) = decimal_tag(ty).unwrap_or_default();
            bytes.push(tag);
            bytes.extend_from_slice(&bits[..width]);
        }
        value if wide_tag(ty).is_some() && !value.is_null() => {
            let column = Column::from_value(ty.without_nullable(), value, 1).full();
            bytes.push(wide_tag(ty).unwrap_or_default());
            append_key(&column, 0, bytes);
        }
        Value::UInt(v) => {
            bytes.push(1);
            bytes.extend_from_slice(&v.to_le_bytes());
        }
        Value::Int(v) => {
            bytes.push(2);
            bytes.extend_from_slice(&v.to_le_bytes());
        }
        Value::Float(v) => {
            bytes.push(3);
            bytes.extend_from_slice(&v.to_le_bytes());
        }
        Value::String(s) => {
            bytes.push(16);
            bytes.extend_from_slice(&(s.len() as u64).to_le_bytes());
            bytes.extend_from_slice(s);
        }
        Value::Null
        | Value::Wide(_)
        | Value::Huge(_)
        | Value::Array(_)
        | Value::Tuple(_)
        | Value::Variant(..) => bytes.push(0),
    }
}

/// The reference's type number of an array, a tuple or a map, and its elements with their types.
fn elements_of(ty: &DataType, value: &Value) -> Option<(u8, Vec<(DataType, Value)>)> {
    let (Value::Array(values) | Value::Tuple(values)) = value else { return None };
    if let Some((key, of)) = ty.as_map() {
        let pair = DataType::tuple(vec![key.clone(), of.clone()]);
        return Some((26, values.iter().map(|value| (pair.clone(), value.clone())).collect()));
    }
    match ty.storage() {
        DataType::Tuple(tuple) => {
            Some((18, tuple.types.iter().cloned().zip(values.iter().cloned()).collect()))
        }
        other => {
            let element = other.as_array()?;
            Some((17, values.iter().map(|value| (element.clone(), value.clone())).collect()))
        }
    }
}

/// The reference's type number and width in bytes of a Decimal or DateTime64.
fn decimal_tag(ty: &DataType) -> Option<(u8, usize)> {
    match ty.without_nullable() {
        DataType::Decimal(0..=9, _) => Some((19, 4)),
        DataType::Decimal(10..=18, _) | DataType::DateTime64(..) => Some((20, 8)),
        DataType::Decimal(..) => Some((21, 16)),
        _ => None,
    }
}

/// The reference's type number of an integer with 128 or 256 bits.
fn wide_tag(ty: &DataType) -> Option<u8> {
    match ty.without_nullable() {
        DataType::UInt128 => Some(4),
        DataType::Int128 => Some(5),
        DataType::UInt256 => Some(24),
        DataType::Int256 => Some(25),
        _ => None,
    }
}

fn number(ty: &DataType, value: &Value) -> Option<String> {
    match (ty.without_nullable(), value) {
        (DataType::DateTime64(..) | DataType::Decimal(..), _) => None,
        (ty, _) if ty.is_wide_integer() => None,
        (DataType::Date, Value::UInt(days)) => {
            let (year, month, day) = civil_from_days(*days as i32);
            Some(format!("{year:04}{month:02}{day:02}"))
        }
        (_, Value::UInt(v)) => Some(v.to_string()),
        (_, Value::Int(v)) => Some(v.to_string()),
        _ => None,
    }
}

/// The value as `system.parts.partition` shows it.
fn text(ty: &DataType, value: &Value, quoted: bool) -> String {
    if let Some((tag, elements)) = elements_of(ty, value) {
        let of = |(ty, value): &(DataType, Value)| text(ty, value, true);
        let texts: Vec<String> = elements.iter().map(of).collect();
        return match tag {
            26 => {
                let pairs = elements.iter().filter_map(|(ty, pair)| elements_of(ty, pair));
                let pair = |(_, pair): (u8, Vec<(DataType, Value)>)| {
                    pair.iter().map(of).collect::<Vec<_>>().join(":")
                };
                format!("{{{}}}", pairs.map(pair).collect::<Vec<_>>().join(","))
            }
            18 => format!("({})", texts.join(",")),
            _ => format!("[{}]", texts.join(",")),
        };
    }
    let quote = |s: String| if quoted { format!("'{s}'") } else { s };
    let spelled = TextType::of(ty.without_nullable(), TimeZone::utc());
    if let (Some(spelled), Some(bits)) = (spelled, value.as_bits()) {
        let mut out = Vec::new();
        spelled.write(&mut out, bits);
        let out = String::from_utf8_lossy(&out).into_owned();
        return if spelled.is_quoted() { quote(out) } else { out };
    }
    match (ty.without_nullable(), value) {
        (_, Value::Null) => if quoted { "NULL" } else { "ᴺᵁᴸᴸ" }.to_owned(),
        (DataType::Date, Value::UInt(days)) => quote(date(*days as i64)),
        (DataType::DateTime(zone), Value::UInt(seconds)) => {
            let seconds = *seconds as i64;
            let local = zone.map_or(seconds, |zone| zone.to_local(seconds));
            let (days, rest) = (local.div_euclid(86400), local.rem_euclid(86400));
            let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
            quote(format!("{} {hour:02}:{minute:02}:{second:02}", date(days)))
        }
        (DataType::Bool, Value::UInt(v)) => (*v != 0).to_string(),
        (_, Value::UInt(v)) => v.to_string(),
        (_, Value::Int(v)) => v.to_string(),
        (_, Value::Wide(v)) => v.to_string(),
        (_, Value::Huge(v)) => v.to_string(),
        (_, Value::Float(v)) => v.to_string(),
        (_, Value::String(s)) => quote(String::from_utf8_lossy(s).into_owned()),
        _ => String::new(),
    }
}

/// The key's value from the text that [`Partition::of`] wrote. `None` if a type is not a whole
/// number or a date, whose texts alone are known to say the exact value.
pub(crate) fn value_of_text(types: &[DataType], is_tuple: bool, text: &str) -> Option<Vec<Value>> {
    let texts: Vec<&str> = match is_tuple {
        true => text.strip_prefix('(')?.strip_suffix(')')?.split(',').collect(),
        false => vec![text],
    };
    if texts.len() != types.len() {
        return None;
    }
    types.iter().zip(texts).map(|(ty, text)| element_of_text(ty, text.trim_matches('\''))).collect()
}

fn element_of_text(ty: &DataType, text: &str) -> Option<Value> {
    match ty {
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => {
            text.parse().ok().map(Value::UInt)
        }
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => {
            text.parse().ok().map(Value::Int)
        }
        DataType::Date => {
            let mut fields = text.splitn(3, '-').map(str::parse::<u32>);
            let (year, month, day) =
                (fields.next()?.ok()?, fields.next()?.ok()?, fields.next()?.ok()?);
            let days = days_from_civil(year as i32, month, day);
            Some(Value::UInt(u64::try_from(days).ok()?))
        }
        _ => None,
    }
}

fn date(days: i64) -> String {
    let (year, month, day) = civil_from_days(days as i32);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The rows of each distinct key, in order of first appearance; `None` if all rows have the same
/// key.
pub(crate) fn split(columns: &[Column], rows: usize) -> Option<Vec<Vec<u32>>> {
    if columns.iter().all(|c| crate::segment::streams::uniform(c).is_some()) {
        return None;
    }
    let mut groups: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut out: Vec<Vec<u32>> = Vec::new();
    let (mut key, mut last, mut last_group) = (Vec::new(), Vec::new(), usize::MAX);
    for row in 0..rows {
        key.clear();
        for column in columns {
            append_key(column, row, &mut key);
        }
        if last_group == usize::MAX || key != last {
            last_group = *groups.entry(key.clone()).or_insert_with(|| {
                out.push(Vec::new());
                out.len() - 1
            });
            std::mem::swap(&mut key, &mut last);
        }
        out[last_group].push(row as u32);
    }
    (out.len() > 1).then_some(out)
}

/// A hash of row `i` of some columns, by which rows are taken for equal.
pub(crate) fn row_hash(columns: &[Column], i: usize) -> u128 {
    let mut bytes = Vec::new();
    for column in columns {
        append_key(column, i, &mut bytes);
    }
    u128::from_le_bytes(sip_hash_128(&bytes))
}

/// Appends bytes that are equal exactly if the values are equal.
fn append_key(column: &Column, i: usize, out: &mut Vec<u8>) {
    match column {
        Column::Nullable(n) => {
            let valid = n.validity.get(i);
            out.push(u8::from(valid));
            if valid {
                append_key(&n.values, i, out);
            }
        }
        Column::String(s) => crate::bytes::put_bytes(out, s.get(i)),
        Column::Fixed(f) => out.extend_from_slice(f.get(i)),
        Column::Const(c) => append_key(&c.value, 0, out),
        Column::Dict(d) => append_key(&d.dictionary.values, d.codes[i] as usize, out),
        Column::Tuple(t) => t.columns.iter().for_each(|c| append_key(c, i, out)),
        Column::Array(a) => {
            crate::bytes::put_u64(out, a.range(i).len() as u64);
            a.range(i).for_each(|k| append_key(&a.values, k, out));
        }
        Column::Variant(_) => {
            crate::bytes::put_bytes(out, format!("{:?}", column.value(i)).as_bytes());
        }
        other => match_native!(other, v => out.extend_from_slice(&v[i].to_le_bytes()), _ => {}),
    }
}

/// SipHash-2-4 with a zero key and a result of 128 bits, in the reference's variant: both halves
/// come out of one finalisation.
pub(crate) fn sip_hash_128(bytes: &[u8]) -> [u8; 16] {
    let mut v = [
        0x736f_6d65_7073_6575u64,
        0x646f_7261_6e64_6f6d,
        0x6c79_6765_6e65_7261,
        0x7465_6462_7974_6573,
    ];
    let rounds = |v: &mut [u64; 4], n: usize| {
        for _ in 0..n {
            v[0] = v[0].wrapping_add(v[1]);
            v[1] = v[1].rotate_left(13) ^ v[0];
            v[0] = v[0].rotate_left(32);
            v[2] = v[2].wrapping_add(v[3]);
            v[3] = v[3].rotate_left(16) ^ v[2];
            v[0] = v[0].wrapping_add(v[3]);
            v[3] = v[3].rotate_left(21) ^ v[0];
            v[2] = v[2].wrapping_add(v[1]);
            v[1] = v[1].rotate_left(17) ^ v[2];
            v[2] = v[2].rotate_left(32);
        }
    };
    let mut word = |w: u64| {
        v[3] ^= w;
        rounds(&mut v, 2);
        v[0] ^= w;
    };
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        word(chunk.iter().rev().fold(0, |w, &b| w << 8 | u64::from(b)));
    }
    let tail = chunks.remainder().iter().rev().fold(0, |w, &b| w << 8 | u64::from(b));
    word((bytes.len() as u64) << 56 | tail);
    v[2] ^= 0xff;
    rounds(&mut v, 4);
    let mut out = [0; 16];
    out[..8].copy_from_slice(&(v[0] ^ v[1]).to_le_bytes());
    out[8..].copy_from_slice(&(v[2] ^ v[3]).to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(key: &[(DataType, Value)], is_tuple: bool) -> (String, String) {
        let types: Vec<_> = key.iter().map(|(t, _)| t.clone()).collect();
        let columns: Vec<_> = key.iter().map(|(t, v)| Column::from_value(t, v, 1)).collect();
        let partition = Partition::of(&types, &columns, 0, is_tuple);
        (partition.id, partition.value)
    }

    #[test]
    fn names_are_the_reference_s() {
        use DataType::*;
        let abc = (String, Value::from("abc"));
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(partition(&[], true), pair("all", "tuple()"));
        assert_eq!(partition(&[(UInt32, Value::UInt(202101))], false), pair("202101", "202101"));
        assert_eq!(partition(&[(Int64, Value::Int(-5))], false), pair("-5", "-5"));
        let day = (Date, Value::UInt(18632));
        assert_eq!(partition(std::slice::from_ref(&day), false), pair("20210105", "2021-01-05"));
        let key = [(UInt32, Value::UInt(1)), day, (Int64, Value::Int(-5))];
        assert_eq!(partition(&key, true), pair("1-20210105--5", "(1,'2021-01-05',-5)"));
        assert_eq!(
            partition(std::slice::from_ref(&abc), false),
            pair("f815b3f19bae3563399d3c6214a8ed43", "abc")
        );
        assert_eq!(
            partition(&[(UInt32, Value::UInt(202101)), abc], true),
            pair("4eca024f1f17c9d396b48a649e810e85", "(202101,'abc')")
        );
        assert_eq!(
            partition(&[(DataType::nullable(UInt8), Value::Null)], false),
            pair("2b16b490a87466b6a6d34fd9027f3c3d", "ᴺᵁᴸᴸ")
        );
        let time = (DateTime(None), Value::UInt(1609804800));
        assert_eq!(partition(&[time], false), pair("1609804800", "2021-01-05 00:00:00"));
    }

    #[test]
    fn rows_are_split_by_key() {
        let a = Column::from(vec![1u8, 1, 2, 1]);
        assert_eq!(split(std::slice::from_ref(&a), 4), Some(vec![vec![0, 1, 3], vec![2]]));
        assert_eq!(split(&[a.slice(0, 2)], 2), None);
    }
}
