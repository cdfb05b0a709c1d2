//! Bloom filters: the hashes of a block's values as bits.
//!
//! The types of index that keep one differ in what they hash: whole values, n-grams, or words.

use entasis_base::{Error, Result};
use entasis_column::{Column, Strings, StringsBuilder};
use entasis_types::DataType;

use super::logic::Logic;
use super::{IndexBuilder, IndexCondition, IndexData, IndexFile};

/// The hashes of a part's values.
pub(super) trait Hashes {
    /// Adds the hashes of all values of a column, in any representation.
    fn add(&self, column: &Column, out: &mut Vec<u64>);
}

/// How large the filter of a block is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Size {
    /// So many bits for each distinct value.
    PerValue(f64),
    /// So many bytes.
    Bytes(usize),
}

/// Size and number of bits that a value sets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) size: Size,
    pub(super) hashes: u32,
    pub(super) seed: u64,
}

/// Mixes the bits of a hash.
#[inline]
pub(super) fn mixed(mut hash: u64) -> u64 {
    // The finaliser of SplitMix64.
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ (hash >> 31)
}

impl Shape {
    /// The bits of a value in a filter of so many bits.
    fn bits(self, hash: u64, bits: u64) -> impl Iterator<Item = u64> {
        let first = mixed(hash ^ self.seed);
        let step = mixed(first) | 1;
        (0..u64::from(self.hashes)).map(move |i| first.wrapping_add(i.wrapping_mul(step)) % bits)
    }

    fn filter(self, values: &[u64]) -> Vec<u8> {
        let bytes = match self.size {
            Size::Bytes(bytes) => bytes,
            Size::PerValue(bits) => (bits * values.len() as f64 / 8.0).ceil() as usize,
        };
        let mut filter = vec![0u8; bytes];
        for value in values {
            for bit in self.bits(*value, bytes as u64 * 8) {
                filter[(bit / 8) as usize] |= 1 << (bit % 8);
            }
        }
        filter
    }

    fn holds(self, filter: &[u8], value: u64) -> bool {
        let bits = filter.len() as u64 * 8;
        let is_set = |bit: u64| filter[(bit / 8) as usize] & (1 << (bit % 8)) != 0;
        bits > 0 && self.bits(value, bits).all(is_set)
    }
}

/// The columns of the file of an index with one filter for each expression.
pub(super) fn columns(types: &[DataType]) -> Vec<(&'static str, DataType)> {
    types.iter().map(|_| ("filter", DataType::String)).collect()
}

/// Fewer hashes than this are not looked through for equal ones before the block ends.
const FEW: usize = 1 << 15;

/// Sorts hashes, leaves out those that are there twice, and answers how many are left.
fn only_distinct(hashes: &mut Vec<u64>) -> usize {
    hashes.sort_unstable();
    hashes.dedup();
    hashes.len()
}

/// Builds a filter for each expression and block.
pub(super) struct Builder<H> {
    pub(super) shape: Shape,
    pub(super) hashes: H,
    /// The hashes of the current block, by expression, and how many of them are known to be
    /// distinct.
    current: Vec<(Vec<u64>, usize)>,
    filters: Vec<StringsBuilder>,
}

impl<H: Hashes> Builder<H> {
    pub(super) fn new(shape: Shape, hashes: H, exprs: usize) -> Self {
        let current = vec![(Vec::new(), 0); exprs];
        let filters = (0..exprs).map(|_| StringsBuilder::with_capacity(0, 0)).collect();
        Self { shape, hashes, current, filters }
    }
}

impl<H: Hashes> IndexBuilder for Builder<H> {
    fn add(&mut self, columns: &[Column]) -> Result<()> {
        for ((hashes, distinct), column) in self.current.iter_mut().zip(columns) {
            self.hashes.add(column, hashes);
            if hashes.len() / 2 > (*distinct).max(FEW) {
                *distinct = only_distinct(hashes);
            }
        }
        Ok(())
    }

    fn end_block(&mut self) -> Result<()> {
        for ((hashes, distinct), filters) in self.current.iter_mut().zip(&mut self.filters) {
            only_distinct(hashes);
            *distinct = 0;
            let filter = self.shape.filter(hashes);
            filters.check_room(filter.len())?;
            filters.push(&filter);
            hashes.clear();
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<IndexData> {
        Ok(IndexData::of_blocks(
            self.filters.into_iter().map(|filters| filters.finish().into()).collect(),
        ))
    }
}

/// Values of which a block must hold one list completely.
#[derive(Debug)]
pub(super) struct Needles {
    /// The number of the expression.
    pub(super) place: usize,
    /// Lists of hashes.
    pub(super) any_of: Vec<Vec<u64>>,
}

/// Asks the filters of a block.
pub(super) struct Condition {
    pub(super) shape: Shape,
    pub(super) logic: Logic<Vec<Needles>>,
    pub(super) exprs: usize,
}

impl IndexCondition for Condition {
    fn narrow(&self, file: &IndexFile, blocks: &mut [bool]) -> Result<()> {
        file.narrow_blocks(blocks, &mut |columns, row| {
            let filters: Option<Vec<&Strings>> = columns.iter().map(Column::strings).collect();
            let filters = filters.filter(|filters| filters.len() == self.exprs);
            let filters = filters.ok_or_else(|| Error::logical("A filter with other columns"))?;
            let holds = |needles: &Needles| {
                let filter = filters[needles.place].get(row);
                let all = |list: &Vec<u64>| list.iter().all(|v| self.shape.holds(filter, *v));
                needles.any_of.iter().any(all)
            };
            Ok(self.logic.may_be_true(&|leaf| leaf.iter().all(holds)))
        })
    }
}
