//! Fetches rows by their addresses, which a scan of the same version has given as a column: the
//! number of the part in the upper half, and the position among the part's stored rows in the
//! lower.
//!
//! Only granules with wanted rows are read, each of them once.

use std::sync::Arc;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_column::{Bitmap, Column};
use entasis_pipeline::QueryContext;
use entasis_table_api::{Addresses, Fetched, ScanColumn, ScanSpec};

use super::reader::{Ahead, Fetcher};
use super::values::PartColumns;
use crate::fill::Filler;
use crate::layers::Layers;
use crate::part_columns::PartFacts;
use crate::prune::Picked;
use crate::segment::stats;
use crate::table::TableSnapshot;

/// How the rows of a scan can be fetched; `None` if they are not rows of parts as they are stored.
pub(crate) fn addresses(pinned: &TableSnapshot, spec: &ScanSpec) -> Option<Addresses> {
    let schema = &pinned.schema;
    let merging = schema.config.merging.as_ref().filter(|_| spec.final_ && schema.folds());
    if merging.is_some_and(|merging| !merging.keeps_rows_whole()) {
        return None;
    }
    let parts = &pinned.version.parts;
    let (rows, granules) = parts.iter().fold((0, 0), |(rows, granules), part| {
        (rows + part.summary.rows, granules + part.summary.granules)
    });
    Some(Addresses {
        position: Filler::address_position(schema),
        columns: schema.stored.len(),
        rows_at_once: rows.checked_div(granules).unwrap_or(1).max(1),
        of_file: false,
    })
}

/// The values of columns in the rows at these addresses, which ascend.
pub(crate) fn fetch(
    pinned: &TableSnapshot,
    wanted: &[ScanColumn],
    addresses: &[u64],
    context: &QueryContext,
) -> Result<Fetched> {
    let mut filler = Filler::of_scan(&pinned.schema, wanted)?;
    let mut found = Found { pieces: vec![Vec::new(); wanted.len()], bytes: 0 };
    let parts = &pinned.version.parts;
    for of_part in addresses.chunk_by(|a, b| a >> 32 == b >> 32) {
        let number = (of_part[0] >> 32) as usize;
        let part = parts.get(number).ok_or_else(|| Error::logical("a row without a part"))?;
        let layers = part.layers()?;
        let (summary, index) = (Arc::clone(&part.summary), number as u64);
        let starting_offset = parts[..number].iter().map(|part| part.summary.rows).sum();
        filler.enter(PartFacts { summary, index, starting_offset });
        let origins = filler.origins(layers, number)?;
        let columns = PartColumns::new(Arc::clone(part), wanted, origins)?;
        let positions: Vec<u32> = of_part.iter().map(|address| *address as u32).collect();
        found.add_part(&columns, &positions, context)?;
    }
    let joined = |pieces: &Vec<Column>| Column::concat(&pieces.iter().collect::<Vec<_>>());
    let columns = found.pieces.iter().map(joined).collect();
    Ok(Fetched { columns, bytes: found.bytes })
}

/// What was fetched so far.
struct Found {
    /// The values of each column, granule by granule.
    pieces: Vec<Vec<Column>>,
    bytes: u64,
}

impl Found {
    /// Fetches rows of a part, given by their positions among its stored rows.
    fn add_part(
        &mut self,
        columns: &PartColumns,
        positions: &[u32],
        context: &QueryContext,
    ) -> Result<()> {
        let granules = &columns.layers.base.granules;
        let mut cache: Vec<Option<Column>> = vec![None; columns.origins.len()];
        let mut ahead: Vec<Ahead> = cache.iter().map(|_| Ahead::default()).collect();
        let (mut start, mut left) = (0, positions);
        for (granule, stored) in granules.iter().enumerate() {
            let inside = left.partition_point(|position| *position < start + stored);
            let (wanted, behind) = left.split_at(inside);
            if !wanted.is_empty() {
                context.cancel.check()?;
                let rows = existing(&columns.layers, granule, wanted, start)?;
                cache.fill(None);
                self.add_granule(columns, granule, &rows, &mut cache, &mut ahead)?;
            }
            (start, left) = (start + stored, behind);
            if left.is_empty() {
                return Ok(());
            }
        }
        Err(Error::logical("a row behind the end of its part"))
    }

    /// Fetches rows of a granule, given by their positions among its existing rows.
    fn add_granule(
        &mut self,
        columns: &PartColumns,
        granule: usize,
        rows: &[u32],
        cache: &mut [Option<Column>],
        ahead: &mut [Ahead],
    ) -> Result<()> {
        let picked = [Picked { granule: granule as u32, passes: true }];
        let of_granule = columns.layers.rows(granule)?;
        let mut fetcher = Fetcher { columns, picked: &picked, rows: of_granule, cache, ahead };
        for (at, pieces) in self.pieces.iter_mut().enumerate() {
            pieces.push(fetcher.fetch(at)?.take(rows).full());
        }
        let bytes: u64 = cache.iter().flatten().map(stats::raw_bytes).sum();
        self.bytes += bytes;
        events::one(Event::GranulesRead);
        events::add(Event::MergeTreeBytesRead, bytes);
        Ok(())
    }
}

/// The positions among the existing rows of a granule of rows that are given by their positions
/// among the part's stored rows. The first stored row of the granule is `start`.
fn existing(layers: &Layers, granule: usize, wanted: &[u32], start: u32) -> Result<Vec<u32>> {
    let within = wanted.iter().map(|position| position - start);
    let Some(mask) = layers.existing(granule)? else { return Ok(within.collect()) };
    let mut before = Ranks { mask, words: 0, ones: 0 };
    within.map(|row| before.rank(row as usize)).collect()
}

/// Counts the rows that exist before others, which ascend.
struct Ranks<'a> {
    mask: &'a Bitmap,
    /// How many words of the mask are counted in `ones`.
    words: usize,
    ones: u32,
}

impl Ranks<'_> {
    fn rank(&mut self, row: usize) -> Result<u32> {
        let words = self.mask.words();
        while self.words < row / 64 {
            self.ones += words[self.words].count_ones();
            self.words += 1;
        }
        let (word, bit) = (words[self.words], row % 64);
        if word >> bit & 1 == 0 {
            return Err(Error::logical("a row was fetched that does not exist"));
        }
        Ok(self.ones + (word & ((1 << bit) - 1)).count_ones())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_skip_rows_that_are_missing() {
        let bits: Vec<u8> = (0..200u32).map(|row| u8::from(row % 3 != 1)).collect();
        let mask = Bitmap::from_bytes(&bits);
        let mut ranks = Ranks { mask: &mask, words: 0, ones: 0 };
        for row in [0, 2, 2, 62, 63, 65, 128, 198] {
            let before = bits[..row].iter().filter(|bit| **bit == 1).count();
            assert_eq!(ranks.rank(row).unwrap(), before as u32, "{row}");
        }
        assert!(ranks.rank(199).is_err());
    }
}
