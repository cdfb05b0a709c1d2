//! Writes JSON values: their layout, and what settings change about it.

use std::ops::Range;

use entasis_base::scope;
use entasis_types::{DataType, TextType};

use crate::FormatOptions;
use crate::cell::{Cell, Quoted, Raw};
use crate::escape::{JsonStrings, write_json as write_string};
use crate::options::JsonOutput;

/// How JSON values are laid out.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// What settings say of the output.
    pub(crate) json: JsonOutput,
    /// Nested arrays of tuples and objects over several lines: the unit of indentation.
    pub(crate) indent: Option<&'static str>,
    pub(crate) quote_64bit: bool,
    pub(crate) quote_floats: bool,
    pub(crate) quote_decimals: bool,
    /// How strings are written.
    pub(crate) strings: JsonStrings,
}

impl Layout {
    /// As options say, on one line.
    pub(crate) fn new(options: &FormatOptions, validate: bool) -> Self {
        Self {
            indent: None,
            quote_64bit: options.json_quote_64bit_integers,
            quote_floats: options.json_quote_64bit_floats,
            quote_decimals: options.json_quote_decimals,
            json: options.json,
            strings: options.json.strings(validate),
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
            Cell::Variant(..) => match cell.alternative(row) {
                Some((cell, row)) => self.write(cell, row, depth, out),
                None => out.extend_from_slice(b"null"),
            },
            Cell::Nullable(..) | Cell::Nothing => out.extend_from_slice(b"null"),
            Cell::String(..) | Cell::Fixed(..) => {
                write_string(out, cell.text(row).unwrap_or_default(), self.strings);
            }
            Cell::Date(_) | Cell::DateTime(..) | Cell::Moment(..) => {
                out.push(b'"');
                cell.write::<Raw>(row, out);
                out.push(b'"');
            }
            Cell::Float32(v) => self.float(cell, row, v[row].is_finite(), false, out),
            Cell::Float64(v) => self.float(cell, row, v[row].is_finite(), self.quote_floats, out),
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
            Cell::Decimal(..) if self.quote_decimals => {
                out.push(b'"');
                cell.write::<Raw>(row, out);
                out.push(b'"');
            }
            Cell::Bool(..) => cell.write::<Quoted>(row, out),
            Cell::TextType(_, TextType::Enum(_)) => {
                let mut text = Vec::new();
                cell.write::<Raw>(row, &mut text);
                write_string(out, &text, self.strings);
            }
            Cell::TextType(_, spelled)
                if spelled.is_quoted()
                    || self.quote_decimals && matches!(spelled, TextType::Decimal(..)) =>
            {
                out.push(b'"');
                cell.write::<Raw>(row, out);
                out.push(b'"');
            }
            Cell::Map(offsets, keys, values) => {
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                if self.json.maps_as_arrays {
                    return self.pairs(keys, values, range, depth, out);
                }
                self.map(keys, values, range, depth, out);
            }
            Cell::Array(offsets, inner) => {
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                self.array(inner, range, depth, out);
            }
            Cell::Tuple(cells, ty) => {
                let names = match ty {
                    DataType::Tuple(tuple) => tuple.names.as_deref(),
                    _ => None,
                };
                self.tuple(cells, names, row, depth, out);
            }
            _ => cell.write::<Raw>(row, out),
        }
    }

    /// A float; what is not finite is null, or its name.
    fn float(
        self,
        cell: &Cell<'_>,
        row: usize,
        is_finite: bool,
        is_quoted: bool,
        out: &mut Vec<u8>,
    ) {
        let is_null = !is_finite && !self.json.quote_denormals;
        let is_quoted = is_quoted || !is_finite && !is_null;
        out.extend_from_slice(if is_quoted { b"\"" } else { b"" });
        match is_null {
            true => out.extend_from_slice(b"null"),
            false => cell.write::<Raw>(row, out),
        }
        out.extend_from_slice(if is_quoted { b"\"" } else { b"" });
    }

    /// The values of a range between two brackets, on a line each if `has_lines`. `one` writes a
    /// value.
    fn values(
        self,
        brackets: [u8; 2],
        has_lines: bool,
        range: Range<usize>,
        depth: usize,
        out: &mut Vec<u8>,
        mut one: impl FnMut(usize, &mut Vec<u8>),
    ) {
        let (start, is_empty) = (range.start, range.is_empty());
        out.push(brackets[0]);
        for k in scope::steps(range) {
            if k > start {
                out.push(b',');
            }
            if has_lines {
                self.line(out, depth + 1);
            }
            one(k, out);
        }
        if has_lines && !is_empty {
            self.line(out, depth);
        }
        out.push(brackets[1]);
    }

    /// The name of a member of an object.
    fn name(self, name: &[u8], out: &mut Vec<u8>) {
        write_string(out, name, self.strings);
        out.extend_from_slice(if self.indent.is_some() { b": " } else { b":" });
    }

    /// Arrays of plain values stay on one line; others get a line per element.
    fn array(self, inner: &Cell<'_>, range: Range<usize>, depth: usize, out: &mut Vec<u8>) {
        let is_nested = matches!(inner, Cell::Array(..) | Cell::Tuple(..));
        self.values(*b"[]", is_nested, range, depth, out, |k, out| {
            self.write(inner, k, depth + 1, out);
        });
    }

    /// A map as an array of objects, or, without these, of pairs.
    fn pairs(
        self,
        keys: &Cell<'_>,
        values: &Cell<'_>,
        range: Range<usize>,
        depth: usize,
        out: &mut Vec<u8>,
    ) {
        let is_object = self.json.named_tuples_as_objects;
        let brackets = if is_object { *b"{}" } else { *b"[]" };
        self.values(*b"[]", true, range, depth, out, |k, out| {
            self.values(brackets, true, 0..2, depth + 1, out, |part, out| {
                let (name, cell) = [("keys", keys), ("values", values)][part];
                if is_object {
                    self.name(name.as_bytes(), out);
                }
                self.write(cell, k, depth + 2, out);
            });
        });
    }

    /// An object; keys of any type as text.
    fn map(
        self,
        keys: &Cell<'_>,
        values: &Cell<'_>,
        range: Range<usize>,
        depth: usize,
        out: &mut Vec<u8>,
    ) {
        self.values(*b"{}", true, range, depth, out, |k, out| {
            let mut key = Vec::new();
            keys.write::<Raw>(k, &mut key);
            self.name(&key, out);
            self.write(values, k, depth + 1, out);
        });
    }

    fn tuple(
        self,
        cells: &[Cell<'_>],
        names: Option<&[std::sync::Arc<str>]>,
        row: usize,
        depth: usize,
        out: &mut Vec<u8>,
    ) {
        let names = names.filter(|_| self.json.named_tuples_as_objects);
        out.push(if names.is_some() { b'{' } else { b'[' });
        let skips = |cell: &Cell<'_>| {
            names.is_some() && self.json.skip_nulls_of_tuples && cell.is_null(row)
        };
        let shown = cells.iter().enumerate().filter(|(_, cell)| !skips(cell));
        let mut is_first = true;
        for (k, cell) in shown {
            if !std::mem::take(&mut is_first) {
                out.push(b',');
            }
            self.line(out, depth + 1);
            if let Some(names) = names {
                self.name(names[k].as_bytes(), out);
            }
            self.write(cell, row, depth + 1, out);
        }
        if !cells.is_empty() {
            if is_first {
                self.line(out, 0);
            }
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
