//! JSON values, and the formats JSON, JSONCompact, JSONEachRow and JSONCompactEachRow as output.

use std::io::Write;

use entasis_base::{Result, scope};
use entasis_column::{Chunk, Header};
use entasis_types::{DataType, Spelled};

use crate::cell::{Cell, FullChunk, Raw, Shown};
use crate::escape::write_json as write_string;
use crate::registry::FormatDef;
use crate::{Beside, FormatOptions, OutputFormat};

/// Rows as objects or, compact, as arrays; values as they are or as texts; names (1), and types
/// (2), in lines before them.
macro_rules! each_row {
    ($name:literal, $compact:literal, $texts:literal, $lines:literal) => {
        FormatDef {
            write: Some(lines::<$compact, $texts, $lines>),
            rows: Some(crate::json_rows::rows::<$compact, $texts, $lines>),
            infer: Some(crate::json_rows::infer::<$compact, $texts, $lines>),
            ..FormatDef::new($name)
        }
    };
}

pub(crate) const FORMATS: &[FormatDef] = &[
    FormatDef {
        extensions: &["json"],
        write: Some(document::<false, false>),
        read: Some(crate::json_document::rows::<false>),
        infer: Some(crate::json_document::infer),
        ..FormatDef::new("JSON")
    },
    FormatDef {
        write: Some(document::<true, false>),
        read: Some(crate::json_document::rows::<true>),
        infer: Some(crate::json_document::infer),
        ..FormatDef::new("JSONCompact")
    },
    FormatDef { write: Some(document::<false, true>), ..FormatDef::new("JSONStrings") },
    FormatDef { write: Some(document::<true, true>), ..FormatDef::new("JSONCompactStrings") },
    FormatDef {
        aliases: &["JSONLines", "NDJSON"],
        extensions: &["jsonl", "ndjson"],
        ..each_row!("JSONEachRow", false, false, 0)
    },
    each_row!("JSONCompactEachRow", true, false, 0),
    each_row!("JSONCompactEachRowWithNames", true, false, 1),
    each_row!("JSONCompactEachRowWithNamesAndTypes", true, false, 2),
    each_row!("JSONStringsEachRow", false, true, 0),
    each_row!("JSONCompactStringsEachRow", true, true, 0),
    each_row!("JSONCompactStringsEachRowWithNames", true, true, 1),
    each_row!("JSONCompactStringsEachRowWithNamesAndTypes", true, true, 2),
];

/// How JSON values are laid out.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// Nested arrays of tuples and objects over several lines: the unit of indentation.
    pub(crate) indent: Option<&'static str>,
    pub(crate) quote_64bit: bool,
    pub(crate) quote_floats: bool,
    pub(crate) quote_decimals: bool,
    pub(crate) validate: bool,
}

impl Layout {
    /// As options say, on one line.
    pub(crate) fn new(options: &FormatOptions, validate: bool) -> Self {
        Self {
            indent: None,
            quote_64bit: options.json_quote_64bit_integers,
            quote_floats: options.json_quote_64bit_floats,
            quote_decimals: options.json_quote_decimals,
            validate,
        }
    }

    pub(crate) fn line(self, out: &mut Vec<u8>, depth: usize) {
        if let Some(indent) = self.indent {
            out.push(b'\n');
            (0..depth).for_each(|_| out.extend_from_slice(indent.as_bytes()));
        }
    }

    pub(crate) fn write(self, cell: &Cell<'_>, row: usize, depth: usize, out: &mut Vec<u8>) {
        match cell {
            Cell::Nullable(bits, inner) if bits.get(row) => self.write(inner, row, depth, out),
            Cell::Nullable(..) | Cell::Nothing => out.extend_from_slice(b"null"),
            Cell::String(..) | Cell::Fixed(..) => {
                write_string(out, cell.text(row).unwrap_or_default(), self.validate);
            }
            Cell::Date(_) | Cell::DateTime(..) | Cell::Moment(..) => {
                out.push(b'"');
                cell.write::<Raw>(row, out);
                out.push(b'"');
            }
            Cell::Float64(v) if self.quote_floats => {
                out.push(b'"');
                match v[row].is_finite() {
                    true => cell.write::<Raw>(row, out),
                    false => out.extend_from_slice(b"null"),
                }
                out.push(b'"');
            }
            Cell::Float32(v) if !v[row].is_finite() => out.extend_from_slice(b"null"),
            Cell::Float64(v) if !v[row].is_finite() => out.extend_from_slice(b"null"),
            Cell::UInt64(_)
            | Cell::Int64(_)
            | Cell::UInt128(_)
            | Cell::UInt256(_)
            | Cell::Int128(_)
            | Cell::Int256(_)
                if self.quote_64bit =>
            {
                out.push(b'"');
                cell.write::<Raw>(row, out);
                out.push(b'"');
            }
            Cell::Spelled(_, Spelled::Enum(_)) => {
                let mut text = Vec::new();
                cell.write::<Raw>(row, &mut text);
                write_string(out, &text, self.validate);
            }
            Cell::Spelled(_, spelled)
                if spelled.is_quoted()
                    || self.quote_decimals && matches!(spelled, Spelled::Decimal(..)) =>
            {
                out.push(b'"');
                cell.write::<Raw>(row, out);
                out.push(b'"');
            }
            Cell::Map(offsets, keys, values) => {
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                self.map(keys, values, range, depth, out);
            }
            Cell::Array(offsets, inner) => {
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                self.array(inner, range, depth, out);
            }
            Cell::Tuple(cells, ty) => self.tuple(cells, ty, row, depth, out),
            _ => cell.write::<Raw>(row, out),
        }
    }

    /// Arrays of plain values stay on one line; others get a line per element.
    fn array(
        self,
        inner: &Cell<'_>,
        range: std::ops::Range<usize>,
        depth: usize,
        out: &mut Vec<u8>,
    ) {
        let is_nested = matches!(inner, Cell::Array(..) | Cell::Tuple(..));
        let start = range.start;
        out.push(b'[');
        let is_empty = range.is_empty();
        for k in scope::steps(range) {
            if k > start {
                out.push(b',');
            }
            if is_nested {
                self.line(out, depth + 1);
            }
            self.write(inner, k, depth + 1, out);
        }
        if is_nested && !is_empty {
            self.line(out, depth);
        }
        out.push(b']');
    }

    /// An object; keys of any type as text.
    fn map(
        self,
        keys: &Cell<'_>,
        values: &Cell<'_>,
        range: std::ops::Range<usize>,
        depth: usize,
        out: &mut Vec<u8>,
    ) {
        let (start, is_empty) = (range.start, range.is_empty());
        out.push(b'{');
        for k in scope::steps(range) {
            if k > start {
                out.push(b',');
            }
            self.line(out, depth + 1);
            let mut key = Vec::new();
            keys.write::<Raw>(k, &mut key);
            write_string(out, &key, self.validate);
            out.extend_from_slice(if self.indent.is_some() { b": " } else { b":" });
            self.write(values, k, depth + 1, out);
        }
        if !is_empty {
            self.line(out, depth);
        }
        out.push(b'}');
    }

    fn tuple(self, cells: &[Cell<'_>], ty: &DataType, row: usize, depth: usize, out: &mut Vec<u8>) {
        let names = match ty {
            DataType::Tuple(tuple) => tuple.names.as_ref(),
            _ => None,
        };
        out.push(if names.is_some() { b'{' } else { b'[' });
        for (k, cell) in cells.iter().enumerate() {
            if k > 0 {
                out.push(b',');
            }
            self.line(out, depth + 1);
            if let Some(names) = names {
                write_string(out, names[k].as_bytes(), self.validate);
                out.extend_from_slice(if self.indent.is_some() { b": " } else { b":" });
            }
            self.write(cell, row, depth + 1, out);
        }
        if !cells.is_empty() {
            self.line(out, depth);
        }
        out.push(if names.is_some() { b'}' } else { b']' });
    }
}

/// Whether a cell is a tuple with names, or an array of such.
pub(crate) fn has_named_tuple(cell: &Cell<'_>) -> bool {
    match cell {
        Cell::Tuple(_, DataType::Tuple(tuple)) => tuple.names.is_some(),
        Cell::Array(_, inner) => has_named_tuple(inner),
        _ => false,
    }
}

/// Appends a tuple with names, or an array of such, as tables show it.
pub(crate) fn write_shown(cell: &Cell<'_>, row: usize, out: &mut Vec<u8>) {
    let layout = Layout { indent: Some("  "), ..Layout::new(&FormatOptions::default(), false) };
    if let Cell::Array(offsets, inner) = cell {
        out.push(b'[');
        for k in offsets[row]..offsets[row + 1] {
            if k > offsets[row] {
                out.push(b',');
            }
            write_shown(inner, k as usize, out);
        }
        out.push(b']');
    } else {
        layout.write(cell, row, 0, out);
    }
}

/// JSON and JSONCompact: one document.
struct Document {
    header: Header,
    options: FormatOptions,
    writer: RowWriter,
    rows: u64,
    /// The list of rows has been ended, for what stands beside them.
    ended: bool,
    before_limit: Option<u64>,
}

fn document<const IS_COMPACT: bool, const AS_TEXTS: bool>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    let (header, options) = (header.clone(), options.clone());
    let writer = RowWriter::new(&header, &options, IS_COMPACT, AS_TEXTS);
    Ok(Box::new(Document { header, options, writer, rows: 0, ended: false, before_limit: None }))
}

/// How a document's rows are written: as objects over several lines, or as compact arrays.
pub(crate) struct RowWriter {
    names: Vec<Vec<u8>>,
    layout: Layout,
    is_compact: bool,
    as_texts: bool,
}

impl RowWriter {
    pub(crate) fn new(
        header: &Header,
        options: &FormatOptions,
        is_compact: bool,
        as_texts: bool,
    ) -> Self {
        let layout = Layout { indent: (!is_compact).then_some("\t"), ..Layout::new(options, true) };
        let names = header.iter().map(|f| json_name(&f.name, true)).collect();
        Self { names, layout, is_compact, as_texts }
    }

    fn row(&self, cells: &[Cell<'_>], row: usize, depth: usize, out: &mut Vec<u8>) {
        out.push(if self.is_compact { b'[' } else { b'{' });
        for (i, cell) in cells.iter().enumerate() {
            if self.is_compact {
                out.extend_from_slice(if i > 0 { b", " } else { b"" });
            } else {
                out.extend_from_slice(if i > 0 { b"," } else { b"" });
                self.layout.line(out, depth + 1);
                out.extend_from_slice(&self.names[i]);
                out.extend_from_slice(b": ");
            }
            if self.as_texts {
                write_text(cell, row, true, out);
            } else {
                self.layout.write(cell, row, depth + 1, out);
            }
        }
        self.layout.line(out, depth);
        out.push(if self.is_compact { b']' } else { b'}' });
    }

    /// The totals, or the extremes.
    pub(crate) fn beside(&self, what: Beside, cells: &[Cell<'_>], out: &mut Vec<u8>) {
        let named = |name: &str, row: usize, depth: usize, out: &mut Vec<u8>| {
            let indent = &b"\t\t"[..depth];
            out.extend_from_slice(indent);
            let _ = write!(out, "\"{name}\":");
            out.extend_from_slice(if self.is_compact { b" " } else { b"\n" });
            if !self.is_compact {
                out.extend_from_slice(indent);
            }
            self.row(cells, row, depth, out);
        };
        out.push(b'\n');
        if what == Beside::Totals {
            named("totals", 0, 1, out);
            out.extend_from_slice(b",\n");
            return;
        }
        out.extend_from_slice(b"\t\"extremes\":\n\t{\n");
        named("min", 0, 2, out);
        out.extend_from_slice(b",\n");
        named("max", 1, 2, out);
        out.extend_from_slice(b"\n\t},\n");
    }
}

impl Document {
    fn end_rows(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.ended, true) {
            out.extend_from_slice(b"\n\t],\n");
        }
    }
}

impl OutputFormat for Document {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        write_meta(&self.header, out);
        out.extend_from_slice(b"\t\"data\":\n\t[\n");
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        for row in 0..chunk.rows {
            out.extend_from_slice(if self.rows > 0 { b",\n\t\t" } else { b"\t\t" });
            self.rows += 1;
            self.writer.row(&cells, row, 2, out);
        }
        Ok(())
    }

    fn beside(&mut self, what: Beside, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        self.end_rows(out);
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        self.writer.beside(what, &cells, out);
        Ok(())
    }

    fn rows_before_limit(&mut self, rows: u64) {
        self.before_limit = Some(rows);
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.end_rows(out);
        write_end((self.rows, self.before_limit), &self.options, out);
        Ok(())
    }
}

/// Appends the beginning of a document: names and types.
pub(crate) fn write_meta(header: &Header, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\n\t\"meta\":\n\t[");
    for (i, field) in header.iter().enumerate() {
        out.extend_from_slice(if i > 0 { b",\n\t\t{\n" } else { b"\n\t\t{\n" });
        out.extend_from_slice(b"\t\t\t\"name\": ");
        write_string(out, field.name.as_bytes(), true);
        out.extend_from_slice(b",\n\t\t\t\"type\": ");
        write_string(out, field.ty.to_string().as_bytes(), true);
        out.extend_from_slice(b"\n\t\t}");
    }
    out.extend_from_slice(b"\n\t],\n\n");
}

/// Appends the end of a document: what follows the data. `rows` are those of the result, and those
/// before its LIMIT.
pub(crate) fn write_end(rows: (u64, Option<u64>), options: &FormatOptions, out: &mut Vec<u8>) {
    let _ = write!(out, "\n\t\"rows\": {}", rows.0);
    if let Some(rows) = rows.1 {
        let _ = write!(out, ",\n\n\t\"rows_before_limit_at_least\": {rows}");
    }
    if let Some(statistics) = options.statistics {
        let mut elapsed = Vec::new();
        entasis_types::text::write_f64(&mut elapsed, statistics.elapsed);
        let _ = write!(
            out,
            ",\n\n\t\"statistics\":\n\t{{\n\t\t\"elapsed\": {},\n\t\t\"rows_read\": {},\n\t\t\
             \"bytes_read\": {}\n\t}}",
            String::from_utf8_lossy(&elapsed),
            statistics.rows_read,
            statistics.bytes_read
        );
    }
    out.extend_from_slice(b"\n}\n");
}

/// Appends a value's text as a string.
fn write_text(cell: &Cell<'_>, row: usize, validate: bool, out: &mut Vec<u8>) {
    let mut text = Vec::new();
    cell.write::<Shown>(row, &mut text);
    write_string(out, &text, validate);
}

pub(crate) fn json_name(name: &str, validate: bool) -> Vec<u8> {
    let mut out = Vec::new();
    write_string(&mut out, name.as_bytes(), validate);
    out
}

/// JSONEachRow and its kin: a line per row.
struct Lines<const IS_COMPACT: bool, const AS_TEXTS: bool, const LINES: u8> {
    header: Header,
    options: FormatOptions,
}

fn lines<const IS_COMPACT: bool, const AS_TEXTS: bool, const LINES: u8>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    let (header, options) = (header.clone(), options.clone());
    Ok(Box::new(Lines::<IS_COMPACT, AS_TEXTS, LINES> { header, options }))
}

impl<const IS_COMPACT: bool, const AS_TEXTS: bool, const LINES: u8> OutputFormat
    for Lines<IS_COMPACT, AS_TEXTS, LINES>
{
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let mut line = |text: &dyn Fn(usize) -> String| {
            for i in 0..self.header.len() {
                out.extend_from_slice(if i > 0 { b", " } else { b"[" });
                write_string(out, text(i).as_bytes(), false);
            }
            out.extend_from_slice(b"]\n");
        };
        if LINES > 0 {
            line(&|i| self.header[i].name.to_string());
        }
        if LINES > 1 {
            line(&|i| self.header[i].ty.to_string());
        }
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        let names: Vec<Vec<u8>> = self.header.iter().map(|f| json_name(&f.name, false)).collect();
        let layout = Layout::new(&self.options, false);
        for row in 0..chunk.rows {
            out.push(if IS_COMPACT { b'[' } else { b'{' });
            for (i, cell) in cells.iter().enumerate() {
                if IS_COMPACT {
                    out.extend_from_slice(if i > 0 { b", " } else { b"" });
                } else {
                    if i > 0 {
                        out.push(b',');
                    }
                    out.extend_from_slice(&names[i]);
                    out.push(b':');
                }
                if AS_TEXTS {
                    write_text(cell, row, false, out);
                } else {
                    layout.write(cell, row, 0, out);
                }
            }
            out.extend_from_slice(if IS_COMPACT { b"]\n" } else { b"}\n" });
        }
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
