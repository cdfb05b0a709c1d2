//! LIMIT and LIMIT BY that count from the last row or in shares of all rows.
//!
//! Such a limit has to see all rows, so the input is kept. LIMIT BY counts the rows of each key
//! first, and then picks rows by their number within the key.

use std::ops::Range;

use entasis_base::{Result, scope};
use entasis_column::compare::compare_values;
use entasis_column::{Chunk, Mask};
use entasis_plan::{Count, Slice};

use crate::build::{Builder, Stream, positions, typed_positions};
use crate::gather::cut;
use crate::limit_by::{Counter, LimitBy};

pub fn streams(builder: &mut Builder<'_>, slice: &Slice) -> Result<Vec<Stream>> {
    let (offset, limit) = (slice.offset, slice.limit);
    let streams = builder.limited(&slice.input, true)?;
    if slice.by.is_empty() {
        let ties = positions(&slice.input.outputs(), &slice.ties)?;
        let then = Box::new(move |chunks: Vec<Chunk>| Ok(pick(chunks, offset, limit, &ties)));
        return Ok(builder.gathered(streams, then));
    }
    let keys = typed_positions(&slice.input.header()?, &slice.by)?;
    let (keys, types) = keys.into_iter().unzip();
    let rule = LimitBy { keys, types, offset: 0, limit: u64::MAX };
    let account = builder.context.memory.child("LimitBy", 0);
    let then = Box::new(move |chunks: Vec<Chunk>| {
        let mut counter = Counter::new(rule.clone(), &account);
        pick_by(chunks, offset, limit, &mut counter)
    });
    Ok(builder.gathered(streams, then))
}

/// The rows that are returned of `total` rows.
fn range(total: u64, offset: Count, limit: Option<Count>) -> Range<u64> {
    let share = |share: f64| (share * total as f64).ceil() as u64;
    let (start, end) = match offset {
        Count::First(rows) => (rows.min(total), total),
        Count::Last(rows) => (0, total.saturating_sub(rows)),
        Count::Share(part) => (share(part).min(total), total),
    };
    match limit {
        None => start..end,
        Some(Count::First(rows)) => start..end.min(start.saturating_add(rows)),
        Some(Count::Last(rows)) => start.max(end.saturating_sub(rows))..end,
        Some(Count::Share(part)) => start..end.min(start.saturating_add(share(part))),
    }
}

/// The rows of the range; with `ties` also those beside it that are equal in these columns to its
/// last row, or to its first row if the range ends with the last row.
fn pick(chunks: Vec<Chunk>, offset: Count, limit: Option<Count>, ties: &[usize]) -> Vec<Chunk> {
    let total = chunks.iter().map(|chunk| chunk.rows as u64).sum();
    let mut range = range(total, offset, limit);
    if !ties.is_empty() && !range.is_empty() {
        let rows = Rows { chunks: &chunks, ties };
        if matches!(limit, Some(Count::Last(_))) {
            let low = if let Count::First(skipped) = offset { skipped } else { 0 };
            while range.start > low && rows.equal(range.start - 1, range.start) {
                range.start -= 1;
            }
        } else {
            while range.end < total && rows.equal(range.end - 1, range.end) {
                range.end += 1;
            }
        }
    }
    cut(chunks, range.start, Some(range.end - range.start.min(range.end)))
}

struct Rows<'a> {
    chunks: &'a [Chunk],
    ties: &'a [usize],
}

impl Rows<'_> {
    fn at(&self, mut row: u64) -> Option<(&Chunk, usize)> {
        for chunk in self.chunks {
            if row < chunk.rows as u64 {
                return Some((chunk, row as usize));
            }
            row -= chunk.rows as u64;
        }
        None
    }

    fn equal(&self, a: u64, b: u64) -> bool {
        let (Some((a, i)), Some((b, j))) = (self.at(a), self.at(b)) else { return false };
        self.ties.iter().all(|&at| compare_values(&a.columns[at], i, &b.columns[at], j).is_eq())
    }
}

fn pick_by(
    chunks: Vec<Chunk>,
    offset: Count,
    limit: Option<Count>,
    counter: &mut Counter,
) -> Result<Vec<Chunk>> {
    let mut keys: Vec<Vec<u32>> = Vec::with_capacity(chunks.len());
    let mut totals: Vec<u64> = Vec::new();
    for chunk in &chunks {
        scope::check()?;
        let ids = counter.keys(chunk)?.to_vec();
        for id in &ids {
            let at = *id as usize;
            if at >= totals.len() {
                totals.resize(at + 1, 0);
            }
            totals[at] += 1;
        }
        keys.push(ids);
    }
    let mut left: Vec<(u64, Range<u64>)> =
        totals.into_iter().map(|total| (0, range(total, offset, limit))).collect();
    let mut out = Vec::with_capacity(chunks.len());
    for (chunk, ids) in chunks.into_iter().zip(keys) {
        scope::check()?;
        let mask = Mask::from_fn(chunk.rows, |row| {
            let (seen, range) = &mut left[ids[row] as usize];
            *seen += 1;
            range.contains(&(*seen - 1))
        });
        out.push(chunk.filter(&mask));
    }
    Ok(out)
}
