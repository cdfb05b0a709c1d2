//! CSV: reads and writes fields with optional quotes.
//!
//! A tuple takes one field per element. A quoted field may contain line feeds, so only line feeds
//! outside quotes end rows.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, ColumnBuilder, Header};
use entasis_types::DataType;

use crate::cell::{Cell, Csv, FullChunk, Quoted};
use crate::escape::write_csv;
use crate::fault::{FaultPosition, Parse, expected, fault};
use crate::field::{FieldKind, boolean_or, date, datetime, enum_number, number, push_text_of};
use crate::infer::{Dialect, GuessedRows, guess_text, is_header_line};
use crate::quoted::{read_quoted, require, take};
use crate::registry::{FormatDef, RowSource};
use crate::rows::{Got, RowBuffer, RowBuilders, RowParser, Scan};
use crate::tsv::{check_types, match_names};
use crate::{FormatOptions, OutputFormat, TotalsAndExtremes};

const NAMES: u8 = 1;
const TYPES: u8 = 2;

macro_rules! def {
    ($name:literal, [$($extension:literal),*], $lines:literal) => {
        FormatDef {
            extensions: &[$($extension),*],
            write: Some(writer::<$lines>),
            rows: Some(rows::<$lines>),
            infer: Some(infer::<$lines>),
            ..FormatDef::new($name)
        }
    };
}

pub(crate) const FORMATS: &[FormatDef] =
    &[def!("CSV", ["csv"], 0), def!("CSVWithNames", [], 1), def!("CSVWithNamesAndTypes", [], 2)];

struct CsvWriter<const LINES: u8> {
    header: Header,
    options: FormatOptions,
}

fn writer<const LINES: u8>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    Ok(Box::new(CsvWriter::<LINES> { header: header.clone(), options: options.clone() }))
}

/// Names and types of the fields that a column takes.
fn leaves(name: &str, ty: &DataType, is_flat: bool, out: &mut Vec<(String, String)>) {
    if let DataType::Tuple(tuple) = ty
        && is_flat
    {
        for (i, inner) in tuple.types.iter().enumerate() {
            let part = match &tuple.names {
                Some(names) => names[i].to_string(),
                None => (i + 1).to_string(),
            };
            leaves(&format!("{name}.{part}"), inner, is_flat, out);
        }
    } else {
        out.push((name.to_owned(), ty.to_string()));
    }
}

impl<const LINES: u8> OutputFormat for CsvWriter<LINES> {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let mut fields = Vec::new();
        let text = &self.options.text;
        let is_flat = text.csv_flat_tuples && text.csv_flat_headers;
        self.header.iter().for_each(|f| leaves(&f.name, &f.ty, is_flat, &mut fields));
        let mut line = |texts: &mut dyn Iterator<Item = &String>| {
            for (i, text) in texts.enumerate() {
                if i > 0 {
                    out.push(self.options.csv_delimiter);
                }
                write_csv(out, text.as_bytes());
            }
            out.extend_from_slice(end_of_line(self.options.csv_crlf));
        };
        if LINES >= NAMES {
            line(&mut fields.iter().map(|f| &f.0));
        }
        if LINES >= TYPES {
            line(&mut fields.iter().map(|f| &f.1));
        }
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        let delimiter = self.options.csv_delimiter;
        for row in 0..chunk.rows {
            for (i, cell) in cells.iter().enumerate() {
                if i > 0 {
                    out.push(delimiter);
                }
                write_field(cell, row, &self.options, out);
            }
            out.extend_from_slice(end_of_line(self.options.csv_crlf));
        }
        Ok(())
    }

    fn totals_and_extremes(
        &mut self,
        _what: TotalsAndExtremes,
        chunk: &Chunk,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        out.push(b'\n');
        self.write(chunk, out)
    }

    fn finish(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

/// How a line ends.
pub(crate) fn end_of_line(crlf: bool) -> &'static [u8] {
    if crlf { b"\r\n" } else { b"\n" }
}

fn write_field(cell: &Cell<'_>, row: usize, options: &FormatOptions, out: &mut Vec<u8>) {
    match cell {
        cell if cell.is_null(row) => out.extend_from_slice(options.csv_null.as_bytes()),
        Cell::Variant(..) => {
            if let Some((cell, row)) = cell.alternative(row) {
                write_field(cell, row, options, out);
            }
        }
        Cell::Tuple(cells, _) if options.text.csv_flat_tuples => {
            for (i, part) in cells.iter().enumerate() {
                if i > 0 {
                    out.push(options.csv_delimiter);
                }
                write_field(part, row, options, out);
            }
        }
        Cell::Array(..) | Cell::Map(..) | Cell::Tuple(..) => {
            let mut text = Vec::new();
            cell.write::<Quoted>(row, &mut text);
            write_csv(out, &text);
        }
        cell => cell.write::<Csv>(row, out),
    }
}

/// How fields are written.
#[derive(Clone, Copy)]
struct Style<'a> {
    delimiter: u8,
    /// Whether blanks around a field are no part of it.
    trims: bool,
    /// What stands for NULL.
    null: &'a [u8],
    /// Whether elements of a tuple are fields of their own.
    flat_tuples: bool,
}

impl<'a> Style<'a> {
    fn new(options: &'a FormatOptions) -> Self {
        let (delimiter, trims) = (options.csv_delimiter, options.csv_trim);
        let flat_tuples = options.text.csv_read_flat_tuples;
        Self { delimiter, trims, null: options.csv_null.as_bytes(), flat_tuples }
    }
}

struct CsvRows {
    header: Header,
    kinds: Vec<FieldKind>,
    fields: Vec<Option<usize>>,
    missing: Vec<usize>,
    options: FormatOptions,
    null_as_default: bool,
    empty_as_default: bool,
}

fn rows<const LINES: u8>(
    header: &Header,
    mut buffer: RowBuffer,
    options: &FormatOptions,
) -> Result<RowSource> {
    let style = Style::new(options);
    for _ in 0..options.csv_skip_lines {
        buffer.take_line()?;
    }
    let as_number = options.text.csv_enum_as_number;
    let kinds = header.iter().map(|f| FieldKind::of_field(&f.ty, options, as_number)).collect();
    let mut fields: Vec<Option<usize>> = (0..header.len()).map(Some).collect();
    if let Some(line) = buffer.peek_line()? {
        let names = split_line(&mut &line[..], style);
        let is_found = || options.csv_detect_header && is_header_line(&names, Dialect::Csv, header);
        let is_header = LINES >= NAMES || is_found();
        if is_header {
            buffer.take_line()?;
            fields = match_names(&names, header, options)?;
        }
        if LINES >= TYPES {
            let types = buffer.take_line()?.unwrap_or_default();
            let types = split_line(&mut &types[..], style);
            if options.use_types {
                check_types(&types, &fields, header)?;
            }
        }
    }
    let missing = (0..header.len()).filter(|i| !fields.contains(&Some(*i))).collect();
    let rows = CsvRows {
        header: header.clone(),
        kinds,
        fields,
        missing,
        options: options.clone(),
        null_as_default: options.null_as_default,
        empty_as_default: options.csv_empty_as_default,
    };
    Ok((Arc::new(rows), buffer))
}

/// Takes a row's fields as texts, its line end included.
fn split_line(input: &mut &[u8], style: Style<'_>) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    loop {
        let mut text = Vec::new();
        let _ = field_text(input, style, &mut text);
        out.push(text);
        if !take(input, style.delimiter) {
            take(input, b'\r');
            if !take(input, b'\n') {
                *input = &[]; // behind a closing quote: nothing that could be told apart
            }
            return out;
        }
    }
}

fn skip_blanks(input: &mut &[u8], style: Style<'_>) {
    while let Some(&b) = input.first() {
        if !style.trims || (b != b' ' && b != b'\t') || b == style.delimiter {
            return;
        }
        *input = &input[1..];
    }
}

/// Takes a field; answers whether it was in quotes.
fn field_text(input: &mut &[u8], style: Style<'_>, out: &mut Vec<u8>) -> bool {
    skip_blanks(input, style);
    let delimiter = style.delimiter;
    if !take(input, b'"') {
        let end = memchr::memchr3(delimiter, b'\n', b'\r', input);
        let mut end = end.unwrap_or(input.len());
        while input.get(end) == Some(&b'\r') && input.get(end + 1) != Some(&b'\n') {
            let rest = &input[end + 1..];
            end += 1 + memchr::memchr3(delimiter, b'\n', b'\r', rest).unwrap_or(rest.len());
        }
        let text = &input[..end];
        let is_blank = |b: &&u8| style.trims && matches!(**b, b' ' | b'\t');
        let blank = text.iter().rev().take_while(is_blank).count();
        out.extend_from_slice(&text[..end - blank]);
        *input = &input[end..];
        return false;
    }
    loop {
        let run = memchr::memchr(b'"', input).unwrap_or(input.len());
        out.extend_from_slice(&input[..run]);
        *input = &input[run.saturating_add(1).min(input.len())..];
        if !take(input, b'"') {
            skip_blanks(input, style);
            return true;
        }
        out.push(b'"');
    }
}

impl RowParser for CsvRows {
    fn scan(&self, data: &[u8], scan: &mut Scan) {
        // Every quote toggles, doubled ones too: outside stays outside.
        for at in memchr::memchr2_iter(b'"', b'\n', &data[scan.at..]) {
            if data[scan.at + at] == b'"' {
                scan.state ^= 1;
            } else if scan.state == 0 {
                scan.whole = scan.at + at + 1;
            }
        }
        scan.at = data.len();
    }

    fn row(&self, input: &mut &[u8], out: &mut RowBuilders, row: u64) -> Result<bool> {
        let whole = *input;
        let mut at = (0, input.len());
        if let Err(fault) = self.read_row(input, out, &mut at) {
            let from_value = &whole[whole.len() - at.1..];
            let field = self.fields.get(at.0).copied().flatten();
            let column = field.map(|i| (at.0, &self.header[i]));
            return Err(fault.into_error(&FaultPosition { row, column, from_value, rest: input }));
        }
        for column in &self.missing {
            out.omit(*column);
        }
        Ok(true)
    }
}

impl CsvRows {
    fn read_row(&self, input: &mut &[u8], out: &mut RowBuilders, at: &mut (usize, usize)) -> Parse {
        let style = Style::new(&self.options);
        for (i, field) in self.fields.iter().enumerate() {
            *at = (i, input.len());
            if i > 0 && !take(input, style.delimiter) {
                return expected(&(style.delimiter as char).to_string(), input);
            }
            *at = (i, input.len());
            match field {
                Some(column) => {
                    let (kind, builder) = (&self.kinds[*column], &mut out.columns[*column]);
                    let got = read_field(kind, builder, input, style)?;
                    if got != Got::Nothing || self.empty_as_default {
                        out.note(*column, got, self.null_as_default)?;
                    }
                }
                None => {
                    field_text(input, style, &mut Vec::new());
                }
            }
            skip_blanks(input, style);
        }
        // One delimiter too many is forgiven.
        if let [delimiter, b'\n' | b'\r', ..] | [delimiter] = *input
            && *delimiter == style.delimiter
        {
            *input = &input[1..];
        }
        take(input, b'\r');
        if input.is_empty() || take(input, b'\n') {
            return Ok(());
        }
        fault(codes::INCORRECT_DATA, "Expected end of line")
    }
}

/// Reads a field; the type's default stands for an empty one.
fn read_field(
    kind: &FieldKind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
    style: Style<'_>,
) -> Parse<Got> {
    skip_blanks(input, style);
    let ends = |rest: &[u8]| match rest {
        [] | [b'\n', ..] | [b'\r', b'\n', ..] => true,
        [b, ..] => *b == style.delimiter,
    };
    let null = if input.starts_with(style.null) { style.null.len() } else { 0 };
    if ends(&input[null..]) {
        *input = &input[null..];
        builder.push_default();
        return Ok(match kind {
            _ if null == 0 => Got::Nothing,
            kind if kind.has_null() => Got::Value,
            _ => Got::Null,
        });
    }
    if let (FieldKind::Tuple(kinds, _), ColumnBuilder::Tuple { columns, len }) =
        (kind, &mut *builder)
        && style.flat_tuples
    {
        *len += 1;
        for (i, (kind, column)) in kinds.iter().zip(columns).enumerate() {
            if i > 0 {
                require(input, style.delimiter)?;
            }
            read_field(kind, column, input, style)?;
        }
        return Ok(Got::Value);
    }
    csv_value(kind, builder, input, style)?;
    Ok(Got::Value)
}

/// Reads a field that is not empty.
fn csv_value(
    kind: &FieldKind,
    builder: &mut ColumnBuilder,
    input: &mut &[u8],
    style: Style<'_>,
) -> Parse {
    let quote = input.first().copied().filter(|b| matches!(b, b'"' | b'\''));
    match (kind, builder) {
        (FieldKind::Nullable(inner), ColumnBuilder::Nullable { validity, values }) => {
            validity.push(true);
            csv_value(inner, values, input, style)
        }
        (FieldKind::String, ColumnBuilder::String(strings)) => {
            field_text(input, style, &mut strings.data);
            strings.close();
            Ok(())
        }
        (FieldKind::Variant(alternatives), builder) => {
            let mut text = Vec::new();
            field_text(input, style, &mut text);
            alternatives.push_text(builder, &text)
        }
        (FieldKind::Fixed | FieldKind::TextType(..), builder) => {
            let mut text = Vec::new();
            field_text(input, style, &mut text);
            push_text_of(kind, builder, &text)
        }
        (FieldKind::Array(_) | FieldKind::Map(..) | FieldKind::Tuple(..), builder) => {
            let mut text = Vec::new();
            field_text(input, style, &mut text);
            let mut inner = text.as_slice();
            read_quoted(kind, builder, &mut inner, 0)?;
            if inner.is_empty() { Ok(()) } else { expected("\"", inner) }
        }
        (FieldKind::Bool(words), builder) => boolean_or(words.as_deref(), builder, input),
        (FieldKind::EnumNumber(names), builder) => enum_number(names, builder, input),
        (kind, builder) => {
            if quote.is_some() {
                *input = &input[1..];
            }
            match kind {
                FieldKind::Date => date(builder, input)?,
                FieldKind::DateTime(zone) => datetime(builder, *zone, input)?,
                _ => number(builder, input)?,
            }
            quote.map_or(Ok(()), |quote| require(input, quote))
        }
    }
}

fn infer<const LINES: u8>(
    sample: &[u8],
    complete: bool,
    options: &FormatOptions,
) -> Result<Header> {
    let name = ["CSV", "CSVWithNames", "CSVWithNamesAndTypes"][LINES as usize];
    let (style, effort) = (Style::new(options), crate::infer::Effort::of(options));
    let mut input = crate::infer::whole_lines(sample, complete);
    crate::infer::skip_lines(&mut input, options.csv_skip_lines);
    let mut rows: GuessedRows = Vec::new();
    while !input.is_empty() && rows.len() < options.infer_rows {
        let mut row = Vec::new();
        let line = input;
        let texts = split_line(&mut input, style);
        let mut line = line;
        for text in texts {
            skip_blanks(&mut line, style);
            let is_quoted = field_text(&mut line, style, &mut Vec::new());
            take(&mut line, style.delimiter);
            let guess = if !is_quoted && text == style.null {
                None
            } else if !is_quoted {
                guess_text(&text, Dialect::Csv, effort)
            } else {
                crate::infer::guess_date(&text, effort)
                    .or_else(|| {
                        crate::infer::guess_nested(&text, effort).filter(|_| text[0] == b'[')
                    })
                    .or_else(|| {
                        let guess = || crate::infer::guess_number(&text, Dialect::Csv, effort);
                        effort.may.csv_numbers_from_strings.then(guess).flatten()
                    })
                    .or(Some(DataType::String))
            };
            row.push((text, guess));
        }
        rows.push(row);
    }
    if rows.is_empty() && !sample.is_empty() {
        return Err(Error::new(codes::INCORRECT_DATA, "A row is larger than the sample"));
    }
    crate::infer::table(name, rows, LINES, options.csv_detect_header, options)
}

#[cfg(test)]
mod tests;
