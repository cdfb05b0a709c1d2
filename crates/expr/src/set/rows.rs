//! Rows of several columns, as one number or as bytes.

use entasis_column::{Column, match_native, match_number};
use entasis_types::DataType;

use super::fits_word;
use super::numbers::Bits;

/// Widths of fixed-width columns that together fit into 64 bits.
#[derive(Debug)]
pub(super) struct Packing(Vec<u32>);

impl Packing {
    pub fn of(types: &[DataType]) -> Option<Self> {
        let mut widths = Vec::with_capacity(types.len());
        for ty in types {
            // Floats are encoded to bytes instead, because the encoding handles NaN.
            let width = ty.fixed_width().filter(|_| fits_word(ty) && !ty.is_float())?;
            widths.push(width as u32 * 8);
        }
        (!widths.is_empty() && widths.iter().sum::<u32>() <= 64).then_some(Self(widths))
    }

    /// Packs each row of full columns into one number.
    pub fn pack(&self, columns: &[Column], rows: usize) -> Vec<u64> {
        let mut out = vec![0u64; rows];
        for (column, bits) in columns.iter().zip(&self.0) {
            match_number!(column, values => {
                for (o, v) in out.iter_mut().zip(values.iter()) {
                    *o = o.checked_shl(*bits).unwrap_or(0) | v.to_bits64();
                }
            }, _ => {});
        }
        out
    }
}

/// Appends the encoding of row `i`; equal rows have equal bytes. Returns false if the row equals
/// nothing.
pub(super) fn encode(columns: &[Column], i: usize, out: &mut Vec<u8>) -> bool {
    columns.iter().all(|column| encode_value(column, i, out))
}

fn encode_value(column: &Column, i: usize, out: &mut Vec<u8>) -> bool {
    match column {
        Column::String(strings) => bytes(strings.get(i), out),
        Column::Fixed(fixed) => out.extend_from_slice(fixed.get(i)),
        Column::Nullable(n) => {
            let valid = n.validity.get(i);
            out.push(u8::from(valid));
            return !valid || encode_value(&n.values, i, out);
        }
        Column::Array(array) => {
            let range = array.range(i);
            out.extend_from_slice(&(range.len() as u32).to_le_bytes());
            return range.into_iter().all(|k| encode_value(&array.values, k, out));
        }
        Column::Tuple(tuple) => return encode(&tuple.columns, i, out),
        Column::Variant(v) => {
            out.push(v.discriminators[i]);
            return v.at(i).is_none_or(|(values, at)| encode_value(values, at, out));
        }
        Column::Const(c) => return encode_value(&c.value, 0, out),
        Column::Dict(d) => return encode_value(&d.dictionary.values, d.codes[i] as usize, out),
        other => match_number!(other, values => {
            let v = values[i];
            out.extend_from_slice(&v.to_bits64().to_le_bytes()[..size_of_val(&v)]);
            return v.is_ordinary();
        }, wide => match_native!(wide, v => out.extend_from_slice(&v[i].to_le_bytes()), _ => {})),
    }
    true
}

fn bytes(s: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(s.len() as u32).to_le_bytes());
    out.extend_from_slice(s);
}
