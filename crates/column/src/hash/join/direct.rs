//! A partition of dense integer keys: an array whose index is the key.

use entasis_base::{Result, scope};
use entasis_simd::prefetch::prefetch_read;

use super::{AHEAD, Found, JoinRun, STEP};
use crate::hash::NONE;

/// How keys become array indices: `(key ^ flip) - base`, which is below `range`.
#[derive(Clone, Copy, Debug)]
pub struct Direct {
    /// The sign bit of signed keys, so that they have their order as unsigned numbers.
    pub flip: u64,
    /// The least key, flipped.
    pub base: u64,
    /// The number of indices.
    pub range: u64,
    /// The number of low bits of an index within its partition.
    pub shift: u32,
}

/// A partition of an array from keys to rows.
#[derive(Clone, Debug, Default)]
pub struct DirectPart {
    /// Unique keys: the inverted bits of the row, so that 0 means none. Otherwise where the rows of
    /// each key start, with the end of the last one behind them.
    cells: Vec<u32>,
    rows: usize,
    is_unique: bool,
}

impl Direct {
    /// The index of a key; not below `range` if the key is out of range.
    #[inline(always)]
    pub fn index(&self, key: u64) -> u64 {
        (key ^ self.flip).wrapping_sub(self.base)
    }

    /// The partition of a key that is in range.
    #[inline(always)]
    pub fn part_of(&self, key: u64) -> usize {
        (self.index(key) >> self.shift) as usize
    }

    /// The number of partitions.
    pub fn parts(&self) -> usize {
        ((self.range - 1) >> self.shift) as usize + 1
    }

    fn mask(&self) -> u64 {
        (1 << self.shift) - 1
    }

    /// Fills a partition with its pieces of all runs. Keys that appear twice make it not unique.
    pub fn fill(&self, runs: &[JoinRun<u64>], part: usize) -> Result<DirectPart> {
        let size = (self.range - ((part as u64) << self.shift)).min(1 << self.shift) as usize;
        let mut cells: Vec<u32> = scope::zeroed(size);
        let (mut rows, mut is_unique) = (0, true);
        for run in runs {
            let (keys, ids) = run.part(part);
            for (keys, ids) in keys.chunks(STEP).zip(ids.chunks(STEP)) {
                scope::check()?;
                for (&key, &row) in keys.iter().zip(ids) {
                    let cell = &mut cells[(self.index(key) & self.mask()) as usize];
                    is_unique &= *cell == 0;
                    *cell = !row;
                }
            }
            rows += keys.len();
        }
        Ok(DirectPart { cells, rows, is_unique })
    }

    /// Brings the rows of each key together; the starts count from `base`.
    pub fn group(
        &self,
        cells: &mut DirectPart,
        runs: &[JoinRun<u64>],
        part: usize,
        base: u32,
    ) -> Result<Vec<u32>> {
        let size = cells.cells.len();
        // The starts are counted two places further on, so that the placing moves them by one.
        let mut starts: Vec<u32> = scope::zeroed(size + 2);
        let index = |key: u64| (self.index(key) & self.mask()) as usize;
        for run in runs {
            scope::check()?;
            run.part(part).0.iter().for_each(|key| starts[index(*key) + 2] += 1);
        }
        starts[1] = base;
        for i in 2..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut order = scope::zeroed(cells.rows);
        for run in runs {
            scope::check()?;
            let (keys, ids) = run.part(part);
            for (&key, &row) in keys.iter().zip(ids) {
                let next = &mut starts[index(key) + 1];
                order[(*next - base) as usize] = row;
                *next += 1;
            }
        }
        starts[0] = base;
        starts.truncate(size + 1);
        *cells = DirectPart { cells: starts, rows: cells.rows, is_unique: false };
        Ok(order)
    }

    /// The row of every key; [`NONE`] for keys without one. All keys of the table are unique.
    #[inline(always)]
    pub fn find_unique(
        &self,
        parts: &[DirectPart],
        keys: impl ExactSizeIterator<Item = u64> + Clone,
        found: &mut Found,
    ) {
        found.begin(keys.len());
        let ahead = keys.clone().skip(AHEAD).map(Some).chain(std::iter::repeat(None));
        for (key, next) in keys.zip(ahead) {
            if let Some(next) = next {
                let index = self.index(next);
                let part = parts.get((index >> self.shift) as usize).map_or(&[][..], |p| &p.cells);
                prefetch_read(part, (index & self.mask()) as usize);
            }
            let index = self.index(key);
            let cell = parts
                .get((index >> self.shift) as usize)
                .and_then(|part| part.cells.get((index & self.mask()) as usize));
            found.starts.push(cell.map_or(NONE, |cell| !cell));
        }
    }

    /// Where the rows of every key start, and how many they are.
    #[inline(always)]
    pub fn find_grouped(
        &self,
        parts: &[DirectPart],
        keys: impl ExactSizeIterator<Item = u64>,
        found: &mut Found,
    ) {
        found.begin(keys.len());
        for key in keys {
            let index = self.index(key);
            let at = (index & self.mask()) as usize;
            let cells = match parts.get((index >> self.shift) as usize) {
                Some(part) if index < self.range => part.cells.get(at..at + 2),
                _ => None,
            };
            let (start, count) = match cells {
                Some([start, end]) if start < end => (*start, end - start),
                _ => (NONE, 0),
            };
            found.starts.push(start);
            found.counts.push(count);
        }
    }
}

impl DirectPart {
    /// Whether every key has one row.
    pub fn is_unique(&self) -> bool {
        self.is_unique
    }

    /// Calls `act` for the start and the count of every key, after the rows were grouped.
    pub fn each_key(&self, mut act: impl FnMut(u32, u32)) {
        if !self.is_unique {
            let filled = self.cells.windows(2).filter(|ends| ends[0] < ends[1]);
            filled.for_each(|ends| act(ends[0], ends[1] - ends[0]));
        }
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.cells.capacity() * size_of::<u32>()
    }
}
