//! The source of sorted rows. Splitters taken from the longest run cut the key space into ranges. A
//! range is a morsel: its part of every run is merged, and its rows are gathered block by block.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::events::{self, Event};
use entasis_base::{Reservation, Result};
use entasis_column::{Chunk, Column, Strings};
use entasis_pipeline::{Morsel, Read, Reader, Source};

use super::run::Run;
use super::spilled::Ways;
use entasis_base::sync::lock;

/// Number of blocks of the longest run in each range.
const BLOCKS_PER_RANGE: usize = 16;

/// The sorted input of a [`Merge`].
pub enum Merged {
    /// All runs are in memory.
    Ranges(Ranges),
    /// Some runs are on disk. The only reader takes this.
    Ways(Mutex<Option<Ways>>),
}

/// Sorted runs and the ranges into which they are cut.
pub struct Ranges {
    runs: Vec<Run>,
    /// For each range, where it starts in each run; the last entry is the end of the runs.
    starts: Vec<Vec<usize>>,
    limit: usize,
    max_block_size: usize,
    _held: Vec<Reservation>,
}

impl Ranges {
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

    /// Runs as a single range, which one reader reads.
    pub fn whole(runs: Vec<Run>, limit: Option<u64>, max_block_size: usize) -> Self {
        let starts = vec![vec![0; runs.len()], runs.iter().map(|r| r.entries.len()).collect()];
        let limit = limit.map_or(usize::MAX, |l| l as usize);
        Self { runs, starts, limit, max_block_size, _held: Vec::new() }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A cursor at the beginning of a range.
    pub fn cursor(&self, range: usize) -> Cursor {
        let at = self.starts[range].clone();
        let left = self.limit.saturating_sub(at.iter().sum());
        Cursor { range, at, left }
    }
}

/// A reader's position in a range.
pub struct Cursor {
    range: usize,
    at: Vec<usize>,
    /// Rows that the limit still allows in this range.
    left: usize,
}

/// The source of sorted rows, block by block.
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
        let ways = match merged.get() {
            Some(Merged::Ways(ways)) => lock(ways).take(),
            _ => None,
        };
        Ok(Box::new(MergeReader { merged, next, cursor: None, ways }))
    }

    fn morsels(&self) -> Option<usize> {
        self.merged.get().map(|merged| match merged {
            Merged::Ranges(ranges) => ranges.len(),
            Merged::Ways(_) => 1,
        })
    }
}

struct MergeReader {
    merged: Arc<OnceLock<Merged>>,
    next: Arc<AtomicUsize>,
    cursor: Option<Cursor>,
    ways: Option<Ways>,
}

impl Reader for MergeReader {
    fn next(&mut self) -> Result<Read> {
        if let Some(ways) = &mut self.ways {
            let morsel = |chunk| Read::Chunk(Morsel { sequence: 0, chunk });
            return Ok(ways.next()?.map_or(Read::Done, morsel));
        }
        let Some(Merged::Ranges(merged)) = self.merged.get() else { return Ok(Read::Done) };
        loop {
            let cursor = match &mut self.cursor {
                Some(cursor) => cursor,
                None => {
                    let range = self.next.fetch_add(1, Ordering::Relaxed);
                    if range >= merged.len() {
                        return Ok(Read::Done);
                    }
                    self.cursor.insert(merged.cursor(range))
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

impl Ranges {
    /// The next rows of the cursor's range; empty at its end.
    pub fn block(&self, cursor: &mut Cursor) -> Chunk {
        let ends = &self.starts[cursor.range + 1];
        let rows = self.max_block_size.min(cursor.left);
        let chunk = next_rows(&self.runs, &mut cursor.at, ends, rows, &|_| false);
        cursor.left -= chunk.rows;
        chunk
    }
}

/// The next rows of the runs, each from `at` to `ends`: at most `rows`. Stops at the end of a run
/// for which `goes_on` is true, as more of it must be loaded first. Empty at the end of all runs.
pub fn next_rows(
    runs: &[Run],
    at: &mut [usize],
    ends: &[usize],
    rows: usize,
    goes_on: &dyn Fn(usize) -> bool,
) -> Chunk {
    let busy: Vec<usize> = (0..runs.len()).filter(|r| at[*r] < ends[*r]).collect();
    match busy[..] {
        [] => Chunk::default(),
        [one] => {
            let from = at[one];
            let to = ends[one].min(from + rows);
            at[one] = to;
            runs[one].chunk.take(&runs[one].entries.rows(from, to))
        }
        _ => {
            events::one(Event::SortMergedBlocks);
            events::add(Event::SortMergedRuns, busy.len() as u64);
            merge(runs, &busy, at, ends, rows, goes_on)
        }
    }
}

fn merge(
    runs: &[Run],
    busy: &[usize],
    at: &mut [usize],
    ends: &[usize],
    rows: usize,
    goes_on: &dyn Fn(usize) -> bool,
) -> Chunk {
    // The index in `busy` of the run that each row comes from, and the row's number in that run.
    let mut picks: Vec<(u32, u32)> = Vec::with_capacity(rows);
    let mut taken: Vec<Vec<u32>> = vec![Vec::new(); busy.len()];
    // A heap of indices in `busy`; on top is the run whose next row comes first.
    let mut heads: Vec<usize> = (0..busy.len()).collect();
    for top in (0..heads.len() / 2).rev() {
        sift(runs, &mut heads, top, busy, at);
    }
    while let Some(&head) = heads.first()
        && picks.len() < rows
    {
        let run = busy[head];
        let first = at[run];
        // Rows are taken from this run as long as they come before the next row of all others.
        let most = ends[run].min(first + rows - picks.len());
        at[run] += 1;
        let second = second(runs, &heads, busy, at);
        at[run] = run_end(runs, busy, at, (head, second.map(|place| heads[place])), most);
        let entries = &runs[run].entries;
        taken[head].extend((first..at[run]).map(|i| entries.row(i)));
        picks.extend((first..at[run]).map(|i| (head as u32, entries.row(i))));
        if at[run] == ends[run] {
            if goes_on(run) {
                break;
            }
            heads.swap_remove(0);
            sift(runs, &mut heads, 0, busy, at);
        } else if let Some(place) = second {
            // The block ends here, or this head comes after the second one.
            heads.swap(0, place);
            sift(runs, &mut heads, place, busy, at);
        }
    }
    // Fixed-width values are gathered run by run and then put in order, as the second step stays
    // within the cache. Strings are longer, so each is copied only once.
    let order = order_behind_each_other(&taken, &picks);
    let in_order = order.is_sorted();
    let width = runs[busy[0]].chunk.columns.len();
    let column = |c: usize| {
        let columns = busy.iter().map(|run| &runs[*run].chunk.columns[c]);
        if let Some(strings) = columns.clone().map(Column::strings).collect::<Option<Vec<_>>>() {
            return Strings::gather(&strings, &picks).into();
        }
        let parts: Vec<Column> = columns.zip(&taken).map(|(c, rows)| c.take(rows)).collect();
        let together = Column::concat(&parts.iter().collect::<Vec<_>>());
        if in_order { together } else { together.take(&order) }
    };
    Chunk::new((0..width).map(column).collect(), order.len())
}

/// Rows of a run that are compared one by one before larger steps are tried.
const NEAR: usize = 8;

/// Where the rows of the first head end that come before the next row of the other one, `most` at
/// most. Equal keys make long runs, so the steps double, as in Timsort's galloping mode.
fn run_end(
    runs: &[Run],
    busy: &[usize],
    at: &[usize],
    (head, other): (usize, Option<usize>),
    most: usize,
) -> usize {
    let Some(other) = other else { return most };
    let (run, rival) = (busy[head], busy[other]);
    let (entries, rivals) = (&runs[run].entries, &runs[rival].entries);
    let is_before = |i| entries.compare(i, rivals, at[rival]).then(head.cmp(&other)).is_lt();
    let mut next = at[run];
    let near = most.min(next + NEAR);
    while next < near {
        if !is_before(next) {
            return next;
        }
        next += 1;
    }
    let mut step = NEAR;
    while next < most {
        let probe = (next + step).min(most) - 1;
        if !is_before(probe) {
            return partition_point(next, probe, is_before);
        }
        next = probe + 1;
        step *= 2;
    }
    most
}

/// The first number from `low` to `high` for which `holds` is false, if it is false from there on.
fn partition_point(mut low: usize, mut high: usize, holds: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = usize::midpoint(low, high);
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Where each picked row is if the rows taken from the heads stand behind each other.
fn order_behind_each_other(taken: &[Vec<u32>], picks: &[(u32, u32)]) -> Vec<u32> {
    let mut place: Vec<u32> = Vec::with_capacity(taken.len());
    let mut sum = 0;
    for rows in taken {
        place.push(sum);
        sum += rows.len() as u32;
    }
    let next = |(head, _): &(u32, u32)| {
        let at = &mut place[*head as usize];
        *at += 1;
        *at - 1
    };
    picks.iter().map(next).collect()
}

/// Whether the next row of head `a` comes before that of head `b`. Among equal rows the earlier run
/// is first.
#[inline]
fn before(runs: &[Run], busy: &[usize], at: &[usize], a: usize, b: usize) -> bool {
    let (run_a, run_b) = (busy[a], busy[b]);
    let order = runs[run_a].entries.compare(at[run_a], &runs[run_b].entries, at[run_b]);
    order.then(a.cmp(&b)).is_lt()
}

/// The place in the heap of the head, except for the one on top, whose next row comes first.
fn second(runs: &[Run], heads: &[usize], busy: &[usize], at: &[usize]) -> Option<usize> {
    match heads {
        [_, left, right, ..] if before(runs, busy, at, *right, *left) => Some(2),
        [_, _, ..] => Some(1),
        _ => None,
    }
}

/// Moves the head at `top` down to its place in the heap.
fn sift(runs: &[Run], heads: &mut [usize], mut top: usize, busy: &[usize], at: &[usize]) {
    loop {
        let (left, right) = (2 * top + 1, 2 * top + 2);
        let mut first = top;
        for child in [left, right] {
            if child < heads.len() && before(runs, busy, at, heads[child], heads[first]) {
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
