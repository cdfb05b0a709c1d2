//! The quoted form of values, inside arrays and tuples and in Values; also the small steps that all
//! readers of nested text share.

use entasis_base::codes;
use entasis_column::ColumnBuilder;

use crate::escape::unescape;
use crate::fault::{Parse, expected, fault};
use crate::field::{FieldKind, boolean, date, datetime, mismatch, number, push_text, push_text_of};

/// Arrays in arrays and tuples in tuples, at most.
const MAX_DEPTH: usize = 100;

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
    if take(input, byte) { Ok(()) } else { expected(&(byte as char).to_string(), input) }
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
    kind: &FieldKind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
    depth: usize,
) -> Parse {
    if depth > MAX_DEPTH {
        return fault(codes::TOO_DEEP_RECURSION, "Arrays or tuples are nested too deep");
    }
    match (kind, builder) {
        (FieldKind::Number, builder) => number(builder, input),
        (FieldKind::Bool(_), builder) => boolean(builder, input),
        (FieldKind::String, ColumnBuilder::String(strings)) => {
            quoted_text(&mut strings.data, input, b'\'')?;
            strings.close();
            Ok(())
        }
        (FieldKind::Fixed, builder) => {
            let mut text = Vec::new();
            quoted_text(&mut text, input, b'\'')?;
            push_text(builder, &text)
        }
        (FieldKind::TextType(..), builder) => {
            let mut text = Vec::new();
            if input.first() == Some(&b'\'') {
                quoted_text(&mut text, input, b'\'')?;
            } else {
                text.extend_from_slice(take_plain(input));
            }
            push_text_of(kind, builder, &text)
        }
        (FieldKind::Map(key, value), ColumnBuilder::Array { offsets, values }) => {
            read_map(key, value, values, input, depth)?;
            offsets.push(values.len() as u32);
            Ok(())
        }
        (FieldKind::Date, builder) => {
            require(input, b'\'')?;
            date(builder, input)?;
            require(input, b'\'')
        }
        (FieldKind::DateTime(zone), builder) => {
            let is_quoted = take(input, b'\'');
            datetime(builder, *zone, input)?;
            if is_quoted { require(input, b'\'') } else { Ok(()) }
        }
        (FieldKind::Nullable(_) | FieldKind::Nothing, builder) if take_word(input, b"NULL") => {
            builder.push_default();
            Ok(())
        }
        (FieldKind::Nullable(inner), ColumnBuilder::Nullable { validity, values }) => {
            validity.push(true);
            read_quoted(inner, values, input, depth + 1)
        }
        (FieldKind::Array(inner), ColumnBuilder::Array { offsets, values }) => {
            read_array(inner, values, input, depth)?;
            offsets.push(values.len() as u32);
            Ok(())
        }
        (FieldKind::Tuple(kinds, _), ColumnBuilder::Tuple { columns, len }) => {
            *len += 1;
            read_tuple(kinds, columns, input, depth)
        }
        (FieldKind::Variant(alternatives), builder) => {
            alternatives.read_quoted(builder, input, depth)
        }
        (FieldKind::Nothing, _) => expected("NULL", input),
        _ => mismatch(),
    }
}

/// Takes a word up to a delimiter: a number without quotes.
pub(crate) fn take_plain<'a>(input: &mut &'a [u8]) -> &'a [u8] {
    let ends = |b: &u8| matches!(b, b',' | b')' | b']' | b'}' | b':') || b.is_ascii_whitespace();
    let (word, rest) = input.split_at(input.iter().position(ends).unwrap_or(input.len()));
    *input = rest;
    word
}

fn read_map(
    key: &FieldKind,
    value: &FieldKind,
    entries: &mut ColumnBuilder,
    input: &mut &[u8],
    depth: usize,
) -> Parse {
    let ColumnBuilder::Tuple { columns, len } = entries else { return mismatch() };
    let [keys, values] = &mut columns[..] else { return mismatch() };
    require(input, b'{')?;
    skip_space(input);
    let mut is_first = true;
    while !take(input, b'}') {
        if !is_first {
            require(input, b',')?;
            skip_space(input);
        }
        is_first = false;
        *len += 1;
        read_quoted(key, keys, input, depth + 1)?;
        skip_space(input);
        require(input, b':')?;
        skip_space(input);
        read_quoted(value, values, input, depth + 1)?;
        skip_space(input);
    }
    Ok(())
}

fn read_array(
    kind: &FieldKind,
    values: &mut ColumnBuilder,
    input: &mut &[u8],
    depth: usize,
) -> Parse {
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
    kinds: &[FieldKind],
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
