//! Reads values: kinds of readers, scalars, and whole fields of TSV.
//!
//! Readers take from the front of `input` and leave the rest to the caller, who checks that a
//! delimiter follows. The reader of a number may therefore stop anywhere.

use entasis_base::codes;
use entasis_column::{ColumnBuilder, StringsBuilder};
use entasis_simd::byte_set::ByteSet;
use entasis_types::text::{read_date, read_datetime, read_f64, read_u64};
use entasis_types::{EnumType, TextType, TimeZone};

use crate::escape::unescape;
use crate::fault::{Parse, expected, fault};
use crate::options::BoolWords;
use crate::quoted::read_quoted;
use crate::rows::Got;
use crate::wide;

pub(crate) use crate::kind::{FieldKind, Times};

/// Digits as unsigned: `+` allowed, nothing is 0, too large wraps.
#[inline]
fn unsigned(input: &mut &[u8]) -> u64 {
    if let Some(b'+') = input.first() {
        *input = &input[1..];
    }
    read_u64(input).unwrap_or(0)
}

/// Digits as signed: a sign allowed, nothing is 0, too large wraps.
#[inline]
fn signed(input: &mut &[u8]) -> i64 {
    let negative = match input.first() {
        Some(b'-') => true,
        Some(b'+') => false,
        _ => return read_u64(input).unwrap_or(0) as i64,
    };
    *input = &input[1..];
    let value = read_u64(input).unwrap_or(0) as i64;
    if negative { value.wrapping_neg() } else { value }
}

pub(crate) fn float(input: &mut &[u8]) -> Parse<f64> {
    match read_f64(input) {
        Some(value) => Ok(value),
        None => {
            let end = input.iter().take(40).position(|b| b",\t\n)]".contains(b));
            let shown = String::from_utf8_lossy(&input[..end.unwrap_or(input.len().min(40))]);
            let message = format!("Cannot read floating point value here: {shown}");
            fault(codes::CANNOT_PARSE_NUMBER, message)
        }
    }
}

/// Reads a number of the builder's width.
#[inline]
pub(crate) fn number(builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    match builder {
        ColumnBuilder::Int16(v) => v.push(signed(input) as i16),
        ColumnBuilder::Int32(v) => v.push(signed(input) as i32),
        ColumnBuilder::Int64(v) => v.push(signed(input)),
        ColumnBuilder::Int8(v) => v.push(signed(input) as i8),
        ColumnBuilder::UInt8(v) => v.push(unsigned(input) as u8),
        ColumnBuilder::UInt16(v) => v.push(unsigned(input) as u16),
        ColumnBuilder::UInt32(v) => v.push(unsigned(input) as u32),
        ColumnBuilder::UInt64(v) => v.push(unsigned(input)),
        ColumnBuilder::Float32(v) => v.push(float(input)? as f32),
        ColumnBuilder::Float64(v) => v.push(float(input)?),
        builder => return wide::number(builder, input),
    }
    Ok(())
}

#[cold]
pub(crate) fn mismatch<T>() -> Parse<T> {
    fault(codes::LOGICAL_ERROR, "A reader and its column builder differ")
}

/// Reads a date without quotes.
#[inline]
pub(crate) fn date(builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    let Some(days) = read_date(input) else {
        let message = "Cannot parse date: expected a date in the YYYY-MM-DD or YYYYMMDD format";
        return fault(codes::CANNOT_PARSE_DATE, message);
    };
    match builder {
        ColumnBuilder::UInt16(v) => v.push(days.clamp(0, i32::from(u16::MAX)) as u16),
        _ => return mismatch(),
    }
    Ok(())
}

/// Reads a time without quotes.
#[inline]
pub(crate) fn datetime(builder: &mut ColumnBuilder, times: Times, input: &mut &[u8]) -> Parse {
    let start = *input;
    let plain = read_compact(input, times.zone).or_else(|| read_datetime(input, times.zone));
    let second = match times.effort {
        Some(read) if plain.is_none() || goes_on(input) => {
            let text = time_text(start);
            let found = read(text, times.zone);
            if found.is_some() {
                *input = &start[text.len()..];
            }
            found.map(|(second, _)| second).or(plain)
        }
        _ => plain,
    };
    let Some(second) = second else {
        let message = "Cannot read DateTime: neither Date nor Time was parsed successfully";
        return fault(codes::CANNOT_PARSE_DATETIME, message);
    };
    match builder {
        ColumnBuilder::UInt32(v) => v.push(second.clamp(0, i64::from(u32::MAX)) as u32),
        _ => return mismatch(),
    }
    Ok(())
}

/// Whether a byte may be within a time.
fn is_time(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'.' | b':' | b'+' | b'-' | b'/')
}

/// Whether behind what was read as a time something stands that may belong to it.
fn goes_on(rest: &[u8]) -> bool {
    rest.iter().find(|b| **b != b' ').is_some_and(|b| is_time(*b))
}

/// What may be a time at the front of `input`; a comma only behind a weekday.
fn time_text(input: &[u8]) -> &[u8] {
    let is_weekday = input.get(3) == Some(&b',') && input[..3].iter().all(u8::is_ascii_alphabetic);
    let start = if is_weekday { 4 } else { 0 };
    let len = start + input[start..].iter().take_while(|b| is_time(**b)).count();
    input[..len].trim_ascii_end()
}

/// `YYYYMMDDhhmmss`.
fn read_compact(input: &mut &[u8], zone: TimeZone) -> Option<i64> {
    if input.get(4).is_none_or(|b| !b.is_ascii_digit()) {
        return None;
    }
    let digits = input.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits != 14 {
        return None;
    }
    let days = read_date(&mut &input[..8])?;
    let part = |at: usize| i64::from(input[at] - b'0') * 10 + i64::from(input[at + 1] - b'0');
    let time = part(8) * 3600 + part(10) * 60 + part(12);
    *input = &input[14..];
    Some(zone.from_local(i64::from(days) * 86_400 + time))
}

/// The words that stand for true and false, in any case.
const BOOLS: [(&[u8], bool); 16] = [
    (b"true", true),
    (b"false", false),
    (b"1", true),
    (b"0", false),
    (b"t", true),
    (b"f", false),
    (b"y", true),
    (b"n", false),
    (b"yes", true),
    (b"no", false),
    (b"on", true),
    (b"off", false),
    (b"enable", true),
    (b"disable", false),
    (b"enabled", true),
    (b"disabled", false),
];

/// Reads a Bool outside of arrays and tuples, where settings may choose its words.
pub(crate) fn boolean_or(
    words: Option<&BoolWords>,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
) -> Parse {
    match (words.and_then(|words| words.take(input)), builder) {
        (Some(value), ColumnBuilder::UInt8(v)) => v.push(u8::from(value)),
        (_, builder) => return boolean(builder, input),
    }
    Ok(())
}

/// Reads the number of an enum's value.
pub(crate) fn enum_number(
    names: &EnumType,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
) -> Parse {
    let value = signed(input);
    if i16::try_from(value).ok().and_then(|value| names.name_of(value)).is_none() {
        let message = format!("Unexpected value {value} in enum: only numbers are read");
        return fault(codes::UNKNOWN_ELEMENT_OF_ENUM, message);
    }
    builder.push_bits(value.into()).or_else(|e| fault(e.code(), e.message()))
}

/// Reads a word of letters and digits as a Bool.
pub(crate) fn boolean(builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    let len = input.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    let word = &input[..len];
    let Some((_, value)) = BOOLS.iter().find(|(text, _)| word.eq_ignore_ascii_case(text)) else {
        let shown = String::from_utf8_lossy(&input[..input.len().min(len + 1)]);
        let message = format!(
            "Cannot parse boolean value here: '{shown}', should be 'true' or 'false' controlled by \
             setting bool_true_representation and bool_false_representation or one of \
             True/False/T/F/Y/N/Yes/No/On/Off/Enable/Disable/Enabled/Disabled/1/0"
        );
        return fault(codes::CANNOT_PARSE_BOOL, message);
    };
    match builder {
        ColumnBuilder::UInt8(v) => v.push(u8::from(*value)),
        _ => return mismatch(),
    }
    *input = &input[len..];
    Ok(())
}

/// Appends a value of the kind that stands as text: a string, or what is spelled.
pub(crate) fn push_text_of(kind: &FieldKind, builder: &mut ColumnBuilder, text: &[u8]) -> Parse {
    let FieldKind::TextType(spelled, effort) = kind else { return push_text(builder, text) };
    let number = || std::str::from_utf8(text).ok()?.parse::<i128>().ok();
    let bits = match (spelled, spelled.parse(text)) {
        (_, Ok(bits)) => Ok(bits),
        // A plain number of days or seconds.
        (TextType::Date32 | TextType::DateTime64(..), Err(e)) => match number() {
            Some(number) => spelled.of_number(number),
            None => match (spelled, effort) {
                (TextType::DateTime64(scale, zone), Some(read)) => {
                    read(text.trim_ascii(), *zone).and_then(|time| ticks(time, *scale)).ok_or(e)
                }
                _ => Err(e),
            },
        },
        // Nothing is zero, as for other numbers.
        (TextType::Decimal(..), Err(_)) if text.is_empty() => Ok(0),
        (_, Err(e)) => Err(e),
    };
    match bits {
        Ok(bits) => builder.push_bits(bits).or_else(|e| fault(e.code(), e.message())),
        Err(e) => fault(e.code(), e.message()),
    }
}

/// A time in units of the scale; `None` beyond what they hold.
fn ticks((second, nanosecond): (i64, u32), scale: u8) -> Option<i128> {
    let unit = 10i64.checked_pow(u32::from(scale))?;
    let part = 10u32.checked_pow(9 - u32::from(scale.min(9)))?;
    let whole = second.checked_mul(unit)?;
    whole.checked_add(i64::from(nanosecond / part)).map(i128::from)
}

/// Appends text to a string or fixed-string builder.
pub(crate) fn push_text(builder: &mut ColumnBuilder, text: &[u8]) -> Parse {
    match builder {
        ColumnBuilder::String(strings) => strings.push(text),
        ColumnBuilder::Fixed { width, data } => {
            if text.len() > *width {
                let message = format!("Too large value for FixedString({width})");
                return fault(codes::TOO_LARGE_STRING_SIZE, message);
            }
            data.extend_from_slice(text);
            data.resize(data.len() + *width - text.len(), 0);
        }
        _ => return mismatch(),
    }
    Ok(())
}

/// The bytes that end a run of plain text in TSV.
static SPECIAL: ByteSet = ByteSet::of(b"\t\n\\");

/// Reads an escaped string up to a tab or line feed.
#[inline]
fn escaped(out: &mut Vec<u8>, input: &mut &[u8]) -> Parse {
    loop {
        let run = SPECIAL.find(input);
        out.extend_from_slice(&input[..run]);
        *input = &input[run..];
        if input.first() != Some(&b'\\') {
            return Ok(());
        }
        *input = &input[1..];
        if unescape(input, out).is_none() {
            let message = "Cannot parse escape sequence";
            return fault(codes::CANNOT_PARSE_ESCAPE_SEQUENCE, message);
        }
    }
}

fn escaped_string(strings: &mut StringsBuilder, input: &mut &[u8]) -> Parse {
    escaped(&mut strings.data, input)?;
    strings.close();
    Ok(())
}

/// Whether a TSV field ends here.
#[inline]
pub(crate) fn at_delimiter(input: &[u8]) -> bool {
    matches!(input.first(), None | Some(b'\t' | b'\n'))
}

/// Reads a TSV field. `\N` alone is NULL, or the default of a type without NULL.
#[inline]
pub(crate) fn read_tsv(
    kind: &FieldKind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
) -> Parse<Got> {
    match (kind, builder) {
        (FieldKind::Number, builder) if input.first() != Some(&b'\\') => number(builder, input)?,
        (FieldKind::String, ColumnBuilder::String(strings)) if !is_tsv_null(input) => {
            escaped_string(strings, input)?;
        }
        (kind, builder) => return read_tsv_rest(kind, builder, input),
    }
    Ok(Got::Value)
}

/// Whether `\N` is all that the field holds.
#[inline]
fn is_tsv_null(input: &[u8]) -> bool {
    input.first() == Some(&b'\\') && input.get(1) == Some(&b'N') && at_delimiter(&input[2..])
}

fn read_tsv_rest(kind: &FieldKind, builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse<Got> {
    if is_tsv_null(input) {
        *input = &input[2..];
        builder.push_default();
        return Ok(if kind.has_null() { Got::Value } else { Got::Null });
    }
    tsv_value(kind, builder, input)?;
    Ok(Got::Value)
}

fn tsv_value(kind: &FieldKind, builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    match (kind, builder) {
        (FieldKind::Nullable(inner), ColumnBuilder::Nullable { validity, values }) => {
            validity.push(true);
            read_tsv(inner, values, input)?;
            Ok(())
        }
        (FieldKind::Number, builder) => number(builder, input),
        (FieldKind::String, ColumnBuilder::String(strings)) => escaped_string(strings, input),
        (FieldKind::Bool(words), builder) => boolean_or(words.as_deref(), builder, input),
        (FieldKind::EnumNumber(names), builder) => enum_number(names, builder, input),
        (FieldKind::Date, builder) => date(builder, input),
        (FieldKind::DateTime(zone), builder) => datetime(builder, *zone, input),
        (FieldKind::Variant(alternatives), builder) => {
            let mut text = Vec::new();
            escaped(&mut text, input)?;
            alternatives.push_text(builder, &text)
        }
        (FieldKind::Fixed | FieldKind::TextType(..), builder) => {
            let mut text = Vec::new();
            escaped(&mut text, input)?;
            push_text_of(kind, builder, &text)
        }
        (FieldKind::Nothing, _) => expected("\\N", input),
        (kind, builder) => read_quoted(kind, builder, input, 0),
    }
}

/// Reads a field of TSVRaw: strings without escapes.
pub(crate) fn read_raw(
    kind: &FieldKind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
) -> Parse<Got> {
    match (kind, builder) {
        (FieldKind::String | FieldKind::Fixed | FieldKind::TextType(..), builder) => {
            let end = memchr::memchr2(b'\t', b'\n', input).unwrap_or(input.len());
            push_text_of(kind, builder, &input[..end])?;
            *input = &input[end..];
            Ok(Got::Value)
        }
        (FieldKind::Variant(alternatives), builder) if !is_tsv_null(input) => {
            let end = memchr::memchr2(b'\t', b'\n', input).unwrap_or(input.len());
            alternatives.push_text(builder, &input[..end])?;
            *input = &input[end..];
            Ok(Got::Value)
        }
        (FieldKind::Nullable(inner), ColumnBuilder::Nullable { validity, values })
            if !is_tsv_null(input) =>
        {
            validity.push(true);
            read_raw(inner, values, input)
        }
        (kind, builder) => read_tsv_rest(kind, builder, input),
    }
}

/// Takes back what was read of row `len`, be it whole or in part.
pub(crate) fn rollback(builder: &mut ColumnBuilder, len: usize) {
    match builder {
        ColumnBuilder::String(strings) => {
            strings.offsets.truncate(len + 1);
            strings.data.truncate(strings.offsets[len] as usize);
        }
        ColumnBuilder::Nullable { validity, values } => {
            if validity.len() > len {
                let bits = std::mem::take(validity).finish().slice(0, len);
                validity.extend(&bits);
            }
            rollback(values, len);
        }
        ColumnBuilder::Array { offsets, values } => {
            offsets.truncate(len + 1);
            rollback(values, offsets[len] as usize);
        }
        ColumnBuilder::Tuple { columns, len: rows } => {
            for column in columns {
                rollback(column, len);
            }
            *rows = len;
        }
        ColumnBuilder::Variant(variant) => variant.truncate_with(len, rollback),
        other => other.truncate(len),
    }
}
