//! JSON values, and the formats JSON, JSONCompact, JSONEachRow and JSONCompactEachRow as output.

use std::io::Write;

use entasis_base::Result;
use entasis_column::{Chunk, Header};
use entasis_types::{DataType, Spelled};

use crate::cell::{Cell, FullChunk, Raw};
use crate::escape::write_json as write_string;
use crate::registry::FormatDef;
use crate::{FormatOptions, OutputFormat};

pub(crate) const FORMATS: &[FormatDef] = &[
    FormatDef { extensions: &["json"], write: Some(document::<false>), ..FormatDef::new("JSON") },
    FormatDef { write: Some(document::<true>), ..FormatDef::new("JSONCompact") },
    FormatDef {
        aliases: &["JSONLines", "NDJSON"],
        extensions: &["jsonl", "ndjson"],
        write: Some(lines::<false>),
        ..crate::json_rows::EACH_ROW
    },
    FormatDef { write: Some(lines::<true>), ..crate::json_rows::COMPACT_EACH_ROW },
];

/// How JSON values are laid out.
#[derive(Clone, Copy)]
struct Layout {
    /// Nested arrays of tuples and objects over several lines: the unit of indentation.
    indent: Option<&'static str>,
    quote_64bit: bool,
    validate: bool,
}

impl Layout {
    fn line(self, out: &mut Vec<u8>, depth: usize) {
        if let Some(indent) = self.indent {
            out.push(b'\n');
            (0..depth).for_each(|_| out.extend_from_slice(indent.as_bytes()));
        }
    }

    fn write(self, cell: &Cell<'_>, row: usize, depth: usize, out: &mut Vec<u8>) {
        match cell {
            Cell::Nullable(bits, inner) if bits.get(row) => self.write(inner, row, depth, out),
            Cell::Nullable(..) | Cell::Nothing => out.extend_from_slice(b"null"),
            Cell::String(..) | Cell::Fixed(..) => {
                write_string(out, cell.text(row).unwrap_or_default(), self.validate);
            }
            Cell::Date(_) | Cell::DateTime(..) => {
                out.push(b'"');
                cell.write::<Raw>(row, out);
                out.push(b'"');
            }
            Cell::Float32(v) if !v[row].is_finite() => out.extend_from_slice(b"null"),
            Cell::Float64(v) if !v[row].is_finite() => out.extend_from_slice(b"null"),
            Cell::UInt64(_) | Cell::Int64(_) if self.quote_64bit => {
                out.push(b'"');
                cell.write::<Raw>(row, out);
                out.push(b'"');
            }
            Cell::Spelled(_, Spelled::Enum(_)) => {
                let mut text = Vec::new();
                cell.write::<Raw>(row, &mut text);
                write_string(out, &text, self.validate);
            }
            Cell::Spelled(_, spelled) if spelled.is_quoted() => {
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
        for k in range {
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
        for k in range {
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
    let layout = Layout { indent: Some("  "), quote_64bit: false, validate: false };
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
    is_compact: bool,
    rows: u64,
}

fn document<const IS_COMPACT: bool>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    let (header, options) = (header.clone(), options.clone());
    Ok(Box::new(Document { header, options, is_compact: IS_COMPACT, rows: 0 }))
}

impl OutputFormat for Document {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(b"{\n\t\"meta\":\n\t[");
        for (i, field) in self.header.iter().enumerate() {
            out.extend_from_slice(if i > 0 { b",\n\t\t{\n" } else { b"\n\t\t{\n" });
            out.extend_from_slice(b"\t\t\t\"name\": ");
            write_string(out, field.name.as_bytes(), true);
            out.extend_from_slice(b",\n\t\t\t\"type\": ");
            write_string(out, field.ty.to_string().as_bytes(), true);
            out.extend_from_slice(b"\n\t\t}");
        }
        out.extend_from_slice(b"\n\t],\n\n\t\"data\":\n\t[\n");
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        let names: Vec<Vec<u8>> = self.header.iter().map(|f| json_name(&f.name, true)).collect();
        let layout = Layout {
            indent: (!self.is_compact).then_some("\t"),
            quote_64bit: self.options.json_quote_64bit_integers,
            validate: true,
        };
        for row in 0..chunk.rows {
            if self.rows > 0 {
                out.extend_from_slice(b",\n");
            }
            self.rows += 1;
            out.extend_from_slice(if self.is_compact { b"\t\t[" } else { b"\t\t{" });
            for (i, cell) in cells.iter().enumerate() {
                if self.is_compact {
                    out.extend_from_slice(if i > 0 { b", " } else { b"" });
                } else {
                    out.extend_from_slice(if i > 0 { b",\n\t\t\t" } else { b"\n\t\t\t" });
                    out.extend_from_slice(&names[i]);
                    out.extend_from_slice(b": ");
                }
                layout.write(cell, row, 3, out);
            }
            out.extend_from_slice(if self.is_compact { b"]" } else { b"\n\t\t}" });
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let _ = write!(out, "\n\t],\n\n\t\"rows\": {}", self.rows);
        if let Some(statistics) = self.options.statistics {
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
        Ok(())
    }
}

fn json_name(name: &str, validate: bool) -> Vec<u8> {
    let mut out = Vec::new();
    write_string(&mut out, name.as_bytes(), validate);
    out
}

/// JSONEachRow and JSONCompactEachRow: a line per row.
struct Lines {
    header: Header,
    options: FormatOptions,
    is_compact: bool,
}

fn lines<const IS_COMPACT: bool>(
    header: &Header,
    options: &FormatOptions,
) -> Result<Box<dyn OutputFormat>> {
    let (header, options) = (header.clone(), options.clone());
    Ok(Box::new(Lines { header, options, is_compact: IS_COMPACT }))
}

impl OutputFormat for Lines {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        let full = FullChunk::new(chunk);
        let cells = full.cells(&self.header, &self.options)?;
        let names: Vec<Vec<u8>> = self.header.iter().map(|f| json_name(&f.name, false)).collect();
        let quote_64bit = self.options.json_quote_64bit_integers;
        let layout = Layout { indent: None, quote_64bit, validate: false };
        for row in 0..chunk.rows {
            out.push(if self.is_compact { b'[' } else { b'{' });
            for (i, cell) in cells.iter().enumerate() {
                if self.is_compact {
                    out.extend_from_slice(if i > 0 { b", " } else { b"" });
                } else {
                    if i > 0 {
                        out.push(b',');
                    }
                    out.extend_from_slice(&names[i]);
                    out.push(b':');
                }
                layout.write(cell, row, 0, out);
            }
            out.extend_from_slice(if self.is_compact { b"]\n" } else { b"}\n" });
        }
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}
