//! TabSeparated and its variants: raw, with names, with names and types; also CustomSeparated as
//! long as no setting changes it.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, Header};

use crate::cell::{Cell, Escaped, FullChunk, Raw};
use crate::escape::{unescape, write_escaped};
use crate::fault::{Fault, FaultPosition, Parse, expected};
use crate::field::{FieldKind, at_delimiter, read_raw, read_tsv};
use crate::infer::{Dialect, is_header_line};
use crate::registry::{FormatDef, RowSource};
use crate::rows::{Got, RowBuffer, RowBuilders, RowParser, Scan};
use crate::{Custom, FormatOptions, OutputFormat, TotalsAndExtremes};

/// What stands for NULL unless settings say otherwise.
const NULL_TEXT: &str = "\\N";
/// Lines before the data: none, names, names and types.
const PLAIN: u8 = 0;
const NAMES: u8 = 1;
const TYPES: u8 = 2;

macro_rules! def {
    ($name:literal, [$($alias:literal),*], [$($extension:literal),*], $raw:literal,
     $lines:ident) => {
        FormatDef {
            aliases: &[$($alias),*],
            extensions: &[$($extension),*],
            write: Some(writer::<$raw, $lines>),
            rows: Some(rows::<$raw, $lines>),
            infer: Some(crate::infer::tsv::<$raw, $lines>),
            ..FormatDef::new($name)
        }
    };
}

macro_rules! custom {
    ($name:literal, $lines:ident) => {
        FormatDef {
            write: Some(custom_writer::<$lines>),
            rows: Some(custom_rows::<$lines>),
            infer: Some(infer_custom::<$lines>),
            ..FormatDef::new($name)
        }
    };
}

pub(crate) const FORMATS: &[FormatDef] = &[
    def!("TabSeparated", ["TSV"], ["tsv"], false, PLAIN),
    def!("TabSeparatedWithNames", ["TSVWithNames"], [], false, NAMES),
    def!("TabSeparatedWithNamesAndTypes", ["TSVWithNamesAndTypes"], [], false, TYPES),
    def!("TabSeparatedRaw", ["TSVRaw", "Raw"], [], true, PLAIN),
    def!("TabSeparatedRawWithNames", ["TSVRawWithNames", "RawWithNames"], [], true, NAMES),
    def!(
        "TabSeparatedRawWithNamesAndTypes",
        ["TSVRawWithNamesAndTypes", "RawWithNamesAndTypes"],
        [],
        true,
        TYPES
    ),
    custom!("CustomSeparated", PLAIN),
    custom!("CustomSeparatedWithNames", NAMES),
    custom!("CustomSeparatedWithNamesAndTypes", TYPES),
];

/// CustomSeparated: TSV, unless settings say other delimiters.
fn custom_writer<const LINES: u8>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    if *options.custom == Custom::default() {
        return writer::<false, LINES>(header, options);
    }
    Ok(Box::new(crate::custom::CustomWriter::new(header, options, LINES)))
}

fn custom_rows<const LINES: u8>(
    header: &Header,
    buffer: RowBuffer,
    options: &FormatOptions,
) -> Result<RowSource> {
    if *options.custom == Custom::default() {
        return rows::<false, LINES>(header, buffer, options);
    }
    crate::custom::rows(header, buffer, options, LINES)
}

fn infer_custom<const LINES: u8>(
    sample: &[u8],
    complete: bool,
    options: &FormatOptions,
) -> Result<Header> {
    if *options.custom == Custom::default() {
        return crate::infer::tsv::<false, LINES>(sample, complete, options);
    }
    crate::custom::infer(sample, options, LINES)
}

struct TsvWriter<const IS_RAW: bool, const LINES: u8> {
    header: Header,
    options: FormatOptions,
}

pub(crate) fn writer<const IS_RAW: bool, const LINES: u8>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    let (header, options) = (header.clone(), options.clone());
    Ok(Box::new(TsvWriter::<IS_RAW, LINES> { header, options }))
}

impl<const IS_RAW: bool, const LINES: u8> OutputFormat for TsvWriter<IS_RAW, LINES> {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let mut line = |text: &dyn Fn(usize) -> String| {
            for i in 0..self.header.len() {
                if i > 0 {
                    out.push(b'\t');
                }
                if IS_RAW {
                    out.extend_from_slice(text(i).as_bytes());
                } else {
                    write_escaped(out, text(i).as_bytes());
                }
            }
            out.extend_from_slice(crate::csv::end_of_line(self.options.tsv_crlf));
        };
        if LINES >= NAMES {
            line(&|i| self.header[i].name.to_string());
        }
        if LINES >= TYPES {
            line(&|i| self.header[i].ty.to_string());
        }
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        let Some((last, others)) = cells.split_last() else {
            out.resize(out.len() + chunk.rows, b'\n');
            return Ok(());
        };
        let null = self.options.tsv_null.as_bytes();
        let end = crate::csv::end_of_line(self.options.tsv_crlf);
        for row in 0..chunk.rows {
            for cell in others {
                write_cell::<IS_RAW>(cell, row, null, out);
                out.push(b'\t');
            }
            write_cell::<IS_RAW>(last, row, null, out);
            out.extend_from_slice(end);
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

#[inline]
fn write_cell<const IS_RAW: bool>(cell: &Cell<'_>, row: usize, null: &[u8], out: &mut Vec<u8>) {
    if cell.is_null(row) {
        out.extend_from_slice(null);
    } else if IS_RAW {
        cell.write::<Raw>(row, out);
    } else {
        cell.write::<Escaped>(row, out);
    }
}

/// Reads rows: what stands in which field.
struct TsvRows<const IS_RAW: bool> {
    header: Header,
    kinds: Vec<FieldKind>,
    /// The header's column of each field, or none for a field that is skipped.
    fields: Vec<Option<usize>>,
    /// Columns that the file does not have.
    missing: Vec<usize>,
    /// What stands for NULL, if it is not `\N`.
    null: Option<Vec<u8>>,
    null_as_default: bool,
    empty_as_default: bool,
}

fn rows<const IS_RAW: bool, const LINES: u8>(
    header: &Header,
    mut buffer: RowBuffer,
    options: &FormatOptions,
) -> Result<RowSource> {
    for _ in 0..options.tsv_skip_lines {
        buffer.take_line()?;
    }
    let as_number = options.text.tsv_enum_as_number;
    let kinds = header.iter().map(|f| FieldKind::of_field(&f.ty, options, as_number)).collect();
    let mut fields: Vec<Option<usize>> = (0..header.len()).map(Some).collect();
    if let Some(line) = buffer.peek_line()? {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let names: Vec<Vec<u8>> = line.split(|b| *b == b'\t').map(plain_text::<IS_RAW>).collect();
        let is_found = || options.tsv_detect_header && is_header_line(&names, Dialect::Tsv, header);
        if LINES >= NAMES || is_found() {
            buffer.take_line()?;
            fields = match_names(&names, header, options)?;
        }
        if LINES >= TYPES {
            let types = buffer.take_line()?.unwrap_or_default();
            let types: Vec<Vec<u8>> =
                types.split(|b| *b == b'\t').map(plain_text::<IS_RAW>).collect();
            if options.use_types {
                check_types(&types, &fields, header)?;
            }
        }
    }
    let missing = (0..header.len()).filter(|i| !fields.contains(&Some(*i))).collect();
    let rows = TsvRows::<IS_RAW> {
        header: header.clone(),
        kinds,
        fields,
        missing,
        null: (*options.tsv_null != *NULL_TEXT).then(|| options.tsv_null.as_bytes().to_vec()),
        null_as_default: options.null_as_default,
        empty_as_default: options.tsv_empty_as_default,
    };
    Ok((Arc::new(rows), buffer))
}

/// A field without its escapes.
pub(crate) fn plain_text<const IS_RAW: bool>(field: &[u8]) -> Vec<u8> {
    if IS_RAW {
        return field.to_vec();
    }
    let (mut out, mut rest) = (Vec::new(), field);
    while let Some((&b, tail)) = rest.split_first() {
        rest = tail;
        if b != b'\\' || unescape(&mut rest, &mut out).is_none() {
            out.push(b);
        }
    }
    out
}

/// Joins the names in a file with the columns that are wanted.
pub(crate) fn match_names(
    names: &[Vec<u8>],
    header: &Header,
    options: &FormatOptions,
) -> Result<Vec<Option<usize>>> {
    if !options.use_header {
        return Ok((0..header.len()).map(Some).collect());
    }
    let mut fields = Vec::with_capacity(names.len());
    for (i, name) in names.iter().enumerate() {
        let shown = String::from_utf8_lossy(name);
        let field = header.position(&shown);
        if field.is_some() && fields.contains(&field) {
            let message = format!("Duplicate field found while parsing format header: {shown}");
            return Err(Error::new(codes::INCORRECT_DATA, message));
        }
        if field.is_none() && !options.skip_unknown_fields {
            let message = format!(
                "Unknown field found in format header: '{shown}' at position {i}\nSet the \
                 'input_format_skip_unknown_fields' parameter explicitly to ignore and proceed"
            );
            return Err(Error::new(codes::INCORRECT_DATA, message));
        }
        fields.push(field);
    }
    Ok(fields)
}

/// Compares the types in a file with those that are wanted.
pub(crate) fn check_types(
    types: &[Vec<u8>],
    fields: &[Option<usize>],
    header: &Header,
) -> Result<()> {
    if types.len() != fields.len() {
        let message =
            "The number of data types differs from the number of column names in input data";
        return Err(Error::new(codes::INCORRECT_DATA, message));
    }
    for (ty, field) in types.iter().zip(fields) {
        let Some(field) = field.map(|i| &header[i]) else { continue };
        let (want, got) = (field.ty.to_string(), String::from_utf8_lossy(ty));
        if want != got {
            let message = format!("Type of '{}' must be {want}, not {got}", field.name);
            return Err(Error::new(codes::INCORRECT_DATA, message));
        }
    }
    Ok(())
}

impl<const IS_RAW: bool> TsvRows<IS_RAW> {
    fn read_row(&self, input: &mut &[u8], out: &mut RowBuilders, at: &mut (usize, usize)) -> Parse {
        let last = self.fields.len().wrapping_sub(1);
        for (i, field) in self.fields.iter().enumerate() {
            *at = (i, input.len());
            match field {
                Some(column) if self.empty_as_default && at_delimiter(input) => out.omit(*column),
                Some(column) => {
                    let (kind, builder) = (&self.kinds[*column], &mut out.columns[*column]);
                    let got = match IS_RAW {
                        _ if let Some(null) = &self.null
                            && is_field(input, null) =>
                        {
                            *input = &input[null.len()..];
                            builder.push_default();
                            if kind.has_null() { Got::Value } else { Got::Null }
                        }
                        true => read_raw(kind, builder, input)?,
                        false => read_tsv(kind, builder, input)?,
                    };
                    out.note(*column, got, self.null_as_default)?;
                }
                None => skip_field::<IS_RAW>(input),
            }
            let delimiter = if i == last { b'\n' } else { b'\t' };
            match input.split_first() {
                Some((byte, rest)) if *byte == delimiter => *input = rest,
                None if i == last => {}
                _ => return expected(if i == last { "\n" } else { "\t" }, input),
            }
        }
        if self.fields.is_empty() && !crate::quoted::take(input, b'\n') {
            return expected("\n", input);
        }
        Ok(())
    }
}

/// Whether the next field is this text.
fn is_field(input: &[u8], text: &[u8]) -> bool {
    let rest = input.strip_prefix(text);
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'\t' | b'\n')))
}

/// Looks for the last line feed that no backslash escapes.
pub(crate) fn scan_lines(data: &[u8], scan: &mut Scan) {
    let mut end = data.len();
    while let Some(at) = memchr::memrchr(b'\n', &data[scan.at..end]) {
        let newline = scan.at + at;
        let slashes = data[..newline].iter().rev().take_while(|b| **b == b'\\').count();
        if slashes % 2 == 0 {
            scan.whole = newline + 1;
            break;
        }
        end = newline;
    }
    scan.at = data.len();
}

pub(crate) fn skip_field<const IS_RAW: bool>(input: &mut &[u8]) {
    loop {
        let end = if IS_RAW {
            memchr::memchr2(b'\t', b'\n', input)
        } else {
            memchr::memchr3(b'\t', b'\n', b'\\', input)
        };
        *input = &input[end.unwrap_or(input.len())..];
        if input.first() != Some(&b'\\') || IS_RAW {
            return;
        }
        *input = &input[2.min(input.len())..];
    }
}

impl<const IS_RAW: bool> RowParser for TsvRows<IS_RAW> {
    fn scan(&self, data: &[u8], scan: &mut Scan) {
        if IS_RAW { crate::lines::scan_lines(data, scan) } else { scan_lines(data, scan) }
    }

    #[inline]
    fn row(&self, input: &mut &[u8], out: &mut RowBuilders, row: u64) -> Result<bool> {
        let whole = *input;
        let mut at = (0, input.len());
        if let Err(fault) = self.read_row(input, out, &mut at) {
            return Err(self.explain(*fault, whole, input, row, at));
        }
        for column in &self.missing {
            out.omit(*column);
        }
        if row == 0 {
            let line = &whole[..whole.len() - input.len()];
            if line.ends_with(b"\r\n") || line.ends_with(b"\r") {
                return Err(carriage_return());
            }
        }
        Ok(true)
    }
}

impl<const IS_RAW: bool> TsvRows<IS_RAW> {
    #[cold]
    fn explain(
        &self,
        fault: Fault,
        whole: &[u8],
        rest: &[u8],
        row: u64,
        (field, left): (usize, usize),
    ) -> Error {
        if row == 0 && rest.starts_with(b"\r\n") {
            return carriage_return();
        }
        let from_value = &whole[whole.len() - left..];
        let column = self.fields.get(field).copied().flatten().map(|i| (field, &self.header[i]));
        fault.into_error(&FaultPosition { row, column, from_value, rest })
    }
}

#[cold]
fn carriage_return() -> Error {
    let message = "\nYou have carriage return (\\r, 0x0D, ASCII 13) at end of first row.\nIt's \
                   like your input data has DOS/Windows style line separators, that are illegal in \
                   TabSeparated format. You must transform your file to Unix format.\nBut if you \
                   really need carriage return at end of string value of last column, you need to \
                   escape it as \\r";
    Error::new(codes::INCORRECT_DATA, message)
}

#[cfg(test)]
mod tests;
