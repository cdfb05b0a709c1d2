//! Cuts a table by key into ranges. All rows of a key are in the same range, whichever parts they
//! are in. A reader processes one range at a time, going through the parts side by side.

use std::cmp::Ordering;
use std::sync::Arc;

use entasis_base::Result;
use entasis_column::Column;
use entasis_column::compare::SortOrder;
use entasis_column::compare::compare_rows;

use entasis_types::Value;

use super::selected::PartScan;
use crate::part::Part;
use crate::sort;

/// Granules of each part in a range, if there are enough. The granules at its ends are also read
/// for the neighbouring ranges, so ranges must not be small.
const GRANULES_PER_PART: usize = 12;
/// Fewest granules of each part in a range, so that every thread has one.
const LEAST_PER_PART: usize = 2;
/// Fewest granules of a range.
const LEAST_GRANULES: usize = 16;

/// Where ranges begin, by the first columns of the primary key: row `i` is the first key of range
/// `i + 1`. Without columns there is only one range.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    keys: Vec<Column>,
    count: usize,
}

/// A range, with the granules that may hold its rows.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub(super) number: usize,
    /// For each part, its index and the range of its picked granules.
    pub(super) parts: Vec<(usize, std::ops::Range<usize>)>,
}

/// The ranges of a scan. An area consists of all parts, or of the parts of one partition, whose
/// rows are then not folded with those of other partitions.
#[derive(Debug, Default)]
pub(super) struct Areas {
    /// The bounds of each area.
    pub(super) bounds: Vec<Bounds>,
    /// The ranges of all areas, with the index of their area.
    pub(super) ranges: Vec<(usize, Range)>,
}

impl Areas {
    /// Cuts each area by the first `columns` columns of the primary key, for so many threads.
    pub(super) fn new(
        parts: &[PartScan],
        areas: Vec<std::ops::Range<usize>>,
        columns: usize,
        threads: usize,
    ) -> Result<Self> {
        let mut out = Self::default();
        for area in areas {
            let of_area = &parts[area.clone()];
            let bounds = Bounds::new(of_area, columns, threads)?;
            let number = out.bounds.len();
            let ranges = bounds.ranges(of_area)?.into_iter().map(|mut range| {
                range.parts.iter_mut().for_each(|(part, _)| *part += area.start);
                (number, range)
            });
            out.ranges.extend(ranges);
            out.bounds.push(bounds);
        }
        Ok(out)
    }
}

/// Values of the first key column that cut the rows of parts into about so many pieces of the same
/// number of granules.
pub(crate) fn cuts(parts: &[Arc<Part>], pieces: usize) -> Result<Vec<Value>> {
    let mut firsts = Vec::with_capacity(parts.len());
    for part in parts {
        let Some(column) = part.layers()?.base.index()?.first() else { return Ok(Vec::new()) };
        // The last row is the greatest key.
        firsts.push(column.slice(0, column.len().saturating_sub(1)));
    }
    if firsts.is_empty() {
        return Ok(Vec::new());
    }
    let keys = [Column::concat(&firsts.iter().collect::<Vec<_>>()).full()];
    let granules = keys[0].len();
    let order = sort::permutation(&keys, &[]);
    let at = |i: usize| order.as_ref().map_or(i, |order| order[i] as usize);
    let size = granules.div_ceil(pieces.max(1)).max(1);
    let mut chosen: Vec<usize> = (size..granules).step_by(size).map(at).collect();
    chosen.dedup_by(|b, a| compare(&keys, *a, &keys, *b).is_eq());
    Ok(chosen.into_iter().map(|row| keys[0].value(row)).collect())
}

/// Compares a row of some key columns with a row of others, by as many columns as both have.
pub(super) fn compare(a: &[Column], i: usize, b: &[Column], j: usize) -> Ordering {
    let pairs = a.iter().zip(b);
    pairs
        .map(|(x, y)| compare_rows(x, i, y, j, SortOrder::ASCENDING))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

impl Bounds {
    /// Chooses the bounds, by the first `columns` columns of the primary key.
    pub(super) fn new(parts: &[PartScan], columns: usize, threads: usize) -> Result<Self> {
        let granules: usize = parts.iter().map(|p| p.granules.len()).sum();
        let involved = parts.iter().filter(|p| !p.granules.is_empty()).count();
        let (least, most) = (involved * LEAST_PER_PART, involved * GRANULES_PER_PART);
        let size = granules.div_ceil(threads.max(1)).clamp(least, most).max(LEAST_GRANULES);
        // Ranges of the same size.
        let size = granules.div_ceil(granules.div_ceil(size).max(1)).max(1);
        if columns == 0 || granules <= size {
            return Ok(Self::default());
        }
        let mut firsts: Vec<Vec<Column>> = vec![Vec::new(); columns];
        for part in parts {
            let index = part.columns.layers.base.index()?;
            let rows: Vec<u32> = part.granules.iter().map(|p| p.granule).collect();
            for (out, column) in firsts.iter_mut().zip(index) {
                out.push(column.take(&rows));
            }
        }
        let keys: Vec<Column> = firsts
            .iter()
            .map(|parts| Column::concat(&parts.iter().collect::<Vec<_>>()).full())
            .collect();
        let order = sort::permutation(&keys, &[]);
        let at = |i: usize| order.as_ref().map_or(i as u32, |order| order[i]);
        let mut chosen: Vec<u32> = (size..granules).step_by(size).map(at).collect();
        chosen.dedup_by(|b, a| compare(&keys, *a as usize, &keys, *b as usize).is_eq());
        let keys = keys.iter().map(|k| k.take(&chosen)).collect();
        Ok(Self { keys, count: chosen.len() })
    }

    /// Whether there is only one range, so that no rows are cut off.
    pub(super) fn is_whole(&self) -> bool {
        self.count == 0
    }

    /// The ranges that are not empty.
    pub(super) fn ranges(&self, parts: &[PartScan]) -> Result<Vec<Range>> {
        let mut out = Vec::with_capacity(self.count + 1);
        for number in 0..=self.count {
            let mut range = Range { number, parts: Vec::new() };
            for (i, part) in parts.iter().enumerate() {
                let places = self.places(part, number)?;
                if !places.is_empty() {
                    range.parts.push((i, places));
                }
            }
            if !range.parts.is_empty() {
                out.push(range);
            }
        }
        Ok(out)
    }

    fn places(&self, part: &PartScan, number: usize) -> Result<std::ops::Range<usize>> {
        let count = part.granules.len();
        if self.is_whole() {
            return Ok(0..count);
        }
        let index = part.columns.layers.base.index()?;
        let granule = |place: usize| part.granules[place].granule as usize;
        let least = |range: &dyn Fn(usize) -> bool| {
            let (mut low, mut high) = (0, count);
            while low < high {
                let middle = low + (high - low) / 2;
                if range(middle) { high = middle } else { low = middle + 1 }
            }
            low
        };
        // The index holds the first key of each granule, and the last key of the part.
        let start = match number {
            0 => 0,
            _ => least(&|place| compare(index, granule(place) + 1, &self.keys, number - 1).is_ge()),
        };
        let end = match number == self.count {
            true => count,
            false => least(&|place| compare(index, granule(place), &self.keys, number).is_ge()),
        };
        Ok(start..end.max(start))
    }

    /// The rows that belong to a range, among rows that are sorted by these keys.
    pub(super) fn rows(&self, number: usize, keys: &[Column], rows: usize) -> (usize, usize) {
        let below = |bound: usize| {
            let (mut low, mut high) = (0, rows);
            while low < high {
                let middle = low + (high - low) / 2;
                match compare(keys, middle, &self.keys, bound) {
                    Ordering::Less => low = middle + 1,
                    _ => high = middle,
                }
            }
            low
        };
        let start = if number == 0 { 0 } else { below(number - 1) };
        let end = if number == self.count { rows } else { below(number) };
        (start, end.max(start))
    }

    /// Whether the granule that begins with this key also has rows of the previous range.
    pub(super) fn begins_before(&self, number: usize, index: &[Column], granule: usize) -> bool {
        number > 0 && compare(index, granule, &self.keys, number - 1).is_lt()
    }
}
