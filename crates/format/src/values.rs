//! Values: reads and writes `(1, 'a'), (2, 'b')`.
//!
//! Plain literals are read by a parser of this module. Any other text between two commas is an
//! expression, which [`crate::Evaluator`] computes if the options have one.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, ColumnBuilder, Field, Header};
use entasis_types::text::{read_i64, read_u64, write_f64};
use entasis_types::{CastTo, Value};

use crate::cell::{FullChunk, Quoted};
use crate::fault::{Parse, expected, fault, quoted};
use crate::field::{FieldKind, boolean, date, datetime, float, push_text, rollback};
use crate::quoted::{quoted_text, read_quoted, require, skip_space, take, take_word};
use crate::registry::{FormatDef, RowSource};
use crate::rows::{Got, RowBuffer, RowBuilders, RowParser, Scan};
use crate::{FormatOptions, OutputFormat, wide};

pub(crate) const FORMATS: &[FormatDef] =
    &[FormatDef { write: Some(writer), rows: Some(rows), ..FormatDef::new("Values") }];

struct ValuesWriter {
    header: Header,
    options: FormatOptions,
    is_first: bool,
}

fn writer(header: &Header, options: &FormatOptions) -> Result<Box<dyn OutputFormat>> {
    let (header, options) = (header.clone(), options.clone());
    Ok(Box::new(ValuesWriter { header, options, is_first: true }))
}

impl OutputFormat for ValuesWriter {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        for row in 0..chunk.rows {
            out.extend_from_slice(if self.is_first { b"(" } else { b",(" });
            self.is_first = false;
            for (i, cell) in cells.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                cell.write::<Quoted>(row, out);
            }
            out.push(b')');
        }
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

struct ValuesRows {
    header: Header,
    kinds: Vec<FieldKind>,
    options: FormatOptions,
}

fn rows(header: &Header, buffer: RowBuffer, options: &FormatOptions) -> Result<RowSource> {
    let kinds = header.iter().map(|f| FieldKind::new(&f.ty, options)).collect();
    let (header, options) = (header.clone(), options.clone());
    Ok((Arc::new(ValuesRows { header, kinds, options }), buffer))
}

/// Bits of [`Scan::state`]: inside quotes, behind a backslash; above them the depth.
const IN_STRING: u32 = 1;
const ESCAPED: u32 = 2;
const DEPTH: u32 = 4;

impl RowParser for ValuesRows {
    fn scan(&self, data: &[u8], scan: &mut Scan) {
        let mut state = scan.state;
        for (i, &b) in data[scan.at..].iter().enumerate() {
            if state & ESCAPED != 0 {
                state &= !ESCAPED;
            } else if state & IN_STRING != 0 {
                match b {
                    b'\'' => state &= !IN_STRING,
                    b'\\' => state |= ESCAPED,
                    _ => {}
                }
            } else {
                match b {
                    b'\'' => state |= IN_STRING,
                    b'(' | b'[' => state = state.saturating_add(DEPTH),
                    b')' | b']' => {
                        state = state.saturating_sub(DEPTH);
                        if state < DEPTH {
                            scan.whole = scan.at + i + 1;
                        }
                    }
                    _ => {}
                }
            }
        }
        scan.state = state;
        scan.at = data.len();
    }

    fn row(&self, input: &mut &[u8], out: &mut RowBuilders, row: u64) -> Result<bool> {
        skip_blank(input);
        if row > 0 && take(input, b',') {
            skip_blank(input);
        }
        if input.is_empty() {
            return Ok(false);
        }
        if take(input, b';') {
            *input = &[];
            return Ok(false);
        }
        if !take(input, b'(') {
            let found = expected::<()>("(", input).err().map_or_else(String::new, |f| f.message);
            let message = format!("{found}:  at row {row}");
            return Err(Error::new(codes::CANNOT_PARSE_INPUT_ASSERTION_FAILED, message));
        }
        let last = self.kinds.len().wrapping_sub(1);
        for i in 0..self.kinds.len() {
            let got = self.value(i, i == last, &mut out.columns[i], input)?;
            let noted = out.note(i, got, self.options.null_as_default);
            noted.map_err(|fault| Error::new(fault.code, fault.message))?;
        }
        if self.kinds.is_empty() {
            skip_blank(input);
            if !take(input, b')') {
                return Err(Error::new(codes::SYNTAX_ERROR, "Expected ')' in VALUES"));
            }
        }
        Ok(true)
    }
}

impl ValuesRows {
    /// Reads a value and the comma or bracket behind it.
    fn value(
        &self,
        i: usize,
        is_last: bool,
        builder: &mut ColumnBuilder,
        input: &mut &[u8],
    ) -> Result<Got> {
        let (field, end) = (&self.header[i], if is_last { b')' } else { b',' });
        skip_blank(input);
        let start = *input;
        let rows = builder.len();
        let read = literal(&self.kinds[i], builder, input, 0);
        skip_blank(input);
        if let Ok(got) = read
            && take(input, end)
        {
            return Ok(got);
        }
        let is_whole = matches!(input.first(), None | Some(b',' | b')'));
        if read.is_ok() && is_whole {
            let message = format!(
                "Expected '{}' after the value of column `{}` of type {} here: {}",
                end as char,
                field.name,
                field.ty,
                String::from_utf8_lossy(&start[..start.len().min(160)])
            );
            return Err(Error::new(codes::SYNTAX_ERROR, message));
        }
        rollback(builder, rows);
        let expression = expression(start);
        *input = &start[expression.len()..];
        let got = self.evaluate(field, expression, builder, read)?;
        if take(input, end) {
            return Ok(got);
        }
        let message = format!("Expected '{}' after {} in VALUES", end as char, quoted(expression));
        Err(Error::new(codes::SYNTAX_ERROR, message))
    }

    fn evaluate(
        &self,
        field: &Field,
        expression: &[u8],
        builder: &mut ColumnBuilder,
        read: Parse<Got>,
    ) -> Result<Got> {
        let context = || format!("in VALUES, column `{}` of type {}", field.name, field.ty);
        let Ok(text) = std::str::from_utf8(expression) else {
            let message = format!("Cannot parse {} {}", quoted(expression), context());
            return Err(Error::new(codes::SYNTAX_ERROR, message));
        };
        if let Some(evaluator) = &self.options.evaluator {
            let value = evaluator.evaluate(text.trim(), &field.ty)?;
            if value == Value::Null && !field.ty.has_null() {
                builder.push_default();
                return Ok(Got::Null);
            }
            builder.push_value(&field.ty, &value);
            return Ok(Got::Value);
        }
        match read {
            // A plain literal of the wrong kind.
            Err(fault) if text.trim().starts_with(['\'', '"']) => {
                Err(Error::new(fault.code, format!("{}: {}", context(), fault.message)))
            }
            _ => Err(Error::not_implemented(format!("Expression {text:?} {}", context()))),
        }
    }
}

/// Skips spaces and comments.
fn skip_blank(input: &mut &[u8]) {
    loop {
        skip_space(input);
        let end = match *input {
            [b'-', b'-', ..] => memchr::memchr(b'\n', input),
            [b'/', b'*', ..] => memchr::memmem::find(input, b"*/").map(|at| at + 1),
            _ => return,
        };
        *input = &input[end.map_or(input.len(), |at| at + 1)..];
    }
}

/// The bytes up to the comma or bracket that ends a value.
fn expression(input: &[u8]) -> &[u8] {
    let (mut depth, mut quote, mut i) = (0usize, 0u8, 0);
    while i < input.len() {
        let b = input[i];
        if quote != 0 {
            if b == b'\\' {
                i += 1;
            } else if b == quote {
                quote = 0;
            }
        } else {
            match b {
                b'\'' | b'"' | b'`' => quote = b,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth > 0 => depth -= 1,
                b',' | b')' if depth == 0 => return &input[..i],
                _ => {}
            }
        }
        i += 1;
    }
    input
}

/// A number of any form.
enum Number {
    Int(i128),
    Float(f64),
}

/// Reads a number, `true` or `false`; nothing if none stands here.
fn number(input: &mut &[u8]) -> Option<Number> {
    for (word, value) in [(&b"true"[..], 1), (b"false", 0)] {
        if take_word(input, word) {
            return Some(Number::Int(value));
        }
    }
    let start = *input;
    let signs = usize::from(matches!(start.first(), Some(b'-' | b'+')));
    let is_negative = start.first() == Some(&b'-');
    let digits = &start[signs..];
    if let [b'0', b'x' | b'X', rest @ ..] = digits {
        let len = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        let text = std::str::from_utf8(&rest[..len]).ok()?;
        let value = i128::from(u64::from_str_radix(text, 16).ok()?);
        *input = &rest[len..];
        return Some(Number::Int(if is_negative { -value } else { value }));
    }
    let len = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_whole = len > 0 && !matches!(digits.get(len), Some(b'.' | b'e' | b'E'));
    // A whole number beyond 64 bits is a float, as in the reference.
    let fits = |digits: &[u8]| std::str::from_utf8(digits).is_ok_and(|d| d.parse::<u64>().is_ok());
    if is_whole && (len < 20 || fits(&digits[..len])) {
        *input = digits;
        let value = i128::from(read_u64(input)?);
        return Some(Number::Int(if is_negative { -value } else { value }));
    }
    let value = float(input).ok()?;
    Some(Number::Float(value))
}

/// Reads a plain literal of the kind, NULL or DEFAULT.
fn literal(
    kind: &FieldKind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
    depth: usize,
) -> Parse<Got> {
    if depth > 100 {
        return fault(codes::TOO_DEEP_RECURSION, "Arrays or tuples are nested too deep");
    }
    if matches!(input.first(), Some(b'N' | b'n' | b'D' | b'd')) {
        let is_null = take_word(input, b"NULL");
        if is_null || take_word(input, b"DEFAULT") {
            builder.push_default();
            return Ok(match kind {
                kind if is_null && kind.has_null() => Got::Value,
                _ if is_null => Got::Null,
                _ => Got::Nothing,
            });
        }
    }
    plain_literal(kind, builder, input, depth)?;
    Ok(Got::Value)
}

fn plain_literal(
    kind: &FieldKind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
    depth: usize,
) -> Parse {
    let is_quoted = input.first() == Some(&b'\'');
    match (kind, builder) {
        (FieldKind::Nullable(inner), ColumnBuilder::Nullable { validity, values }) => {
            if is_quoted && input.starts_with(b"'NULL'") && !inner.is_text() {
                *input = &input[6..];
                validity.push(false);
                values.push_default();
                return Ok(());
            }
            validity.push(true);
            plain_literal(inner, values, input, depth + 1)
        }
        (FieldKind::String, ColumnBuilder::String(strings)) if is_quoted => {
            quoted_text(&mut strings.data, input, b'\'')?;
            strings.close();
            Ok(())
        }
        (FieldKind::Fixed, builder) if is_quoted => read_quoted(kind, builder, input, depth),
        (FieldKind::TextType(..), builder) if is_quoted || is_number_next(input) => {
            read_quoted(kind, builder, input, depth)
        }
        (FieldKind::Map(..), builder) if input.first() == Some(&b'{') => {
            read_quoted(kind, builder, input, depth)
        }
        (FieldKind::Variant(alternatives), builder) => {
            let start = *input;
            let read = alternatives.read_quoted(builder, input, depth);
            if read.is_ok() || !is_quoted {
                return read;
            }
            // Text that is no alternative by itself may spell a value of one.
            let mut text = Vec::new();
            *input = start;
            quoted_text(&mut text, input, b'\'')?;
            alternatives.push_text(builder, &text)
        }
        (FieldKind::TextType(..) | FieldKind::Map(..), _) => expected("'", input),
        (FieldKind::String | FieldKind::Fixed, builder) => number_as_text(builder, input),
        (FieldKind::Array(inner), ColumnBuilder::Array { offsets, values }) if !is_quoted => {
            require(input, b'[')?;
            list(input, b']', |_, input| literal(inner, values, input, depth + 1))?;
            offsets.push(values.len() as u32);
            Ok(())
        }
        (FieldKind::Tuple(kinds, _), ColumnBuilder::Tuple { columns, len }) if !is_quoted => {
            take_word(input, b"tuple");
            require(input, b'(')?;
            *len += 1;
            let count = list(input, b')', |i, input| match columns.get_mut(i) {
                Some(column) => literal(&kinds[i], column, input, depth + 1),
                None => expected(")", input),
            })?;
            if count == kinds.len() { Ok(()) } else { expected(",", input) }
        }
        (kind, builder) if is_quoted => quoted_value(kind, builder, input),
        (kind, builder) => plain_number(kind, builder, input),
    }
}

/// Appends a number or a Bool where text is wanted.
fn number_as_text(builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    let is_bool = matches!(input.first(), Some(b't' | b'T' | b'f' | b'F'));
    let mut text = Vec::new();
    match number(input) {
        Some(Number::Int(v)) if is_bool => text.extend_from_slice(match v {
            0 => b"false",
            _ => b"true",
        }),
        Some(Number::Int(v)) => text.extend_from_slice(v.to_string().as_bytes()),
        Some(Number::Float(v)) => write_f64(&mut text, v),
        None => return expected("'", input),
    }
    push_text(builder, &text)
}

/// Whether a number stands at the front: digits, perhaps with a sign or a point.
fn is_number_next(input: &[u8]) -> bool {
    let body = input.strip_prefix(b"-").unwrap_or(input);
    body.strip_prefix(b".").unwrap_or(body).first().is_some_and(u8::is_ascii_digit)
}

/// Reads elements with commas between them up to `end`; answers how many.
fn list(
    input: &mut &[u8],
    end: u8,
    mut element: impl FnMut(usize, &mut &[u8]) -> Parse<Got>,
) -> Parse<usize> {
    let mut count = 0;
    loop {
        skip_blank(input);
        if take(input, end) {
            return Ok(count);
        }
        if count > 0 {
            require(input, b',')?;
            skip_blank(input);
            if take(input, end) {
                return Ok(count);
            }
        }
        element(count, input)?;
        count += 1;
    }
}

/// A value of another kind than text, in quotes.
fn quoted_value(kind: &FieldKind, builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    let mut text = Vec::new();
    quoted_text(&mut text, input, b'\'')?;
    let mut inner = text.as_slice();
    if inner.is_empty() {
        let message = "Attempt to read after eof: a value is empty";
        return fault(codes::ATTEMPT_TO_READ_AFTER_EOF, message);
    }
    match kind {
        FieldKind::Date => date(builder, &mut inner)?,
        FieldKind::DateTime(zone) => datetime(builder, *zone, &mut inner)?,
        FieldKind::Bool(_) => boolean(builder, &mut inner)?,
        FieldKind::Array(_) | FieldKind::Tuple(..) => read_quoted(kind, builder, &mut inner, 0)?,
        _ => plain_number(kind, builder, &mut inner)?,
    }
    if inner.is_empty() {
        return Ok(());
    }
    let message = format!("Cannot parse string {} as a value of the column's type", quoted(&text));
    fault(codes::CANNOT_PARSE_TEXT, message)
}

/// A number where a number, Bool, Date or DateTime is wanted; integers wrap.
fn plain_number(kind: &FieldKind, builder: &mut ColumnBuilder, input: &mut &[u8]) -> Parse {
    let before = *input;
    if let (FieldKind::Number, ColumnBuilder::Int64(v)) = (kind, &mut *builder)
        && let Some(value) = read_i64(input)
    {
        if matches!(input.first(), Some(b',' | b')')) && before.len() - input.len() < 19 {
            v.push(value);
            return Ok(());
        }
        *input = before;
    }
    if wide::wrapping(builder, input) {
        return Ok(());
    }
    let Some(value) = number(input) else {
        return fault(codes::CANNOT_PARSE_NUMBER, "Cannot parse number");
    };
    let (whole, exact) = match value {
        Number::Int(v) => (v, v as f64),
        Number::Float(v) => (v as i128, v),
    };
    match builder {
        ColumnBuilder::UInt8(v) if matches!(kind, FieldKind::Bool(_)) => {
            v.push(u8::from(whole != 0))
        }
        ColumnBuilder::UInt8(v) => v.push(whole as u8),
        ColumnBuilder::UInt16(v) => v.push(whole as u16),
        ColumnBuilder::UInt32(v) => v.push(whole as u32),
        ColumnBuilder::UInt64(v) => v.push(whole as u64),
        ColumnBuilder::Int8(v) => v.push(whole as i8),
        ColumnBuilder::Int16(v) => v.push(whole as i16),
        ColumnBuilder::Int32(v) => v.push(whole as i32),
        ColumnBuilder::Int64(v) => v.push(whole as i64),
        ColumnBuilder::Float32(v) => v.push(exact as f32),
        ColumnBuilder::Float64(v) => v.push(exact),
        builder => {
            let wide = match value {
                Number::Int(v) => v.cast_to(),
                Number::Float(v) => v.cast_to(),
            };
            if !wide::push(builder, wide) {
                return fault(codes::TYPE_MISMATCH, "A number where another value belongs");
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
