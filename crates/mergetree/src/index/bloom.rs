//! `bloom_filter(rate)`: the values of each expression, or the elements of its arrays.

use entasis_base::Result;
use entasis_codec::checksum;
use entasis_column::{Column, match_native};
use entasis_types::{CastTo, DataType};

use super::atoms::{Search, leaf};
use super::filter::{self, Builder, Condition, Hashes, Shape, Size, mixed};
use super::logic::Logic;
use super::{Ask, IndexBuilder, IndexCondition, SkipIndex};

/// The type `bloom_filter` with its argument: the share of blocks without a value that the filter
/// may pass.
#[derive(Clone, Copy, Debug)]
pub struct BloomFilter(pub f64);

impl BloomFilter {
    /// The rate if none is given.
    pub const DEFAULT_RATE: f64 = 0.025;

    /// The fewest bits per value that have the wished rate with the best number of hashes.
    fn shape(self) -> Shape {
        let ln2 = std::f64::consts::LN_2;
        let bits = (-self.0.ln() / (ln2 * ln2)).clamp(1.0, 64.0);
        let hashes = (bits * ln2).round().clamp(1.0, 24.0) as u32;
        Shape { size: Size::PerValue(bits), hashes, seed: 0 }
    }
}

impl SkipIndex for BloomFilter {
    fn columns(&self, types: &[DataType]) -> Vec<(&'static str, DataType)> {
        filter::columns(types)
    }

    fn builder(&self, types: &[DataType]) -> Box<dyn IndexBuilder> {
        Box::new(Builder::new(self.shape(), Values, types.len()))
    }

    fn condition(&self, ask: &Ask<'_>) -> Result<Option<Box<dyn IndexCondition>>> {
        let logic = Logic::all(ask.conjuncts, &mut |expr, not| leaf(ask, &Values, expr, not));
        if logic.is_useless() {
            return Ok(None);
        }
        let (shape, exprs) = (self.shape(), ask.exprs.len());
        Ok(Some(Box::new(Condition { shape, logic, exprs })))
    }
}

/// Hashes whole values.
struct Values;

/// A text without zero bytes at its end, which a FixedString may have more of than a constant.
pub(super) fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &text[..end]
}

/// Whether values of a column in any representation are hashed.
fn is_hashed(column: &Column) -> bool {
    match column {
        Column::Tuple(_) | Column::Variant(_) | Column::Nothing(_) => false,
        Column::Nullable(nullable) => is_hashed(&nullable.values),
        Column::Array(array) => is_hashed(&array.values),
        Column::Const(constant) => is_hashed(&constant.value),
        Column::Dict(dict) => is_hashed(&dict.dictionary.values),
        _ => true,
    }
}

/// The hash of a number by its value, whatever its width is.
fn number(bits: i128) -> u64 {
    mixed(bits as u64 ^ mixed((bits >> 64) as u64))
}

/// The hash of a float; -0.0 equals 0.0.
fn float(value: f64) -> u64 {
    mixed((value + 0.0).to_bits())
}

impl Hashes for Values {
    fn add(&self, column: &Column, out: &mut Vec<u64>) {
        match column {
            Column::Const(constant) if constant.len > 0 => self.add(&constant.value, out),
            Column::Const(_) | Column::Tuple(_) | Column::Variant(_) | Column::Nothing(_) => {}
            Column::Dict(_) => self.add(&column.full(), out),
            Column::Nullable(nullable) => {
                self.add(&nullable.values.filter(&nullable.validity), out);
            }
            Column::Array(array) => self.add(&array.flat().1, out),
            Column::String(strings) => {
                out.extend(strings.iter().map(|text| checksum(trimmed(text))));
            }
            Column::Fixed(fixed) => {
                out.extend((0..fixed.len()).map(|i| checksum(trimmed(fixed.get(i)))));
            }
            Column::Float32(values) => out.extend(values.iter().map(|v| float(f64::from(*v)))),
            Column::Float64(values) => out.extend(values.iter().map(|v| float(*v))),
            numbers => match_native!(numbers,
                values => out.extend(values.iter().map(|v| number(v.cast_to()))),
                _ => {}),
        }
    }
}

impl Search for Values {
    fn value(&self, value: &Column) -> Option<Vec<u64>> {
        let mut out = Vec::new();
        self.add(value, &mut out);
        (is_hashed(value) && out.len() == 1).then_some(out)
    }
}
