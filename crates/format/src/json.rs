//! The formats JSON, JSONCompact, JSONEachRow and JSONCompactEachRow as output.

mod layout;

pub(crate) use layout::{Layout, has_named_tuple, write_shown};

use std::io::Write;

use entasis_base::Result;
use entasis_column::{Chunk, Header};

use crate::cell::{Cell, FullChunk, Shown};
use crate::escape::{JsonStrings, write_json as write_string};
use crate::registry::FormatDef;
use crate::{FormatOptions, OutputFormat, StatisticsSource, TotalsAndExtremes};

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
    /// How values are written, which are on one line without `output_format_json_pretty_print`.
    values: Layout,
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
        let names = header.iter().map(|f| json_name(&f.name, layout.strings)).collect();
        let indent = layout.indent.filter(|_| options.json.pretty_print);
        let values = Layout { indent, ..layout };
        Self { names, layout, values, is_compact, as_texts }
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
                write_text(cell, row, self.layout.strings, out);
            } else {
                self.values.write(cell, row, depth + 1, out);
            }
        }
        self.layout.line(out, depth);
        out.push(if self.is_compact { b']' } else { b'}' });
    }

    /// The totals, or the extremes.
    pub(crate) fn totals_and_extremes(
        &self,
        what: TotalsAndExtremes,
        cells: &[Cell<'_>],
        out: &mut Vec<u8>,
    ) {
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
        if what == TotalsAndExtremes::Totals {
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
        write_meta(&self.header, self.writer.layout.strings, out);
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

    fn totals_and_extremes(
        &mut self,
        what: TotalsAndExtremes,
        chunk: &Chunk,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.end_rows(out);
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        self.writer.totals_and_extremes(what, &cells, out);
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
pub(crate) fn write_meta(header: &Header, strings: JsonStrings, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\n\t\"meta\":\n\t[");
    for (i, field) in header.iter().enumerate() {
        out.extend_from_slice(if i > 0 { b",\n\t\t{\n" } else { b"\n\t\t{\n" });
        out.extend_from_slice(b"\t\t\t\"name\": ");
        write_string(out, field.name.as_bytes(), strings);
        out.extend_from_slice(b",\n\t\t\t\"type\": ");
        write_string(out, field.ty.to_string().as_bytes(), strings);
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
    if let Some(statistics) = options.statistics.as_ref().map(StatisticsSource::get) {
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
fn write_text(cell: &Cell<'_>, row: usize, strings: JsonStrings, out: &mut Vec<u8>) {
    let mut text = Vec::new();
    cell.write::<Shown>(row, &mut text);
    write_string(out, &text, strings);
}

pub(crate) fn json_name(name: &str, strings: JsonStrings) -> Vec<u8> {
    let mut out = Vec::new();
    write_string(&mut out, name.as_bytes(), strings);
    out
}

/// JSONEachRow and its kin: a line per row.
struct Lines<const IS_COMPACT: bool, const AS_TEXTS: bool, const LINES: u8> {
    header: Header,
    options: FormatOptions,
    /// Whether rows are elements of one array (`output_format_json_array_of_rows`).
    in_array: bool,
    is_first: bool,
}

fn lines<const IS_COMPACT: bool, const AS_TEXTS: bool, const LINES: u8>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    let (header, options) = (header.clone(), options.clone());
    let in_array = options.json.array_of_rows && !IS_COMPACT;
    let is_first = true;
    Ok(Box::new(Lines::<IS_COMPACT, AS_TEXTS, LINES> { header, options, in_array, is_first }))
}

impl<const IS_COMPACT: bool, const AS_TEXTS: bool, const LINES: u8> OutputFormat
    for Lines<IS_COMPACT, AS_TEXTS, LINES>
{
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let strings = self.options.json.strings(false);
        let mut line = |text: &dyn Fn(usize) -> String| {
            for i in 0..self.header.len() {
                out.extend_from_slice(if i > 0 { b", " } else { b"[" });
                write_string(out, text(i).as_bytes(), strings);
            }
            out.extend_from_slice(b"]\n");
        };
        if LINES > 0 {
            line(&|i| self.header[i].name.to_string());
        }
        if LINES > 1 {
            line(&|i| self.header[i].ty.to_string());
        }
        out.extend_from_slice(if self.in_array { b"[\n" } else { b"" });
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        let layout = Layout::new(&self.options, false);
        let names = self.header.iter().map(|f| json_name(&f.name, layout.strings));
        let names: Vec<Vec<u8>> = names.collect();
        for row in 0..chunk.rows {
            if self.in_array && !std::mem::take(&mut self.is_first) {
                out.extend_from_slice(b",\n");
            }
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
                    write_text(cell, row, layout.strings, out);
                } else {
                    layout.write(cell, row, 0, out);
                }
            }
            out.push(if IS_COMPACT { b']' } else { b'}' });
            out.extend_from_slice(if self.in_array { b"" } else { b"\n" });
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(if self.in_array { b"\n]\n" } else { b"" });
        Ok(())
    }
}
