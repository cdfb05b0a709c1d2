//! Reads JSON values into a column, or skips them.

use entasis_base::codes;
use entasis_column::ColumnBuilder;

use super::variant::read_variant;
use crate::JsonInput;
use crate::escape;
use crate::fault::{Parse, expected, fault, quoted};
use crate::field::{FieldKind, boolean, date, datetime, mismatch, number, push_text_of, read_raw};
use crate::quoted::{require, skip_space, take};
use crate::rows::Got;

/// Objects and arrays in each other, at most.
pub(super) const MAX_DEPTH: usize = 1000;

/// Reads a string and appends it.
pub(crate) fn string(out: &mut Vec<u8>, input: &mut &[u8]) -> Parse {
    string_with(out, input, true)
}

/// [`string`]; without `is_strict` a `\u` that is no character stands for itself.
fn string_with(out: &mut Vec<u8>, input: &mut &[u8], is_strict: bool) -> Parse {
    let code = codes::CANNOT_PARSE_QUOTED_STRING;
    if !take(input, b'"') {
        return fault(code, "Cannot parse JSON string: expected opening quote");
    }
    loop {
        let run = memchr::memchr2(b'"', b'\\', input).unwrap_or(input.len());
        out.extend_from_slice(&input[..run]);
        *input = &input[run..];
        match *input {
            [b'"', ..] => {
                *input = &input[1..];
                return Ok(());
            }
            [b'\\', b'u', ..] => {
                *input = &input[2..];
                let behind = *input;
                let c = match code_point(input) {
                    Err(_) if !is_strict => {
                        out.extend_from_slice(b"\\u");
                        *input = behind;
                        continue;
                    }
                    found => found?,
                };
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            [b'\\', letter, ..] if !b"abefnrtv0Nx\\'\"`/=\n\t".contains(letter) => {
                out.push(*letter);
                *input = &input[2..];
            }
            [b'\\', _, ..] => {
                *input = &input[1..];
                escape::unescape(input, out);
            }
            _ => return fault(code, "Cannot parse JSON string: expected closing quote"),
        }
    }
}

/// The character behind `\u`, of one or two parts.
fn code_point(input: &mut &[u8]) -> Parse<char> {
    let mut part = || -> Option<u32> {
        let text = std::str::from_utf8(input.get(..4)?).ok()?;
        let value = u32::from_str_radix(text, 16).ok()?;
        *input = &input[4..];
        Some(value)
    };
    let code = codes::CANNOT_PARSE_ESCAPE_SEQUENCE;
    let Some(high) = part() else {
        let message = "Cannot parse escape sequence: less than four hex digits";
        return fault(code, message);
    };
    if !(0xD800..0xDC00).contains(&high) {
        return Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    let missing = "Cannot parse escape sequence: missing second part of surrogate pair";
    if !input.starts_with(b"\\u") {
        return fault(code, missing);
    }
    *input = &input[2..];
    let text = input.get(..4).and_then(|t| std::str::from_utf8(t).ok());
    let low = text.and_then(|t| u32::from_str_radix(t, 16).ok());
    match low {
        Some(low @ 0xDC00..=0xDFFF) => {
            *input = &input[4..];
            let code_point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            Ok(char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER))
        }
        _ => fault(code, missing),
    }
}

/// Skips any value.
pub(crate) fn skip_value(input: &mut &[u8], depth: usize) -> Parse {
    if depth > MAX_DEPTH {
        return fault(codes::TOO_DEEP_RECURSION, "JSON is nested too deep");
    }
    match input.first() {
        Some(b'"') => {
            string(&mut Vec::new(), input)?;
            Ok(())
        }
        Some(&open @ (b'{' | b'[')) => {
            let close = open + 2; // in ASCII both closing brackets stand two behind
            *input = &input[1..];
            skip_space(input);
            let mut is_first = true;
            while !take(input, close) {
                if !is_first {
                    require(input, b',')?;
                    skip_space(input);
                }
                is_first = false;
                if open == b'{' {
                    string(&mut Vec::new(), input)?;
                    skip_space(input);
                    require(input, b':')?;
                    skip_space(input);
                }
                skip_value(input, depth + 1)?;
                skip_space(input);
            }
            Ok(())
        }
        _ => {
            let len = input.iter().take_while(|b| is_bare(**b)).count();
            if len == 0 {
                return expected("value", input);
            }
            *input = &input[len..];
            Ok(())
        }
    }
}

fn is_bare(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')
}

fn take_null(input: &mut &[u8]) -> bool {
    let found = input.starts_with(b"null");
    if found {
        *input = &input[4..];
    }
    found
}

/// Reads a string that holds the text of a value.
pub(super) fn read_text(
    kind: &FieldKind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
) -> Parse<Got> {
    let mut text = Vec::new();
    string(&mut text, input)?;
    if kind.has_null() && [&b"NULL"[..], "ᴺᵁᴸᴸ".as_bytes()].contains(&&text[..]) {
        builder.push_default();
        return Ok(Got::Value);
    }
    whole_text(kind, builder, &text)
}

/// Reads a value whose text is known.
fn whole_text(kind: &FieldKind, builder: &mut ColumnBuilder, text: &[u8]) -> Parse<Got> {
    match (kind, builder) {
        (FieldKind::Nullable(inner), ColumnBuilder::Nullable { validity, values }) => {
            validity.push(true);
            whole_text(inner, values, text)
        }
        (FieldKind::Variant(alternatives), builder) => {
            alternatives.push_text(builder, text)?;
            Ok(Got::Value)
        }
        (FieldKind::String | FieldKind::Fixed | FieldKind::TextType(..), builder) => {
            push_text_of(kind, builder, text)?;
            Ok(Got::Value)
        }
        (_, builder) if text == b"NULL" => {
            builder.push_default();
            Ok(Got::Null)
        }
        (_, _) if text.is_empty() => {
            fault(codes::ATTEMPT_TO_READ_AFTER_EOF, "Attempt to read after eof")
        }
        (kind, builder) => {
            let mut rest = text;
            let got = read_raw(kind, builder, &mut rest)?;
            if rest.is_empty() {
                return Ok(got);
            }
            let message = format!("Unexpected data {} after parsed value", quoted(rest));
            fault(codes::UNEXPECTED_DATA_AFTER_PARSED_VALUE, message)
        }
    }
}

/// How deep a value stands, and what settings say of reading it.
#[derive(Clone, Copy)]
pub(crate) struct Nest {
    pub(super) depth: usize,
    json: JsonInput,
}

impl Nest {
    /// Of a value of a row.
    pub(crate) fn new(json: JsonInput) -> Self {
        Self { depth: 0, json }
    }

    pub(super) fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

/// Reads a value of the kind.
pub(crate) fn read_value(
    kind: &FieldKind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
    nest: Nest,
) -> Parse<Got> {
    if nest.depth > MAX_DEPTH {
        return fault(codes::TOO_DEEP_RECURSION, "JSON is nested too deep");
    }
    if input.first() == Some(&b'n') && take_null(input) {
        builder.push_default();
        return Ok(if kind.has_null() { Got::Value } else { Got::Null });
    }
    if nest.json.empty_as_default && input.starts_with(b"\"\"") && !takes_empty(kind) {
        *input = &input[2..];
        builder.push_default();
        return Ok(Got::Nothing);
    }
    plain_value(kind, builder, input, nest)?;
    Ok(Got::Value)
}

/// Whether an empty string is a value of the kind.
fn takes_empty(kind: &FieldKind) -> bool {
    match kind {
        FieldKind::Nullable(inner) => takes_empty(inner),
        kind => kind.is_text(),
    }
}

/// Reads a value that is not `null`.
pub(super) fn plain_value(
    kind: &FieldKind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
    nest: Nest,
) -> Parse {
    let is_quoted = input.first() == Some(&b'"');
    match (kind, builder) {
        (FieldKind::Nullable(inner), ColumnBuilder::Nullable { validity, values }) => {
            validity.push(true);
            plain_value(inner, values, input, nest.deeper())
        }
        (FieldKind::String, ColumnBuilder::String(strings)) if is_quoted => {
            string_with(&mut strings.data, input, nest.json.strict_escapes)?;
            strings.close();
            Ok(())
        }
        (FieldKind::Variant(alternatives), builder) => {
            read_variant(alternatives, builder, input, nest)
        }
        (FieldKind::Map(key, value), ColumnBuilder::Array { offsets, values }) => {
            if nest.json.maps_as_arrays {
                let names = ["keys".to_string(), "values".to_string()];
                let pair = FieldKind::Tuple(vec![(**key).clone(), (**value).clone()], names.into());
                array(&pair, values, input, nest)?;
            } else {
                map(key, value, values, input, nest)?;
            }
            offsets.push(values.len() as u32);
            Ok(())
        }
        (FieldKind::String | FieldKind::Fixed | FieldKind::TextType(..), builder) => {
            let mut text = Vec::new();
            if is_quoted {
                string(&mut text, input)?;
            } else {
                if matches!(kind, FieldKind::String) {
                    check_text(input, nest.json)?;
                }
                let start = *input; // numbers, objects and arrays as they stand
                skip_value(input, nest.depth)?;
                text.extend_from_slice(&start[..start.len() - input.len()]);
            }
            push_text_of(kind, builder, &text)
        }
        (FieldKind::Array(inner), ColumnBuilder::Array { offsets, values }) => {
            array(inner, values, input, nest).map(|()| offsets.push(values.len() as u32))
        }
        (FieldKind::Tuple(kinds, names), ColumnBuilder::Tuple { columns, len }) => {
            *len += 1;
            tuple(kinds, names, columns, *len, input, nest)
        }
        (FieldKind::Bool(_), builder) => {
            if is_quoted {
                let message = "Invalid boolean value, should be true/false, 1/0, but it starts \
                               with the '\"' character";
                return fault(codes::CANNOT_PARSE_BOOL, message);
            }
            boolean(builder, input)
        }
        (kind, builder) => {
            if is_quoted {
                *input = &input[1..];
            }
            scalar(kind, builder, input, nest.json)?;
            if is_quoted { require(input, b'"') } else { Ok(()) }
        }
    }
}

/// Fails if what stands where a String is wanted may not be taken as text.
fn check_text(input: &[u8], json: JsonInput) -> Parse {
    let (allowed, setting) = match input.first() {
        Some(b'[') => (json.arrays_as_strings, "arrays"),
        Some(b'{') => (json.objects_as_strings, "objects"),
        Some(b't' | b'f') => (json.bools_as_strings, "bools"),
        _ if json.numbers_as_strings => return Ok(()),
        _ => {
            let message = "Cannot parse JSON string: expected opening quote \
                           (input_format_json_read_numbers_as_strings is 0)";
            return fault(codes::CANNOT_PARSE_QUOTED_STRING, message);
        }
    };
    if allowed {
        return Ok(());
    }
    let shown = quoted(&input[..input.len().min(40)]);
    let message = format!(
        "Cannot parse JSON String value here: {shown} (input_format_json_read_{setting}_as_strings \
         is 0)"
    );
    fault(codes::INCORRECT_DATA, message)
}

/// The elements of an array.
fn array(kind: &FieldKind, values: &mut ColumnBuilder, input: &mut &[u8], nest: Nest) -> Parse {
    if !take(input, b'[') {
        let message = "Array does not start with '[' character";
        return fault(codes::CANNOT_READ_ARRAY_FROM_TEXT, message);
    }
    skip_space(input);
    let mut is_first = true;
    while !take(input, b']') {
        if !is_first {
            require(input, b',')?;
            skip_space(input);
        }
        is_first = false;
        read_value(kind, values, input, nest.deeper())?;
        skip_space(input);
    }
    Ok(())
}

/// An object; its keys are text of the key's kind.
fn map(
    key: &FieldKind,
    value: &FieldKind,
    entries: &mut ColumnBuilder,
    input: &mut &[u8],
    nest: Nest,
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
        read_value(key, keys, input, nest.deeper())?;
        skip_space(input);
        require(input, b':')?;
        skip_space(input);
        read_value(value, values, input, nest.deeper())?;
        skip_space(input);
    }
    Ok(())
}

/// A number, date or time, in quotes or not; `true` and `false` are numbers.
fn scalar(
    kind: &FieldKind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
    json: JsonInput,
) -> Parse {
    match kind {
        FieldKind::Date if input.len() > 4 && input[4] == b'-' => return date(builder, input),
        FieldKind::Date if input.first().is_none_or(|b| !b.is_ascii_digit()) => {
            return date(builder, input);
        }
        FieldKind::DateTime(zone) => return datetime(builder, *zone, input),
        _ => {}
    }
    for (word, digit) in [(&b"true"[..], &b"1"[..]), (b"false", b"0")] {
        let is_float = matches!(builder, ColumnBuilder::Float32(_) | ColumnBuilder::Float64(_));
        if input.starts_with(word) && (json.bools_as_numbers || !is_float) {
            *input = &input[word.len()..];
            return number(builder, &mut &digit[..]);
        }
    }
    let is_unsigned = matches!(
        builder,
        ColumnBuilder::UInt8(_)
            | ColumnBuilder::UInt16(_)
            | ColumnBuilder::UInt32(_)
            | ColumnBuilder::UInt64(_)
            | ColumnBuilder::UInt128(_)
            | ColumnBuilder::UInt256(_)
    );
    if is_unsigned && input.first() == Some(&b'-') {
        let message = "Unsigned type must not contain '-' symbol";
        return fault(codes::CANNOT_PARSE_NUMBER, message);
    }
    number(builder, input)
}

/// An array for a tuple without names, an object for one with; names left out get defaults.
fn tuple(
    kinds: &[FieldKind],
    names: &[String],
    columns: &mut [ColumnBuilder],
    rows: usize,
    input: &mut &[u8],
    nest: Nest,
) -> Parse {
    let names = if nest.json.named_tuples_as_objects { names } else { &[] };
    let (open, close) = if names.is_empty() { (b'[', b']') } else { (b'{', b'}') };
    require(input, open)?;
    skip_space(input);
    let mut count = 0;
    while !take(input, close) {
        if count > 0 {
            require(input, b',')?;
            skip_space(input);
        }
        let mut place = Some(count);
        let mut name = Vec::new();
        if !names.is_empty() {
            string(&mut name, input)?;
            skip_space(input);
            require(input, b':')?;
            skip_space(input);
            place = names.iter().position(|n| n.as_bytes() == name);
        }
        count += 1;
        match place.filter(|i| columns.get(*i).is_some_and(|c| c.len() < rows)) {
            Some(i) => {
                read_value(&kinds[i], &mut columns[i], input, nest.deeper())?;
            }
            None if names.is_empty() => return expected("]", input),
            None if !nest.json.ignore_unknown_keys => {
                let message = format!(
                    "Tuple doesn't have element with name {}, enable setting \
                     input_format_json_ignore_unknown_keys_in_named_tuple",
                    quoted(&name)
                );
                return fault(codes::NOT_FOUND_COLUMN_IN_BLOCK, message);
            }
            None => skip_value(input, nest.depth + 1)?,
        }
        skip_space(input);
    }
    for (i, column) in columns.iter_mut().enumerate() {
        if column.len() < rows {
            if !nest.json.defaults_for_missing && !names.is_empty() {
                let message = format!(
                    "JSON object doesn't contain tuple element {}. If you want to insert defaults \
                     in case of missing elements, enable setting \
                     input_format_json_defaults_for_missing_elements_in_named_tuple",
                    names[i]
                );
                return fault(codes::INCORRECT_DATA, message);
            }
            column.push_default();
        }
    }
    Ok(())
}
