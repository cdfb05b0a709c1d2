//! JSON documents as input (JSON, JSONCompact), and the formats that write columns: JSONColumns,
//! JSONCompactColumns, JSONColumnsWithMetadata, in and out. A document is read as a whole, because
//! its types may follow its data.

use std::io::Read;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, ColumnBuilder, Field, Header};
use entasis_types::DataType;

use crate::cell::FullChunk;
use crate::counted::read_more;
use crate::fault::{FaultPosition, Parse, fault};
use crate::field::FieldKind;
use crate::fit::Found;
use crate::infer::{Effort, cannot, settled};
use crate::json::{Layout, RowWriter, json_name, write_end, write_meta};
use crate::json_rows::{Nest, guess_value, merge_json, read_value, skip_value, string};
use crate::quoted::{require, skip_space, take};
use crate::registry::FormatDef;
use crate::rows::{Pieces, RowBuffer, RowStream};
use crate::{FormatOptions, InputFormat, Omitted, OutputFormat, TotalsAndExtremes};

/// Columns by name, columns by place, columns by name in a document with metadata.
const NAMED: u8 = 0;
const PLACED: u8 = 1;
const DOCUMENT: u8 = 2;

macro_rules! def {
    ($name:literal, $form:ident) => {
        FormatDef {
            write: Some(writer::<$form>),
            read: Some(columns::<$form>),
            infer: Some(infer_columns::<$form>),
            names_among_values: $form != DOCUMENT,
            ..FormatDef::new($name)
        }
    };
}

pub(crate) const FORMATS: &[FormatDef] = &[
    def!("JSONColumns", NAMED),
    def!("JSONCompactColumns", PLACED),
    def!("JSONColumnsWithMetadata", DOCUMENT),
];

/// Largest document that is read.
const MAX_DOCUMENT: u64 = 1 << 32;

struct ColumnsWriter<const FORM: u8> {
    header: Header,
    options: FormatOptions,
    chunks: Vec<Chunk>,
    totals_and_extremes: Vec<(TotalsAndExtremes, Chunk)>,
    before_limit: Option<u64>,
}

fn writer<const FORM: u8>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    let (header, options) = (header.clone(), options.clone());
    let (chunks, totals_and_extremes) = (Vec::new(), Vec::new());
    let before_limit = None;
    Ok(Box::new(ColumnsWriter::<FORM> {
        header,
        options,
        chunks,
        totals_and_extremes,
        before_limit,
    }))
}

impl<const FORM: u8> ColumnsWriter<FORM> {
    /// Appends all columns, each on a line.
    fn write_columns(&self, out: &mut Vec<u8>) -> Result<()> {
        if self.chunks.is_empty() && FORM != NAMED {
            return Ok(());
        }
        let full: Vec<FullChunk> = self.chunks.iter().map(FullChunk::new).collect();
        let cells: Result<Vec<_>> =
            full.iter().map(|chunk| chunk.cells(&self.header, &self.options)).collect();
        let cells = cells?;
        let layout = Layout::new(&self.options, FORM == DOCUMENT);
        for (i, field) in self.header.iter().enumerate() {
            out.extend_from_slice(if i > 0 { b",\n\t" } else { b"\t" });
            if FORM == DOCUMENT {
                out.push(b'\t');
            }
            if FORM != PLACED {
                out.extend_from_slice(&json_name(&field.name, layout.strings));
                out.extend_from_slice(b": ");
            }
            out.push(b'[');
            let mut is_first = true;
            for (chunk, cells) in self.chunks.iter().zip(&cells) {
                for row in 0..chunk.rows {
                    out.extend_from_slice(if is_first { b"" } else { b", " });
                    is_first = false;
                    layout.write(&cells[i], row, 0, out);
                }
            }
            out.push(b']');
        }
        Ok(())
    }
}

impl<const FORM: u8> OutputFormat for ColumnsWriter<FORM> {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, _out: &mut Vec<u8>) -> Result<()> {
        if !chunk.is_empty() {
            self.chunks.push(chunk.clone());
        }
        Ok(())
    }

    fn totals_and_extremes(
        &mut self,
        what: TotalsAndExtremes,
        chunk: &Chunk,
        _out: &mut Vec<u8>,
    ) -> Result<()> {
        if FORM == DOCUMENT {
            self.totals_and_extremes.push((what, chunk.clone()));
        }
        Ok(())
    }

    fn rows_before_limit(&mut self, rows: u64) {
        self.before_limit = Some(rows);
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if FORM == DOCUMENT {
            let strings = self.options.json.strings(true);
            write_meta(&self.header, strings, out);
            out.extend_from_slice(b"\t\"data\":\n\t{\n");
        } else {
            out.extend_from_slice(if FORM == NAMED { b"{\n" } else { b"[\n" });
        }
        self.write_columns(out)?;
        if FORM == DOCUMENT {
            let rows = self.chunks.iter().map(|c| c.rows as u64).sum();
            out.extend_from_slice(b"\n\t},\n");
            let writer = RowWriter::new(&self.header, &self.options, false, false);
            for (what, chunk) in &self.totals_and_extremes {
                let full = FullChunk::new(chunk);
                writer.totals_and_extremes(*what, &full.cells(&self.header, &self.options)?, out);
            }
            write_end((rows, self.before_limit), &self.options, out);
        } else {
            out.extend_from_slice(if FORM == NAMED { b"\n}\n" } else { b"\n]\n" });
        }
        Ok(())
    }
}

fn read_all(reader: Box<dyn Read + Send>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read_more(reader, MAX_DOCUMENT + 1, &mut bytes)?;
    if bytes.len() as u64 > MAX_DOCUMENT {
        return Err(Error::new(codes::INCORRECT_DATA, "A JSON document is larger than 4 GiB"));
    }
    Ok(bytes)
}

/// Calls `f` with each name of the object at the front of `input`, which takes the value.
fn members<'a>(input: &mut &'a [u8], mut f: impl FnMut(&[u8], &mut &'a [u8]) -> Parse) -> Parse {
    skip_space(input);
    require(input, b'{')?;
    skip_space(input);
    let mut is_first = true;
    while !take(input, b'}') {
        if !is_first {
            require(input, b',')?;
            skip_space(input);
        }
        is_first = false;
        let mut name = Vec::new();
        string(&mut name, input)?;
        skip_space(input);
        require(input, b':')?;
        skip_space(input);
        f(&name, input)?;
        skip_space(input);
    }
    Ok(())
}

/// Calls `f` at each element of the array at the front of `input`, which takes the element.
fn elements<'a>(input: &mut &'a [u8], mut f: impl FnMut(&mut &'a [u8]) -> Parse) -> Parse {
    skip_space(input);
    require(input, b'[')?;
    skip_space(input);
    let mut is_first = true;
    while !take(input, b']') {
        if !is_first {
            require(input, b',')?;
            skip_space(input);
        }
        is_first = false;
        f(input)?;
        skip_space(input);
    }
    Ok(())
}

/// The value of the document's member `wanted`.
fn member<'a>(document: &'a [u8], wanted: &str) -> Parse<Option<&'a [u8]>> {
    let mut found = None;
    let mut input = document;
    members(&mut input, |name, input| {
        let value = *input;
        skip_value(input, 0)?;
        if name == wanted.as_bytes() {
            found = Some(&value[..value.len() - input.len()]);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Reads the rows of JSON and JSONCompact.
pub(crate) fn rows<const IS_COMPACT: bool>(
    header: &Header,
    reader: Box<dyn Read + Send>,
    options: &FormatOptions,
) -> Result<Box<dyn InputFormat>> {
    let document = read_all(reader)?;
    if !IS_COMPACT && !begins_with_meta(&document) {
        // An array of objects, or objects one after the other.
        let buffer = RowBuffer::new(Box::new(std::io::Cursor::new(document)));
        let (parser, buffer) = crate::json_rows::rows::<false, false, 0>(header, buffer, options)?;
        return Ok(Box::new(RowStream::new(parser, buffer, header)));
    }
    let is_blank = document.iter().all(u8::is_ascii_whitespace);
    if options.json_input.validate_types && !is_blank {
        check_meta(&document, header)?;
    }
    let data = if is_blank { None } else { member(&document, "data")? };
    let inside = data.and_then(|d| d.strip_prefix(b"[")?.strip_suffix(b"]")).unwrap_or_default();
    let buffer = RowBuffer::new(Box::new(std::io::Cursor::new(inside.to_vec())));
    let (parser, buffer) = crate::json_rows::rows::<IS_COMPACT, false, 0>(header, buffer, options)?;
    Ok(Box::new(RowStream::new(parser, buffer, header)))
}

/// The rows that are an object's members, one after the other.
pub(crate) fn rows_of_object(reader: Box<dyn Read + Send>) -> Result<Vec<u8>> {
    let document = read_all(reader)?;
    let mut rows = Vec::with_capacity(document.len());
    if document.iter().all(u8::is_ascii_whitespace) {
        return Ok(rows);
    }
    members(&mut &document[..], |_, input| {
        let value = *input;
        skip_value(input, 0)?;
        rows.extend_from_slice(&value[..value.len() - input.len()]);
        rows.push(b'\n');
        Ok(())
    })?;
    Ok(rows)
}

/// Whether a document is one with names and types in front, as JSON writes it.
fn begins_with_meta(document: &[u8]) -> bool {
    let mut input = document;
    skip_space(&mut input);
    let mut name = Vec::new();
    take(&mut input, b'{') && {
        skip_space(&mut input);
        string(&mut name, &mut input).is_ok() && name == b"meta"
    }
}

/// Names and types from a document's metadata; of one without, from its rows.
pub(crate) fn infer(sample: &[u8], complete: bool, options: &FormatOptions) -> Result<Header> {
    if !begins_with_meta(sample) {
        return crate::json_rows::infer::<false, false, 0>(sample, complete, options);
    }
    let mut fields = Vec::new();
    // The document may go on behind the sample; its metadata stands in front.
    let _ = members(&mut &*sample, |name, input| {
        if name == b"meta" && fields.is_empty() {
            meta(input, &mut fields)
        } else {
            skip_value(input, 0)
        }
    });
    if fields.is_empty() {
        return Err(cannot("JSON", "The document has no member 'meta' with names and types"));
    }
    let field = |(name, ty): (String, String)| Ok(Field::new(name, DataType::parse(&ty)?));
    fields.into_iter().map(field).collect::<Result<_>>().map(Header::new)
}

/// Fails if the metadata of a document have other types than the columns.
fn check_meta(document: &[u8], header: &Header) -> Result<()> {
    let Some(mut text) = member(document, "meta")? else { return Ok(()) };
    let mut fields = Vec::new();
    meta(&mut text, &mut fields)?;
    for (name, ty) in fields {
        let Some(field) = header.position(&name).map(|i| &header[i]) else { continue };
        if DataType::parse(&ty).ok().as_ref() != Some(&field.ty) {
            let message = format!(
                "Type {ty} of column '{name}' from metadata is not the same as type in header {} \
                 (input_format_json_validate_types_from_metadata = 0 ignores it)",
                field.ty
            );
            return Err(Error::new(codes::INCORRECT_DATA, message));
        }
    }
    Ok(())
}

fn meta(input: &mut &[u8], fields: &mut Vec<(String, String)>) -> Parse {
    elements(input, |input| {
        let (mut name, mut ty) = (Vec::new(), Vec::new());
        members(input, |key, input| match key {
            b"name" => string(&mut name, input),
            b"type" => string(&mut ty, input),
            _ => skip_value(input, 0),
        })?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        fields.push((text(name), text(ty)));
        Ok(())
    })
}

/// A document that is read, as one chunk.
struct Columns {
    rest: Pieces,
}

impl InputFormat for Columns {
    fn next(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        Ok(if self.rest.is_empty() { None } else { Some(self.rest.take(max_rows)) })
    }

    fn omitted(&mut self) -> Omitted {
        self.rest.omitted()
    }
}

/// Calls `f` with the name and place of each column, which takes its values.
fn each_column<'a, const FORM: u8>(
    document: &'a [u8],
    mut f: impl FnMut(Option<&[u8]>, usize, &mut &'a [u8]) -> Parse,
) -> Parse {
    let mut input = document;
    let mut at = 0;
    if FORM == PLACED {
        return elements(&mut input, |input| {
            at += 1;
            f(None, at - 1, input)
        });
    }
    if FORM == DOCUMENT {
        input = member(document, "data")?.unwrap_or(b"{}");
    }
    members(&mut input, |name, input| {
        at += 1;
        f(Some(name), at - 1, input)
    })
}

fn columns<const FORM: u8>(
    header: &Header,
    reader: Box<dyn Read + Send>,
    options: &FormatOptions,
) -> Result<Box<dyn InputFormat>> {
    let document = read_all(reader)?;
    if document.iter().all(u8::is_ascii_whitespace) {
        return Ok(Box::new(Columns { rest: Pieces::default() }));
    }
    if FORM == DOCUMENT && options.json_input.validate_types {
        check_meta(&document, header)?;
    }
    let kinds: Vec<FieldKind> = header.iter().map(|f| FieldKind::new(&f.ty, options)).collect();
    let mut builders: Vec<Option<ColumnBuilder>> = header.iter().map(|_| None).collect();
    let mut rows = None;
    let mut place = (0, None);
    let read = each_column::<FORM>(&document, |name, at, input| {
        let found = match name {
            Some(name) => std::str::from_utf8(name).ok().and_then(|name| header.position(name)),
            None => Some(at).filter(|at| *at < header.len()),
        };
        let Some(i) = found.filter(|i| builders[*i].is_none()) else {
            return skip_value(input, 0);
        };
        let mut builder = ColumnBuilder::new(&header[i].ty, 0);
        place = (0, Some(i));
        elements(input, |input| {
            read_value(&kinds[i], &mut builder, input, Nest::new(options.json_input))?;
            place.0 = builder.len() as u64;
            Ok(())
        })?;
        let got = builder.len();
        if *rows.get_or_insert(got) != got {
            let rows = rows.unwrap_or_default();
            let message = format!("Number of rows differs in different columns: {rows} != {got}");
            return fault(codes::INCORRECT_DATA, message);
        }
        builders[i] = Some(builder);
        Ok(())
    });
    if let Err(fault) = read {
        let column = place.1.map(|i| (i, &header[i]));
        return Err(fault.into_error(&FaultPosition {
            row: place.0,
            column,
            from_value: b"",
            rest: b"",
        }));
    }
    let rows = rows.unwrap_or(0);
    let mut found = Found::new(header, options);
    for (i, builder) in builders.into_iter().enumerate() {
        if let Some(builder) = builder {
            found.put(i, builder.finish(), &header[i])?;
        }
    }
    Ok(Box::new(Columns { rest: found.finish(rows) }))
}

fn infer_columns<const FORM: u8>(
    sample: &[u8],
    complete: bool,
    options: &FormatOptions,
) -> Result<Header> {
    if FORM == DOCUMENT {
        return infer(sample, complete, options);
    }
    let mut fields = Vec::new();
    let read = each_column::<FORM>(sample, |name, at, input| {
        let name = match name {
            Some(name) => String::from_utf8_lossy(name).into_owned(),
            None => format!("c{}", at + 1),
        };
        let mut guess = None;
        elements(input, |input| {
            guess = merge_json(guess.take(), guess_value(input, Effort::of(options), 0)?);
            Ok(())
        })?;
        fields.push(Field::new(name, settled(guess)));
        Ok(())
    });
    match read {
        Err(fault) if complete => Err(cannot("JSONColumns", &fault.message)),
        Err(_) => Err(cannot("JSONColumns", "The first 256 MiB do not hold all columns")),
        Ok(()) if fields.is_empty() => Err(cannot("JSONColumns", "There are no columns")),
        Ok(()) => Ok(Header::new(fields)),
    }
}

#[cfg(test)]
mod tests;
