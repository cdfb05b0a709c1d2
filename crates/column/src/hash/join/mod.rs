//! Tables from keys to the rows of a join's build side.
//!
//! A table consists of partitions, so that several threads can fill it without sharing anything:
//!
//! 1. Every group of chunks becomes a [`JoinRun`]: its keys and row numbers, sorted by partition.
//! 2. Every partition is filled with its pieces of all runs, in source order.
//! 3. If a key has more than one row, the rows of each partition are then brought together by key
//!    in a list of their own (`group`), and slots contain the place of their rows in that list.
//!
//! There are three kinds: [`FixedPart`] for keys of fixed width, [`BytesPart`] for byte strings,
//! and [`DirectPart`] for integers that are dense enough to be array indices.
//!
//! Looking up a key yields a start and a count. If all keys are unique, the start is the row itself
//! and every count is 1; otherwise the rows are `order[start .. start + count]`. Keys without rows
//! have the start [`NONE`](super::NONE) and the count 0.

mod bytes;
mod direct;
mod fixed;

use entasis_base::{Result, scope};

pub use bytes::{BytesPart, BytesRef};
pub use direct::{Direct, DirectPart};
pub use fixed::{FixedJoin, FixedPart};

/// How many keys ahead a slot is prefetched.
const AHEAD: usize = 16;
/// Rows between two checks of the query.
const STEP: usize = 1 << 14;

/// The row numbers of a chunk's keys.
#[derive(Clone, Copy, Debug)]
pub enum RowIds<'a> {
    /// Consecutive rows from this one on.
    From(u32),
    /// These rows, counted from the first number.
    Picked(u32, &'a [u32]),
}

impl RowIds<'_> {
    #[inline(always)]
    fn get(self, i: usize) -> u32 {
        match self {
            Self::From(first) => first + i as u32,
            Self::Picked(first, rows) => first + rows[i],
        }
    }
}

/// Keys with their row numbers, sorted by partition; in source order within a partition.
#[derive(Clone, Debug)]
pub struct JoinRun<K> {
    keys: Vec<K>,
    rows: Vec<u32>,
    /// Where each partition ends.
    ends: Vec<usize>,
}

impl<K: Copy + Default> JoinRun<K> {
    /// Sorts the keys of some chunks by partition (a counting sort).
    pub fn scatter<'a>(
        chunks: impl Iterator<Item = (&'a [K], RowIds<'a>)> + Clone,
        parts: usize,
        part_of: impl Fn(&K) -> usize,
    ) -> Result<Self>
    where
        K: 'a,
    {
        let mut ends = vec![0; parts];
        let total = chunks.clone().map(|(keys, _)| keys.len()).sum();
        if parts == 1 {
            let (mut all, mut rows) = (Vec::with_capacity(total), Vec::with_capacity(total));
            for (keys, ids) in chunks {
                scope::check()?;
                all.extend_from_slice(keys);
                rows.extend((0..keys.len()).map(|i| ids.get(i)));
            }
            return Ok(Self { keys: all, rows, ends: vec![total] });
        }
        for (keys, _) in chunks.clone() {
            scope::check()?;
            keys.iter().for_each(|key| ends[part_of(key)] += 1);
        }
        let mut sum = 0;
        for end in &mut ends {
            (*end, sum) = (sum, sum + *end);
        }
        scope::ask(total * (size_of::<K>() + size_of::<u32>()))?;
        let (mut all, mut rows) = (vec![K::default(); total], vec![0; total]);
        for (keys, ids) in chunks {
            scope::check()?;
            for (i, key) in keys.iter().enumerate() {
                let end = &mut ends[part_of(key)];
                all[*end] = *key;
                rows[*end] = ids.get(i);
                *end += 1;
            }
        }
        Ok(Self { keys: all, rows, ends })
    }

    /// The keys and rows of one partition.
    pub fn part(&self, part: usize) -> (&[K], &[u32]) {
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        let range = start..self.ends[part];
        (&self.keys[range.clone()], &self.rows[range])
    }

    /// Number of rows of one partition.
    pub fn rows_of(&self, part: usize) -> usize {
        self.part(part).1.len()
    }
}

/// The partition of a hash, by its highest bits; `bits` may be 0.
#[inline(always)]
pub fn join_partition(hash: u64, bits: u32) -> usize {
    (hash >> 1 >> (63 - bits)) as usize
}

/// The slot of a hash, by its low half, which the partition does not depend on.
#[inline(always)]
fn slot_of(hash: u32, slots: usize) -> usize {
    ((u64::from(hash) * slots as u64) >> 32) as usize
}

/// The number of slots for a table that is too full: `keys` of the `seen` rows differ, and there
/// are `rows` in all.
fn more_slots(slots: usize, keys: usize, seen: usize, rows: usize) -> usize {
    // If most rows have a key of their own, the others probably do, too.
    let all = if keys * 2 >= seen { least_slots(rows) } else { 0 };
    all.max(slots * 2)
}

/// The number of slots for this many keys: at most half of them are used.
fn least_slots(keys: usize) -> usize {
    2 * keys + 8
}

/// The number of slots with which the filling of a partition begins.
fn first_slots(rows: usize) -> usize {
    least_slots(rows.min(1 << 11))
}

/// What a probe yields, by probed row.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The row of the key if all keys are unique, otherwise where the rows of the key start.
    pub starts: Vec<u32>,
    /// The number of rows; not filled in if all keys are unique.
    pub counts: Vec<u32>,
}

impl Found {
    /// Clears both lists and makes room for `rows` rows.
    pub fn begin(&mut self, rows: usize) {
        self.starts.clear();
        self.counts.clear();
        self.starts.reserve(rows);
        self.counts.reserve(rows);
    }

    /// Gives all of `rows` rows the same start and count.
    pub fn fill(&mut self, rows: usize, (start, count): (u32, u32)) {
        self.begin(rows);
        self.starts.resize(rows, start);
        self.counts.resize(rows, count);
    }

    /// Takes the matches of some rows away.
    pub fn clear_where(&mut self, mut is_cleared: impl FnMut(usize) -> bool) {
        for i in 0..self.starts.len() {
            if is_cleared(i) {
                self.starts[i] = super::NONE;
                if let Some(count) = self.counts.get_mut(i) {
                    *count = 0;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
