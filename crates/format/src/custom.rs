//! CustomSeparated, if settings choose other delimiters or another escaping than those of TSV.
//!
//! Fields that are escaped, raw or CSV end at the next delimiter. Quoted and JSON fields end with
//! their value. The end of a row is searched as bytes, so it must not occur within values.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, ColumnBuilder, Header};
use memchr::memmem;

use crate::cell::{Cell, Csv, Escaped, FullChunk, Quoted, Raw};
use crate::contract::{Custom, Escaping};
use crate::escape::{write_csv, write_escaped, write_json, write_quoted};
use crate::fault::{FaultPosition, Parse, expected};
use crate::field::{FieldKind, push_text_of, read_raw, read_tsv};
use crate::infer::{Dialect, Effort, Guess, GuessedRows, guess_text};
use crate::json::Layout;
use crate::json_rows::{Nest, guess_value, read_value, skip_value, string};
use crate::quoted::{quoted_text, read_quoted};
use crate::registry::RowSource;
use crate::rows::{Got, RowBuffer, RowBuilders, RowParser, Scan};
use crate::tsv::{check_types, match_names, plain_text};
use crate::{FormatOptions, OutputFormat};

/// Writes rows with the options' delimiters.
pub(crate) struct CustomWriter {
    header: Header,
    options: FormatOptions,
    /// Lines of names, or of names and types.
    lines: u8,
    is_first: bool,
}

impl CustomWriter {
    pub(crate) fn new(header: &Header, options: &FormatOptions, lines: u8) -> Self {
        Self { header: header.clone(), options: options.clone(), lines, is_first: true }
    }

    /// Appends a row; `write` appends the field at a place.
    fn row(
        &mut self,
        fields: usize,
        out: &mut Vec<u8>,
        mut write: impl FnMut(usize, &mut Vec<u8>),
    ) {
        let custom = &self.options.custom;
        if !std::mem::take(&mut self.is_first) {
            out.extend_from_slice(&custom.row_between);
        }
        out.extend_from_slice(&custom.row_before);
        for i in 0..fields {
            if i > 0 {
                out.extend_from_slice(&custom.field);
            }
            write(i, out);
        }
        out.extend_from_slice(&custom.row_after);
    }

    fn names(&mut self, names: &[String], out: &mut Vec<u8>) {
        let escaping = self.options.custom.escaping;
        let strings = self.options.json.strings(false);
        self.row(names.len(), out, |i, out| {
            let text = names[i].as_bytes();
            match escaping {
                Escaping::Escaped => write_escaped(out, text),
                Escaping::Raw => out.extend_from_slice(text),
                Escaping::Csv => write_csv(out, text),
                Escaping::Quoted => write_quoted(out, text),
                Escaping::Json => write_json(out, text, strings),
            }
        });
    }
}

fn write_field(cell: &Cell<'_>, row: usize, options: &FormatOptions, out: &mut Vec<u8>) {
    if let Some((cell, row)) = cell.alternative(row) {
        return write_field(cell, row, options, out);
    }
    let is_null = cell.is_null(row);
    match options.custom.escaping {
        Escaping::Escaped | Escaping::Raw if is_null => {
            out.extend_from_slice(options.tsv_null.as_bytes());
        }
        Escaping::Csv if is_null => out.extend_from_slice(options.csv_null.as_bytes()),
        Escaping::Escaped => cell.write::<Escaped>(row, out),
        Escaping::Raw => cell.write::<Raw>(row, out),
        Escaping::Quoted => cell.write::<Quoted>(row, out),
        Escaping::Json => {
            Layout::new(options, false).write(cell, row, 0, out);
        }
        Escaping::Csv if matches!(cell, Cell::Array(..) | Cell::Map(..) | Cell::Tuple(..)) => {
            let mut text = Vec::new();
            cell.write::<Quoted>(row, &mut text);
            write_csv(out, &text);
        }
        Escaping::Csv => cell.write::<Csv>(row, out),
    }
}

impl OutputFormat for CustomWriter {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&self.options.custom.result_before);
        let names: Vec<String> = self.header.iter().map(|f| f.name.to_string()).collect();
        let types: Vec<String> = self.header.iter().map(|f| f.ty.to_string()).collect();
        if self.lines > 0 {
            self.names(&names, out);
        }
        if self.lines > 1 {
            self.names(&types, out);
        }
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let (header, options) = (self.header.clone(), self.options.clone());
        let cells = full.cells(&header, &options)?;
        for row in 0..chunk.rows {
            self.row(cells.len(), out, |i, out| write_field(&cells[i], row, &options, out));
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&self.options.custom.result_after);
        Ok(())
    }
}

/// Takes bytes off the front; an error if others stand there.
fn require_all(input: &mut &[u8], wanted: &[u8]) -> Parse {
    match input.strip_prefix(wanted) {
        Some(rest) => {
            *input = rest;
            Ok(())
        }
        None => expected(&String::from_utf8_lossy(wanted), input),
    }
}

impl Custom {
    /// What ends a row.
    fn row_end(&self) -> &[u8] {
        if self.row_after.is_empty() { &self.row_between } else { &self.row_after }
    }

    /// Takes the text of a field, still escaped, whose value does not end by itself.
    fn take_text<'a>(&self, input: &mut &'a [u8], is_last: bool) -> &'a [u8] {
        let delimiter = if is_last { self.row_end() } else { &self.field };
        let found = if delimiter.is_empty() { None } else { memmem::find(input, delimiter) };
        let (text, rest) = input.split_at(found.unwrap_or(input.len()));
        *input = rest;
        text
    }

    /// Takes a field of CSV; answers whether it was in quotes.
    fn take_csv(&self, input: &mut &[u8], is_last: bool, out: &mut Vec<u8>) -> Parse<bool> {
        if input.first() != Some(&b'"') {
            out.extend_from_slice(self.take_text(input, is_last));
            return Ok(false);
        }
        *input = &input[1..];
        loop {
            let Some(run) = memchr::memchr(b'"', input) else { return expected("\"", &[]) };
            out.extend_from_slice(&input[..run]);
            *input = &input[run + 1..];
            match input.first() {
                Some(b'"') => {
                    out.push(b'"');
                    *input = &input[1..];
                }
                _ => return Ok(true),
            }
        }
    }

    /// Takes a field as text without its escapes.
    fn take_field(&self, input: &mut &[u8], is_last: bool) -> Parse<Vec<u8>> {
        let mut text = Vec::new();
        match self.escaping {
            Escaping::Escaped => return Ok(plain_text::<false>(self.take_text(input, is_last))),
            Escaping::Raw => return Ok(self.take_text(input, is_last).to_vec()),
            Escaping::Csv => {
                self.take_csv(input, is_last, &mut text)?;
            }
            Escaping::Quoted if input.first() == Some(&b'\'') => {
                quoted_text(&mut text, input, b'\'')?;
            }
            Escaping::Quoted => text.extend_from_slice(self.take_text(input, is_last)),
            Escaping::Json if input.first() == Some(&b'"') => string(&mut text, input)?,
            Escaping::Json => {
                let start = *input;
                skip_value(input, 0)?;
                text.extend_from_slice(&start[..start.len() - input.len()]);
            }
        }
        Ok(text)
    }

    /// Calls `take` at each field of the row at the front of `input`, of which there are `count`.
    fn each_field(
        &self,
        input: &mut &[u8],
        count: usize,
        mut take: impl FnMut(&mut &[u8], usize, bool) -> Parse,
    ) -> Parse {
        require_all(input, &self.row_before)?;
        for i in 0..count {
            if i > 0 {
                require_all(input, &self.field)?;
            }
            take(input, i, i + 1 == count)?;
        }
        if input.is_empty() { Ok(()) } else { require_all(input, &self.row_after) }
    }

    /// Passes over what stands before a row; whether there is one.
    fn begins(&self, input: &mut &[u8], row: u64) -> Parse<bool> {
        let rest = input.trim_ascii_end();
        if input.is_empty() || rest.is_empty() || rest == self.result_after.trim_ascii_end() {
            *input = &[];
            return Ok(false);
        }
        if row > 0 {
            require_all(input, &self.row_between)?;
        }
        Ok(true)
    }

    /// The fields of a row as texts, however many there are.
    fn texts(&self, input: &mut &[u8]) -> Parse<Vec<Vec<u8>>> {
        // The row's text, so that a field cannot reach into the next.
        require_all(input, &self.row_before)?;
        let end =
            if self.row_end().is_empty() { None } else { memmem::find(input, self.row_end()) };
        let (mut row, rest) = input.split_at(end.unwrap_or(input.len()));
        let mut texts = Vec::new();
        loop {
            texts.push(self.take_field(&mut row, false)?);
            if row.is_empty() {
                break;
            }
            require_all(&mut row, &self.field)?;
        }
        *input = rest.strip_prefix(&self.row_after[..]).unwrap_or(rest);
        Ok(texts)
    }
}

struct CustomRows {
    kinds: Vec<FieldKind>,
    fields: Vec<Option<usize>>,
    missing: Vec<usize>,
    options: FormatOptions,
}

/// The parser of rows with the options' delimiters, behind `lines` of names and types.
pub(crate) fn rows(
    header: &Header,
    mut buffer: RowBuffer,
    options: &FormatOptions,
    lines: u8,
) -> Result<RowSource> {
    let custom = &options.custom;
    let wrong = |fault: Box<crate::fault::Fault>| {
        Error::new(fault.code, format!("{} (while reading header)", fault.message))
    };
    if !custom.result_before.is_empty() && !buffer.is_at_end()? {
        let found = buffer.take_bytes(custom.result_before.len())?;
        require_all(&mut &found[..], &custom.result_before).map_err(wrong)?;
    }
    let mut fields: Vec<Option<usize>> = (0..header.len()).map(Some).collect();
    let mut before: &[u8] = b"";
    for line in 0..lines {
        if buffer.is_at_end()? {
            break;
        }
        let text = buffer.take_until(custom.row_end())?;
        let mut text = text.strip_prefix(before).unwrap_or(&text);
        let texts = custom.texts(&mut text).map_err(wrong)?;
        if line == 0 {
            fields = match_names(&texts, header, options)?;
            before = &custom.row_between;
        } else if options.use_types {
            check_types(&texts, &fields, header)?;
        }
    }
    if lines > 0 && !buffer.is_at_end()? && custom.row_end() == custom.row_after {
        let between = custom.row_between.len();
        buffer.take_bytes(between)?;
    }
    let missing = (0..header.len()).filter(|i| !fields.contains(&Some(*i))).collect();
    let kinds = header.iter().map(|f| FieldKind::new(&f.ty, options)).collect();
    let rows = CustomRows { kinds, fields, missing, options: options.clone() };
    Ok((Arc::new(rows), buffer))
}

impl CustomRows {
    fn value(
        &self,
        column: usize,
        builder: &mut ColumnBuilder,
        input: &mut &[u8],
        is_last: bool,
    ) -> Parse<Got> {
        let (kind, custom) = (&self.kinds[column], &self.options.custom);
        match custom.escaping {
            Escaping::Quoted => {
                read_quoted(kind, builder, input, 0)?;
                return Ok(Got::Value);
            }
            Escaping::Json => {
                return read_value(kind, builder, input, Nest::new(self.options.json_input));
            }
            Escaping::Escaped | Escaping::Raw => {
                let mut text = custom.take_text(input, is_last);
                let got = match custom.escaping {
                    Escaping::Raw => read_raw(kind, builder, &mut text)?,
                    _ => read_tsv(kind, builder, &mut text)?,
                };
                return if text.is_empty() { Ok(got) } else { expected("delimiter", text) };
            }
            Escaping::Csv => {}
        }
        let mut text = Vec::new();
        let is_quoted = custom.take_csv(input, is_last, &mut text)?;
        let is_null = !is_quoted && text == self.options.csv_null.as_bytes();
        if is_null || (!is_quoted && text.is_empty()) {
            builder.push_default();
            return Ok(match kind {
                kind if is_null && kind.has_null() => Got::Value,
                _ if is_null => Got::Null,
                _ => Got::Nothing,
            });
        }
        if let FieldKind::Variant(alternatives) = kind {
            alternatives.push_text(builder, &text)?;
            return Ok(Got::Value);
        }
        if matches!(kind, FieldKind::String | FieldKind::Fixed | FieldKind::TextType(..)) {
            push_text_of(kind, builder, &text)?;
            return Ok(Got::Value);
        }
        let mut rest = &text[..];
        let got = read_raw(kind, builder, &mut rest)?;
        if rest.is_empty() { Ok(got) } else { expected("delimiter", rest) }
    }

    fn read_row(&self, input: &mut &[u8], out: &mut RowBuilders) -> Parse {
        let custom = &self.options.custom;
        custom.each_field(input, self.fields.len(), |input, i, is_last| {
            let Some(column) = self.fields[i] else {
                return custom.take_field(input, is_last).map(|_| ());
            };
            let got = self.value(column, &mut out.columns[column], input, is_last)?;
            if got == Got::Nothing && !self.options.csv_empty_as_default {
                return Ok(());
            }
            out.note(column, got, self.options.null_as_default)
        })
    }
}

impl RowParser for CustomRows {
    fn scan(&self, data: &[u8], scan: &mut Scan) {
        let end = self.options.custom.row_end();
        if !end.is_empty() {
            let from = scan.at.saturating_sub(end.len() - 1).max(scan.whole);
            if let Some(at) = memmem::rfind(&data[from..], end) {
                scan.whole = from + at + end.len();
            }
        }
        scan.at = data.len();
    }

    fn row(&self, input: &mut &[u8], out: &mut RowBuilders, row: u64) -> Result<bool> {
        let whole = *input;
        let mut read = || -> Parse<bool> {
            if !self.options.custom.begins(input, row)? {
                return Ok(false);
            }
            self.read_row(input, out)?;
            Ok(true)
        };
        let found = read().map_err(|fault| {
            fault.into_error(&FaultPosition { row, column: None, from_value: whole, rest: input })
        })?;
        if found {
            self.missing.iter().for_each(|column| out.omit(*column));
        }
        Ok(found)
    }
}

/// Names and types of rows with the options' delimiters.
pub(crate) fn infer(sample: &[u8], options: &FormatOptions, lines: u8) -> Result<Header> {
    let custom = &options.custom;
    let mut input = sample.strip_prefix(&custom.result_before[..]).unwrap_or(sample);
    let mut rows: GuessedRows = Vec::new();
    let failed = |fault: Box<crate::fault::Fault>| {
        crate::infer::cannot("CustomSeparated", &Error::new(fault.code, fault.message).to_string())
    };
    while rows.len() < options.infer_rows
        && custom.begins(&mut input, rows.len() as u64).map_err(failed)?
    {
        let texts = custom.texts(&mut input).map_err(failed)?;
        let guess = |text: Vec<u8>| -> (Vec<u8>, Guess) {
            let mut value = &text[..];
            let guess = match custom.escaping {
                Escaping::Json => guess_value(&mut value, Effort::of(options), 0).ok().flatten(),
                Escaping::Csv => guess_text(&text, Dialect::Csv, Effort::of(options)),
                _ => guess_text(&text, Dialect::Tsv, Effort::of(options)),
            };
            (text, guess)
        };
        rows.push(texts.into_iter().map(guess).collect());
    }
    if rows.is_empty() && !sample.is_empty() {
        return Err(Error::new(codes::INCORRECT_DATA, "There is no whole row in the sample"));
    }
    crate::infer::table("CustomSeparated", rows, lines, true, options)
}
