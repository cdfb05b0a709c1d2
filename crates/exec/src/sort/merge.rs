//! The source of sorted rows. Splitters taken from the longest run cut the key space into ranges; a
//! range is a morsel: its part of every run is merged, and its rows are gathered block by block.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use entasis_base::events::{self, Event};
use entasis_base::{Reservation, Result};
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Morsel, Read, Reader, Source};

use super::run::{Entries, Run};

/// Blocks of the longest run per range.
const BLOCKS_PER_RANGE: usize = 16;

/// Sorted runs and the ranges they are cut into.
pub struct Merged {
    runs: Vec<Run>,
    /// Per range, where it starts in each run; one more for the end.
    starts: Vec<Vec<usize>>,
    limit: usize,
    max_block_size: usize,
    _held: Vec<Reservation>,
}

impl Merged {
    pub fn new(
        runs: Vec<Run>,
        limit: Option<u64>,
        max_block_size: usize,
        held: Vec<Reservation>,
    ) -> Self {
        let limit = limit.map_or(usize::MAX, |l| l.min(usize::MAX as u64) as usize);
        let mut starts = vec![vec![0; runs.len()]];
        if let Some(longest) = runs.iter().max_by_key(|r| r.entries.len()) {
            let step = max_block_size * BLOCKS_PER_RANGE;
            for at in (step..longest.entries.len()).step_by(step) {
                let last = &starts[starts.len() - 1];
                if last.iter().sum::<usize>() >= limit {
                    break;
                }
                let next: Vec<usize> =
                    runs.iter().map(|r| r.entries.lower_bound(&longest.entries, at)).collect();
                if next != *last {
                    starts.push(next);
                }
            }
        }
        starts.push(runs.iter().map(|r| r.entries.len()).collect());
        Self { runs, starts, limit, max_block_size, _held: held }
    }

    fn ranges(&self) -> usize {
        self.starts.len() - 1
    }
}

/// Where to go on in a range.
struct Cursor {
    range: usize,
    at: Vec<usize>,
    /// Rows that the limit still allows in this range.
    left: usize,
}

/// Sorted rows, block by block.
pub struct Merge {
    merged: Arc<OnceLock<Merged>>,
    next: Arc<AtomicUsize>,
}

impl Merge {
    pub fn new(merged: Arc<OnceLock<Merged>>) -> Self {
        Self { merged, next: Arc::default() }
    }
}

impl Source for Merge {
    fn name(&self) -> String {
        "MergeSorted".into()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        let (merged, next) = (Arc::clone(&self.merged), Arc::clone(&self.next));
        Ok(Box::new(MergeReader { merged, next, cursor: None }))
    }

    fn morsels(&self) -> Option<usize> {
        self.merged.get().map(Merged::ranges)
    }
}

struct MergeReader {
    merged: Arc<OnceLock<Merged>>,
    next: Arc<AtomicUsize>,
    cursor: Option<Cursor>,
}

impl Reader for MergeReader {
    fn next(&mut self) -> Result<Read> {
        let Some(merged) = self.merged.get() else { return Ok(Read::Done) };
        loop {
            let cursor = match &mut self.cursor {
                Some(cursor) => cursor,
                None => {
                    let range = self.next.fetch_add(1, Ordering::Relaxed);
                    if range >= merged.ranges() {
                        return Ok(Read::Done);
                    }
                    let at = merged.starts[range].clone();
                    let left = merged.limit.saturating_sub(at.iter().sum());
                    self.cursor.insert(Cursor { range, at, left })
                }
            };
            let chunk = merged.block(cursor);
            if chunk.is_empty() {
                self.cursor = None;
                continue;
            }
            return Ok(Read::Chunk(Morsel { sequence: cursor.range as u64, chunk }));
        }
    }
}

impl Merged {
    /// The next rows of the cursor's range; empty at its end.
    fn block(&self, cursor: &mut Cursor) -> Chunk {
        let ends = &self.starts[cursor.range + 1];
        let rows = self.max_block_size.min(cursor.left);
        let busy: Vec<usize> = (0..self.runs.len()).filter(|r| cursor.at[*r] < ends[*r]).collect();
        let chunk = match busy[..] {
            [] => Chunk::default(),
            [one] => {
                let from = cursor.at[one];
                let to = ends[one].min(from + rows);
                cursor.at[one] = to;
                self.runs[one].chunk.take(&self.runs[one].entries.rows(from, to))
            }
            _ => {
                events::one(Event::SortMergedBlocks);
                events::add(Event::SortMergedRuns, busy.len() as u64);
                self.merge(&busy, &mut cursor.at, ends, rows)
            }
        };
        cursor.left -= chunk.rows;
        chunk
    }

    fn merge(&self, busy: &[usize], at: &mut [usize], ends: &[usize], rows: usize) -> Chunk {
        let mut picks: Vec<u32> = Vec::with_capacity(rows);
        let mut taken: Vec<Vec<u32>> = vec![Vec::new(); busy.len()];
        // A heap of places in `busy`, the one with the first row on top.
        let mut heads: Vec<usize> = (0..busy.len()).collect();
        for top in (0..heads.len() / 2).rev() {
            self.sift(&mut heads, top, busy, at);
        }
        while let Some(&head) = heads.first()
            && picks.len() < rows
        {
            let run = busy[head];
            taken[head].push(self.entries(run).row(at[run]));
            picks.push(head as u32);
            at[run] += 1;
            if at[run] == ends[run] {
                heads.swap_remove(0);
            }
            self.sift(&mut heads, 0, busy, at);
        }
        // Gathered run by run, then put in order: the second step stays within the cache.
        let mut place: Vec<u32> = Vec::with_capacity(taken.len());
        let mut sum = 0;
        for rows in &taken {
            place.push(sum);
            sum += rows.len() as u32;
        }
        let order: Vec<u32> = picks
            .iter()
            .map(|head| {
                let at = &mut place[*head as usize];
                *at += 1;
                *at - 1
            })
            .collect();
        let width = self.runs[busy[0]].chunk.columns.len();
        let column = |c: usize| {
            let parts: Vec<Column> = busy
                .iter()
                .zip(&taken)
                .map(|(run, rows)| self.runs[*run].chunk.columns[c].take(rows))
                .collect();
            Column::concat(&parts.iter().collect::<Vec<_>>()).take(&order)
        };
        Chunk::new((0..width).map(column).collect(), order.len())
    }

    /// Moves the head at `top` down to its place. Of equal rows, the earlier run's comes first.
    fn sift(&self, heads: &mut [usize], mut top: usize, busy: &[usize], at: &[usize]) {
        let before = |a: usize, b: usize| {
            let (run_a, run_b) = (busy[a], busy[b]);
            let order = self.entries(run_a).compare(at[run_a], self.entries(run_b), at[run_b]);
            order.then(a.cmp(&b)).is_lt()
        };
        loop {
            let (left, right) = (2 * top + 1, 2 * top + 2);
            let mut first = top;
            for child in [left, right] {
                if child < heads.len() && before(heads[child], heads[first]) {
                    first = child;
                }
            }
            if first == top {
                return;
            }
            heads.swap(top, first);
            top = first;
        }
    }

    fn entries(&self, run: usize) -> &Entries {
        &self.runs[run].entries
    }
}
