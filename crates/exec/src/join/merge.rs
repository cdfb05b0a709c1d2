//! Merge join: both sides are read side by side in the order of the keys.
//!
//! A side that comes in this order already is pulled through its operators by the thread that
//! merges, so none of its rows is kept. Another side is sorted before, which may write to disk
//! (`crate::sort`). So the memory of a merge join is bounded by the rows of the right side that
//! have one key. Ranges of the keys that the planner names are merged in parallel; otherwise one
//! thread merges, and the sorts before it are parallel.
//!
//! Roles: [`inputs`] makes the sources of both sides. [`side`] reads a sorted side chunk by chunk
//! and knows where groups of equal keys end. [`pairs`] collects the pairs of a left chunk with the
//! buffered right rows and outputs them.

mod inputs;
mod pairs;
mod side;

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use entasis_base::{Error, MemoryAccount, Reservation, Result, scope};
use entasis_column::Chunk;
use entasis_column::compare::compare_values;
use entasis_expr::Expr;
use entasis_pipeline::{Morsel, Read, Reader, Report, Source};
use entasis_plan::{Inequality, Join, KeyRange, Merging, Plan};

use super::{JoinStrictness, Spec};
use crate::build::{Builder, Stream};
use crate::coalesce::Coalesce;
use pairs::Pairs;
use side::Side;

/// Merges both sides. A side that does not come in the order of the keys is sorted before.
pub fn streams(
    builder: &mut Builder<'_>,
    join: &Join,
    merging: &Merging,
    spec: Arc<Spec>,
) -> Result<Vec<Stream>> {
    let closest = spec.closest.as_ref().map(|c| (c.left, c.right));
    let (mut left_keys, mut right_keys) = (spec.left_keys.clone(), spec.right_keys.clone());
    left_keys.extend(closest.map(|c| c.0));
    right_keys.extend(closest.map(|c| c.1));
    let mut after = Vec::new();
    let mut sides = |builder: &mut Builder<'_>, range: &KeyRange| {
        let mut of = |plan: &Plan, conditions: &[Expr], in_order, keys: &[usize]| match in_order {
            true => inputs::in_order(builder, plan, conditions, &mut after),
            false => inputs::sorted(builder, plan, keys, &mut after),
        };
        let left = of(&join.left, &range.left, merging.left_in_order, &left_keys)?;
        let right = of(&join.right, &range.right, merging.right_in_order, &right_keys)?;
        Ok::<_, Error>((left, right))
    };
    let mut ranges = Vec::with_capacity(merging.ranges.len().max(1));
    for range in &merging.ranges {
        ranges.push(sides(builder, range)?);
    }
    if ranges.is_empty() {
        ranges.push(sides(builder, &KeyRange::default())?);
    }
    let account = builder.context.memory.child("Joining", 0);
    let source = MergeJoin(Arc::new(Shared { spec, ranges, account, next: AtomicUsize::new(0) }));
    let operators = vec![Coalesce::create(builder.context, true)];
    let stream = Stream::new(Arc::new(source));
    Ok(vec![Stream { after, operators, selective: true, ..stream }])
}

/// The source of the joined rows. A range of the keys is a morsel.
struct MergeJoin(Arc<Shared>);

struct Shared {
    spec: Arc<Spec>,
    /// The sorted sides of each range.
    ranges: Vec<(Arc<dyn Source>, Arc<dyn Source>)>,
    account: Arc<MemoryAccount>,
    next: AtomicUsize,
}

impl Source for MergeJoin {
    fn name(&self) -> String {
        match self.0.ranges.first() {
            Some((left, right)) => format!("MergeJoin of {} and {}", left.name(), right.name()),
            None => "MergeJoin".into(),
        }
    }

    fn report(&self) -> Report {
        vec![("ranges", self.0.ranges.len() as u64)]
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(RangeReader { shared: Arc::clone(&self.0), merger: None }))
    }

    fn morsels(&self) -> Option<usize> {
        Some(self.0.ranges.len())
    }
}

/// Merges one range after the other.
struct RangeReader {
    shared: Arc<Shared>,
    /// The range that is being merged, and its number.
    merger: Option<(u64, Merger)>,
}

impl Reader for RangeReader {
    fn next(&mut self) -> Result<Read> {
        loop {
            if let Some((sequence, merger)) = &mut self.merger
                && let Some(chunk) = merger.next()?
            {
                return Ok(Read::Chunk(Morsel { sequence: *sequence, chunk }));
            }
            let number = self.shared.next.fetch_add(1, Relaxed);
            let Some(range) = self.shared.ranges.get(number) else { return Ok(Read::Done) };
            self.merger = Some((number as u64, Merger::new(&self.shared, range)?));
        }
    }
}

/// The right rows with one key, at the beginning of what is buffered.
struct Group {
    end: usize,
    has_match: bool,
}

/// Reads both sides of a range side by side.
struct Merger {
    spec: Arc<Spec>,
    left: Side,
    right: Side,
    group: Option<Group>,
    pairs: Pairs,
    ready: VecDeque<Chunk>,
    is_done: bool,
    held: Reservation,
}

impl Merger {
    fn new(shared: &Shared, (left, right): &(Arc<dyn Source>, Arc<dyn Source>)) -> Result<Self> {
        let spec = Arc::clone(&shared.spec);
        Ok(Self {
            left: Side::new(left.reader()?, &spec.left_keys),
            right: Side::new(right.reader()?, &spec.right_keys),
            group: None,
            pairs: Pairs::default(),
            ready: VecDeque::new(),
            is_done: false,
            held: Reservation::new(&shared.account),
            spec,
        })
    }

    /// The next rows; `None` at the end.
    fn next(&mut self) -> Result<Option<Chunk>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Ok(Some(chunk));
            }
            if self.is_done {
                return Ok(None);
            }
            self.step()?;
        }
    }

    /// Merges until there are rows for a block, or until a side needs another chunk.
    fn step(&mut self) -> Result<()> {
        scope::check()?;
        if self.left.is_used_up() {
            self.output()?;
            self.left.read()?;
        }
        if self.right.is_used_up() {
            self.output()?;
            self.right.read()?;
            self.held.cover(self.right.byte_size())?;
        }
        let (left_ended, right_ended) = (self.left.is_used_up(), self.right.is_used_up());
        let needs_right = self.spec.keep_right || !left_ended;
        let needs_left = self.spec.keep_left || !right_ended;
        if left_ended && right_ended || !needs_left || !needs_right {
            self.is_done = true;
            return self.output();
        }
        while !self.left.is_used_up() && !self.right.is_used_up() {
            match self.left.compare(&self.right) {
                Ordering::Less => self.skip_left(),
                Ordering::Greater => self.skip_right(),
                // A NULL equals nothing.
                Ordering::Equal if self.left.has_null() => self.skip_left(),
                Ordering::Equal => self.equal()?,
            }
            // A left row with many matches has output some of them.
            if self.pairs.len() >= self.spec.max_block_size || !self.ready.is_empty() {
                return self.output();
            }
        }
        // One side has ended, and the other one's rows have no match.
        while right_ended && !self.left.is_used_up() {
            self.skip_left();
        }
        while left_ended && !self.right.is_used_up() {
            self.skip_right();
        }
        Ok(())
    }

    fn output(&mut self) -> Result<()> {
        let (left, right) = (&self.left.chunk, &self.right.chunk);
        self.pairs.output(&self.spec, left, right, &mut self.ready)
    }

    /// The left row has no further match.
    fn skip_left(&mut self) {
        if self.spec.keep_left {
            self.pairs.only_left.push(self.left.at as u32);
        }
        self.left.at += 1;
    }

    /// The right rows of the group have no further match; if there is no group, this is one row
    /// without a match.
    fn skip_right(&mut self) {
        let group = self.group.take();
        let end = group.as_ref().map_or(self.right.at + 1, |group| group.end);
        if self.spec.keep_right && !group.is_some_and(|group| group.has_match) {
            self.pairs.only_right.extend(self.right.at as u32..end as u32);
        }
        self.right.at = end;
    }

    /// The left row has the key of the next right rows.
    fn equal(&mut self) -> Result<()> {
        let (is_first, end) = match &mut self.group {
            Some(group) => (!std::mem::replace(&mut group.has_match, true), group.end),
            None => {
                if !self.right.has_whole_group() {
                    // The pairs refer to the rows that are buffered now.
                    self.output()?;
                    self.right.read_group()?;
                    self.held.cover(self.right.byte_size())?;
                }
                let end = self.right.group_end();
                self.group = Some(Group { end, has_match: true });
                (true, end)
            }
        };
        let (row, start) = (self.left.at as u32, self.right.at as u32);
        let end = end as u32;
        let one = if self.spec.takes_last { end - 1 } else { start };
        match self.spec.strictness {
            JoinStrictness::All => return self.all(start, end),
            JoinStrictness::First => self.pairs.add(row, one),
            JoinStrictness::FirstOfKey if is_first => self.pairs.add(row, one),
            JoinStrictness::OncePerRight if is_first => return self.all(start, end),
            JoinStrictness::Asof => match self.closest(start, end) {
                Some(found) => self.pairs.add(row, found),
                None => {
                    self.skip_left();
                    return Ok(());
                }
            },
            JoinStrictness::FirstOfKey | JoinStrictness::OncePerRight | JoinStrictness::None => {}
        }
        self.left.at += 1;
        Ok(())
    }

    /// The left row with all these right rows.
    fn all(&mut self, start: u32, end: u32) -> Result<()> {
        let row = self.left.at as u32;
        let most = self.spec.max_block_size.max(1);
        for first in (start..end).step_by(most) {
            let last = end.min(first.saturating_add(u32::try_from(most).unwrap_or(u32::MAX)));
            (first..last).for_each(|other| self.pairs.add(row, other));
            if self.pairs.len() >= most {
                scope::check()?;
                self.output()?;
            }
        }
        self.left.at += 1;
        Ok(())
    }

    /// Of these right rows, the one that is closest to the left row (ASOF).
    fn closest(&self, start: u32, end: u32) -> Option<u32> {
        let of = self.spec.closest.as_ref()?;
        let left = &self.left.chunk.columns[of.left];
        let right = &self.right.chunk.columns[of.right];
        let row = self.left.at;
        if left.is_null(row) {
            return None;
        }
        let start = start as usize;
        let end = partition_point(start..end as usize, |at| !right.is_null(at));
        let up_to = |ordering| {
            partition_point(start..end, |at| {
                let found = compare_values(right, at, left, row);
                found == Ordering::Less || found == ordering
            })
        };
        let before = |at: usize| at.checked_sub(1).filter(|at| *at >= start);
        let found = match of.inequality {
            Inequality::GreaterOrEquals => before(up_to(Ordering::Equal))?,
            Inequality::Greater => before(up_to(Ordering::Less))?,
            Inequality::LessOrEquals => up_to(Ordering::Less),
            Inequality::Less => up_to(Ordering::Equal),
        };
        (found < end).then_some(found as u32)
    }
}

/// The first place of a range for which a condition does not hold that holds for all before it.
fn partition_point(range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut start, mut end) = (range.start, range.end);
    while start < end {
        let middle = start + (end - start) / 2;
        if holds(middle) { start = middle + 1 } else { end = middle }
    }
    start
}
