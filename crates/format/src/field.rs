//! Reading values: the TSV form of whole fields, and the quoted form of array elements.
//!
//! Readers take from the front of `input` and leave what follows to the caller, who checks that a
//! delimiter stands there: so a number's reader may stop anywhere.

use entasis_base::codes;
use entasis_column::{ColumnBuilder, StringsBuilder};
use entasis_types::text::{read_date, read_datetime, read_f64, read_u64};
use entasis_types::{DataType, TimeZone};

use crate::escape::unescape;
use crate::fault::{Parse, expected, fault};

/// Arrays in arrays and tuples in tuples, at most.
const MAX_DEPTH: usize = 100;

/// How values of a type are read; joined with a builder of the same layout.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Number,
    Bool,
    Date,
    DateTime(TimeZone),
    String,
    Fixed,
    Nullable(Box<Self>),
    Array(Box<Self>),
    Tuple(Vec<Self>, Vec<String>),
    Nothing,
}

impl Kind {
    pub(crate) fn new(ty: &DataType, zone: TimeZone) -> Self {
        match ty {
            DataType::Nullable(inner) => Self::Nullable(Box::new(Self::new(inner, zone))),
            DataType::Array(inner) => Self::Array(Box::new(Self::new(inner, zone))),
            DataType::Tuple(tuple) => {
                let names = tuple.names.iter().flatten().map(ToString::to_string).collect();
                Self::Tuple(tuple.types.iter().map(|t| Self::new(t, zone)).collect(), names)
            }
            DataType::Bool => Self::Bool,
            DataType::Date => Self::Date,
            DataType::DateTime(own) => Self::DateTime(own.unwrap_or(zone)),
            DataType::String | DataType::AggregateFunction(_) => Self::String,
            DataType::FixedString(_) => Self::Fixed,
            DataType::Nothing => Self::Nothing,
            _ => Self::Number,
        }
    }

    /// Whether values are any bytes.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::String | Self::Fixed)
    }
}

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
        _ => return mismatch(),
    }
    Ok(())
}

#[cold]
fn mismatch<T>() -> Parse<T> {
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
pub(crate) fn datetime(builder: &mut ColumnBuilder, zone: TimeZone, input: &mut &[u8]) -> Parse {
    let Some(second) = read_compact(input, zone).or_else(|| read_datetime(input, zone)) else {
        let message = "Cannot read DateTime: neither Date nor Time was parsed successfully";
        return fault(codes::CANNOT_PARSE_DATETIME, message);
    };
    match builder {
        ColumnBuilder::UInt32(v) => v.push(second.clamp(0, i64::from(u32::MAX)) as u32),
        _ => return mismatch(),
    }
    Ok(())
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

/// Length of the text before the next tab, line feed or backslash.
#[inline]
fn plain_run(input: &[u8]) -> usize {
    let short = &input[..input.len().min(16)];
    for (i, &b) in short.iter().enumerate() {
        if b <= b'\\' && (b == b'\t' || b == b'\n' || b == b'\\') {
            return i;
        }
    }
    let rest = &input[short.len()..];
    short.len() + memchr::memchr3(b'\t', b'\n', b'\\', rest).unwrap_or(rest.len())
}

/// Reads an escaped string up to a tab or line feed.
#[inline]
fn escaped(out: &mut Vec<u8>, input: &mut &[u8]) -> Parse {
    loop {
        let run = plain_run(input);
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
pub(crate) fn read_tsv(kind: &Kind, builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    match (kind, builder) {
        (Kind::Number, builder) if input.first() != Some(&b'\\') => number(builder, input),
        (Kind::String, ColumnBuilder::String(strings)) => escaped_string(strings, input),
        (kind, builder) => read_tsv_rest(kind, builder, input),
    }
}

fn read_tsv_rest(kind: &Kind, builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    if input.starts_with(b"\\N") && at_delimiter(&input[2..]) {
        *input = &input[2..];
        builder.push_default();
        return Ok(());
    }
    match (kind, builder) {
        (Kind::Nullable(inner), ColumnBuilder::Nullable { validity, values }) => {
            validity.push(true);
            read_tsv(inner, values, input)
        }
        (Kind::Number, builder) => number(builder, input),
        (Kind::Bool, builder) => boolean(builder, input),
        (Kind::Date, builder) => date(builder, input),
        (Kind::DateTime(zone), builder) => datetime(builder, *zone, input),
        (Kind::Fixed, builder) => {
            let mut text = Vec::new();
            escaped(&mut text, input)?;
            push_text(builder, &text)
        }
        (Kind::Nothing, _) => expected("\\N", input),
        (kind, builder) => read_quoted(kind, builder, input, 0),
    }
}

/// Reads a field of TSVRaw: strings without escapes.
pub(crate) fn read_raw(kind: &Kind, builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    match (kind, builder) {
        (Kind::String | Kind::Fixed, builder) => {
            let end = memchr::memchr2(b'\t', b'\n', input).unwrap_or(input.len());
            push_text(builder, &input[..end])?;
            *input = &input[end..];
            Ok(())
        }
        (Kind::Nullable(inner), ColumnBuilder::Nullable { validity, values })
            if !(input.starts_with(b"\\N") && at_delimiter(&input[2..])) =>
        {
            validity.push(true);
            read_raw(inner, values, input)
        }
        (kind, builder) => read_tsv_rest(kind, builder, input),
    }
}

/// Skips spaces, tabs and line ends.
#[inline]
pub(crate) fn skip_space(input: &mut &[u8]) {
    while let Some(b' ' | b'\t' | b'\n' | b'\r' | 11 | 12) = input.first() {
        *input = &input[1..];
    }
}

/// Takes `byte` from the front.
#[inline]
pub(crate) fn take(input: &mut &[u8], byte: u8) -> bool {
    let found = input.first() == Some(&byte);
    if found {
        *input = &input[1..];
    }
    found
}

pub(crate) fn require(input: &mut &[u8], byte: u8) -> Parse {
    match take(input, byte) {
        true => Ok(()),
        false => expected(&(byte as char).to_string(), input),
    }
}

/// Takes `word` in any case, if no letter or digit follows.
pub(crate) fn take_word(input: &mut &[u8], word: &[u8]) -> bool {
    let Some(text) = input.get(..word.len()) else { return false };
    let goes_on = input.get(word.len()).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let found = text.eq_ignore_ascii_case(word) && !goes_on;
    if found {
        *input = &input[word.len()..];
    }
    found
}

/// Reads a string in `quote`s: backslash escapes, and the quote doubled.
pub(crate) fn quoted_text(out: &mut Vec<u8>, input: &mut &[u8], quote: u8) -> Parse {
    if !take(input, quote) {
        let message = match input.first() {
            Some(b) => format!(
                "Cannot parse quoted string: expected opening quote '{}', got '{}'",
                quote as char,
                String::from_utf8_lossy(&[*b])
            ),
            None => format!(
                "Cannot parse quoted string: expected opening quote '{}', got end of stream",
                quote as char
            ),
        };
        return fault(codes::CANNOT_PARSE_QUOTED_STRING, message);
    }
    loop {
        let run = memchr::memchr2(quote, b'\\', input).unwrap_or(input.len());
        out.extend_from_slice(&input[..run]);
        *input = &input[run..];
        match input.split_first() {
            Some((b'\\', rest)) => {
                *input = rest;
                if unescape(input, out).is_some() {
                    continue;
                }
            }
            Some((_, rest)) => {
                *input = rest;
                if !take(input, quote) {
                    return Ok(());
                }
                out.push(quote);
                continue;
            }
            None => {}
        }
        let message = "Cannot parse quoted string: expected closing quote";
        return fault(codes::CANNOT_PARSE_QUOTED_STRING, message);
    }
}

/// Reads a value as it stands inside an array or a tuple.
pub(crate) fn read_quoted(
    kind: &Kind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
    depth: usize,
) -> Parse {
    if depth > MAX_DEPTH {
        return fault(codes::TOO_DEEP_RECURSION, "Arrays or tuples are nested too deep");
    }
    match (kind, builder) {
        (Kind::Number, builder) => number(builder, input),
        (Kind::Bool, builder) => boolean(builder, input),
        (Kind::String, ColumnBuilder::String(strings)) => {
            quoted_text(&mut strings.data, input, b'\'')?;
            strings.close();
            Ok(())
        }
        (Kind::Fixed, builder) => {
            let mut text = Vec::new();
            quoted_text(&mut text, input, b'\'')?;
            push_text(builder, &text)
        }
        (Kind::Date, builder) => {
            require(input, b'\'')?;
            date(builder, input)?;
            require(input, b'\'')
        }
        (Kind::DateTime(zone), builder) => {
            let is_quoted = take(input, b'\'');
            datetime(builder, *zone, input)?;
            if is_quoted { require(input, b'\'') } else { Ok(()) }
        }
        (Kind::Nullable(_) | Kind::Nothing, builder) if take_word(input, b"NULL") => {
            builder.push_default();
            Ok(())
        }
        (Kind::Nullable(inner), ColumnBuilder::Nullable { validity, values }) => {
            validity.push(true);
            read_quoted(inner, values, input, depth + 1)
        }
        (Kind::Array(inner), ColumnBuilder::Array { offsets, values }) => {
            read_array(inner, values, input, depth)?;
            offsets.push(values.len() as u32);
            Ok(())
        }
        (Kind::Tuple(kinds, _), ColumnBuilder::Tuple { columns, len }) => {
            *len += 1;
            read_tuple(kinds, columns, input, depth)
        }
        (Kind::Nothing, _) => expected("NULL", input),
        _ => mismatch(),
    }
}

fn read_array(kind: &Kind, values: &mut ColumnBuilder, input: &mut &[u8], depth: usize) -> Parse {
    if !take(input, b'[') {
        let message = "Array does not start with '[' character";
        return fault(codes::CANNOT_READ_ARRAY_FROM_TEXT, message);
    }
    skip_space(input);
    while !take(input, b']') {
        read_quoted(kind, values, input, depth + 1)?;
        skip_space(input);
        match input.first() {
            Some(b',') => {
                *input = &input[1..];
                skip_space(input);
            }
            Some(b']') => {}
            Some(&other) => {
                let found = String::from_utf8_lossy(&[other]).into_owned();
                let message = format!(
                    "Cannot read array from text, expected comma or end of array, found '{found}'"
                );
                return fault(codes::CANNOT_READ_ARRAY_FROM_TEXT, message);
            }
            None => return expected("]", input),
        }
    }
    Ok(())
}

fn read_tuple(
    kinds: &[Kind],
    columns: &mut [ColumnBuilder],
    input: &mut &[u8],
    depth: usize,
) -> Parse {
    require(input, b'(')?;
    for (i, (kind, column)) in kinds.iter().zip(columns).enumerate() {
        skip_space(input);
        if i > 0 {
            require(input, b',')?;
            skip_space(input);
        }
        read_quoted(kind, column, input, depth + 1)?;
    }
    skip_space(input);
    if kinds.len() == 1 && take(input, b',') {
        skip_space(input);
    }
    require(input, b')')
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
            columns.iter_mut().for_each(|c| rollback(c, len));
            *rows = len;
        }
        other => other.truncate(len),
    }
}
