//! Writes Native: one block per chunk.

use std::collections::HashMap;

use entasis_base::Result;
use entasis_base::varint::write_varint;
use entasis_column::{Chunk, Column, Header};
use entasis_types::DataType;

use crate::row_binary::write_name;
use crate::wire::{Wire, write_plain};
use crate::{FormatOptions, OutputFormat};

/// The one version of LowCardinality there is.
pub(super) const KEYS_VERSION: u64 = 1;
/// Discriminators of a Variant with one byte for each row.
pub(super) const DISCRIMINATORS: u64 = 0;
/// Flags above the width of codes: the block brings its own keys, and they replace others.
const KEYS_FLAGS: u64 = 1 << 9 | 1 << 10;

/// Revisions of the protocol from which on types name their zones, and columns may be sparse.
const WITH_ZONES: u64 = 54337;
const WITH_SPARSE: u64 = 54454;
/// A block's head: not the rows beyond a limit, no bucket of an aggregation.
const HEAD: [u8; 8] = [1, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0];

struct NativeWriter {
    protocol: u64,
    header: Header,
    wires: Vec<Wire>,
}

pub(super) fn writer(header: &Header, options: &FormatOptions) -> Result<Box<dyn OutputFormat>> {
    let wires = header.iter().map(|f| Wire::new(&f.ty)).collect();
    Ok(Box::new(NativeWriter { protocol: options.protocol_version, header: header.clone(), wires }))
}

impl OutputFormat for NativeWriter {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, chunk: &Chunk, out: &mut Vec<u8>) -> Result<()> {
        if chunk.is_empty() {
            return Ok(());
        }
        if self.protocol > 0 {
            out.extend_from_slice(&HEAD);
        }
        write_varint(out, chunk.columns.len() as u64);
        write_varint(out, chunk.rows as u64);
        let columns = self.header.iter().zip(&self.wires).zip(&chunk.columns);
        for ((field, wire), column) in columns {
            write_name(&field.name, out);
            match &field.ty {
                // Early revisions of the protocol know no zones, and this is what they are told.
                DataType::DateTime(Some(_)) if self.protocol < WITH_ZONES => {
                    write_name("DateTime", out);
                }
                ty => write_name(&ty.to_string(), out),
            }
            if self.protocol >= WITH_SPARSE {
                out.push(0);
            }
            write_versions(wire, out);
            write_column(wire, &column.full(), out);
        }
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

/// Appends what comes before the values: a version for each LowCardinality and Variant.
fn write_versions(wire: &Wire, out: &mut Vec<u8>) {
    match wire {
        Wire::LowCardinality(_) => out.extend_from_slice(&KEYS_VERSION.to_le_bytes()),
        Wire::Array(inner) => write_versions(inner, out),
        Wire::Tuple(parts) => parts.iter().for_each(|part| write_versions(part, out)),
        Wire::Variant(parts) => {
            out.extend_from_slice(&DISCRIMINATORS.to_le_bytes());
            parts.iter().for_each(|part| write_versions(part, out));
        }
        _ => {}
    }
}

/// Appends all values of a column.
fn write_column(wire: &Wire, column: &Column, out: &mut Vec<u8>) {
    match (wire, column) {
        (Wire::Nullable(inner), column) => write_nullable(inner, column, out),
        (Wire::LowCardinality(inner), column) => write_dictionary(inner, column, out),
        (Wire::Array(inner), Column::Array(array)) => {
            let (ends, elements) = array.flat();
            for end in &ends[1..] {
                out.extend_from_slice(&u64::from(*end).to_le_bytes());
            }
            write_column(inner, &elements, out);
        }
        (Wire::Tuple(parts), Column::Tuple(tuple)) if !parts.is_empty() => {
            let pairs = parts.iter().zip(&tuple.columns);
            pairs.for_each(|(part, column)| write_column(part, column, out));
        }
        (Wire::Variant(parts), Column::Variant(variant)) => {
            let variant = variant.dense();
            out.extend_from_slice(&variant.discriminators);
            let pairs = parts.iter().zip(variant.variants.iter());
            pairs.for_each(|(part, values)| write_column(part, values, out));
        }
        // What has no bytes of its own still takes one for each row.
        (Wire::Tuple(_) | Wire::Nothing, column) => out.resize(out.len() + column.len(), b'0'),
        (wire, column) => write_plain(wire, column, 0..column.len(), out),
    }
}

/// Appends the map of NULLs and the values, defaults where they are NULL.
fn write_nullable(inner: &Wire, column: &Column, out: &mut Vec<u8>) {
    let (bits, values) = column.split_nullable();
    let Some(bits) = bits else {
        out.resize(out.len() + values.len(), 0);
        return write_column(inner, values, out);
    };
    out.extend((0..values.len()).map(|i| u8::from(!bits.get(i))));
    if bits.all() || matches!(inner, Wire::Nothing) {
        return write_column(inner, values, out);
    }
    for i in 0..values.len() {
        if bits.get(i) {
            write_plain(inner, values, i..i + 1, out);
        } else {
            out.resize(out.len() + inner.least(), 0);
        }
    }
}

/// Appends the distinct values, the default first (before it NULL), and a code for each row.
fn write_dictionary(inner: &Wire, column: &Column, out: &mut Vec<u8>) {
    if column.is_empty() {
        return;
    }
    let (bits, values) = column.split_nullable();
    let (inner, is_nullable) = match inner {
        Wire::Nullable(inner) => (inner.as_ref(), true),
        inner => (inner, false),
    };
    let default = vec![0; inner.least()];
    let first = u64::from(is_nullable);
    let mut keys = default.repeat(1 + first as usize);
    let mut known = HashMap::from([(default, first)]);
    let mut key = Vec::new();
    let mut codes = Vec::with_capacity(values.len());
    for i in 0..values.len() {
        if bits.is_some_and(|b| !b.get(i)) {
            codes.push(0);
            continue;
        }
        key.clear();
        write_plain(inner, values, i..i + 1, &mut key);
        let next = known.len() as u64 + first;
        codes.push(known.get(&key).copied().unwrap_or_else(|| {
            keys.extend_from_slice(&key);
            known.insert(key.clone(), next);
            next
        }));
    }
    let count = known.len() as u64 + first;
    // Codes have one byte, two or four.
    let log_width = [1 << 8, 1 << 16].iter().filter(|most| count > **most).count();
    out.extend_from_slice(&(KEYS_FLAGS | log_width as u64).to_le_bytes());
    out.extend_from_slice(&count.to_le_bytes());
    out.extend_from_slice(&keys);
    out.extend_from_slice(&(codes.len() as u64).to_le_bytes());
    for code in codes {
        out.extend_from_slice(&code.to_le_bytes()[..1 << log_width]);
    }
}
