//! Aggregates over frames that use only the states, for all functions without
//! [`Aggregate::frames`].
//!
//! Equal frames are computed once. Frames that grow from the same start (a running aggregate) share
//! one state, from which a result is taken after each step. All other frames are computed from
//! their rows, many frames in one update. This is correct for every function, avoids rounding
//! errors that add up, and costs as much as the rows of the frames.

use entasis_base::Result;
use entasis_base::scope::Ticker;
use entasis_column::Column;

use super::Frames;
use crate::{Aggregate, States};

/// Most rows of frames that are updated together, unless a single frame has more.
const MOST_ROWS: usize = 1 << 15;
/// Number of states that are made together.
const MOST_STATES: usize = 1 << 12;
/// Growing frames of up to this many rows are computed from their rows, which is less work than
/// taking a result from the state after each step.
const SMALL: u32 = 24;
/// Number of single-row results that are put together at once.
const MOST_PARTS: usize = 256;

/// The aggregate's results over the frames of all rows.
pub fn over_frames(function: &dyn Aggregate, args: &[Column], frames: &Frames) -> Result<Column> {
    if let Some(results) = function.frames(args, frames)? {
        return Ok(results);
    }
    let (distinct, of_row) = frames.distinct();
    let args: Vec<Column> = args.iter().map(Column::full).collect();
    let mut work = Work::new(function, &args);
    let mut at = 0;
    while at < distinct.len() {
        let start = distinct.starts[at];
        let same = distinct.starts[at..].iter().take_while(|s| **s == start).count();
        let ends = &distinct.ends[at..at + same];
        if same > 1 && ends[same - 1] - start > SMALL {
            work.growing(start, ends)?;
        } else {
            for &end in ends {
                work.one(start, end)?;
            }
        }
        at += same;
    }
    work.flush()?;
    let results = work.finish();
    Ok(of_row.map_or(results.clone(), |rows| results.take(&rows)))
}

/// The aggregate's results over frames that begin with the first row that `states`, which has one
/// state, has seen: it is given the rows from `from` on, up to each of the ascending `ends`.
pub fn running(
    function: &dyn Aggregate,
    states: &mut dyn States,
    args: &[Column],
    from: u32,
    ends: &[u32],
) -> Result<Column> {
    let args: Vec<Column> = args.iter().map(Column::full).collect();
    let mut work = Work::new(function, &args);
    work.grow(states, from, ends)?;
    Ok(work.finish())
}

/// Frames that are to be computed together: their rows, and the state of each row.
#[derive(Default)]
struct Many {
    rows: Vec<u32>,
    groups: Vec<u32>,
    count: usize,
}

struct Work<'a> {
    function: &'a dyn Aggregate,
    args: &'a [Column],
    many: Many,
    results: Vec<Column>,
    /// Results of single rows, which follow `results`.
    parts: Vec<Column>,
    ticker: Ticker,
}

impl<'a> Work<'a> {
    fn new(function: &'a dyn Aggregate, args: &'a [Column]) -> Self {
        let (results, parts) = (Vec::new(), Vec::new());
        Self { function, args, many: Many::default(), results, parts, ticker: Ticker::default() }
    }

    /// All results.
    fn finish(mut self) -> Column {
        self.join();
        match &self.results[..] {
            [] => Column::default_of(&self.function.return_type(), 0),
            [one] => one.clone(),
            many => Column::concat(&many.iter().collect::<Vec<_>>()),
        }
    }

    /// Adds a frame that is independent of the frames before it.
    fn one(&mut self, start: u32, end: u32) -> Result<()> {
        let len = (end - start) as usize;
        if self.many.rows.len() + len > MOST_ROWS || self.many.count == MOST_STATES {
            self.flush()?;
        }
        if len > MOST_ROWS {
            return self.growing(start, &[end]);
        }
        let group = self.many.count as u32;
        self.many.rows.extend(start..end);
        self.many.groups.resize(self.many.rows.len(), group);
        self.many.count += 1;
        Ok(())
    }

    /// Computes all frames that were added.
    fn flush(&mut self) -> Result<()> {
        let Many { rows, groups, count } = std::mem::take(&mut self.many);
        if count == 0 {
            return Ok(());
        }
        self.join();
        self.ticker.tick(rows.len() + count)?;
        let mut states = self.function.states();
        states.resize(count);
        let consecutive = rows.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let args: Vec<Column> = match rows.first() {
            Some(&first) if consecutive => self.slice(first as usize, rows.len()),
            _ => self.args.iter().map(|arg| arg.take(&rows)).collect(),
        };
        states.update(&args, &groups)?;
        self.results.push(states.finish(0..count)?.full());
        Ok(())
    }

    /// Adds frames with the same start and ascending ends.
    fn growing(&mut self, start: u32, ends: &[u32]) -> Result<()> {
        self.flush()?;
        let mut states = self.function.states();
        states.resize(1);
        self.grow(&mut *states, start, ends)
    }

    /// Adds frames whose rows before `start` are in the only state already.
    fn grow(&mut self, states: &mut dyn States, start: u32, ends: &[u32]) -> Result<()> {
        let mut from = start as usize;
        for &end in ends {
            self.extend(states, from, end as usize)?;
            from = end as usize;
            self.parts.push(states.finish(0..1)?.full());
            if self.parts.len() == MOST_PARTS {
                self.join();
            }
        }
        Ok(())
    }

    /// Adds rows `from .. to` to the only state.
    fn extend(&mut self, states: &mut dyn States, from: usize, to: usize) -> Result<()> {
        let mut from = from;
        while from < to {
            let rows = (to - from).min(MOST_ROWS);
            self.ticker.tick(rows + 16)?;
            states.update_one(&self.slice(from, rows), rows, 0)?;
            from += rows;
        }
        Ok(())
    }

    fn slice(&self, start: usize, len: usize) -> Vec<Column> {
        self.args.iter().map(|arg| arg.slice(start, len)).collect()
    }

    /// Puts the results of single rows together.
    fn join(&mut self) {
        if !self.parts.is_empty() {
            let parts = std::mem::take(&mut self.parts);
            self.results.push(Column::concat(&parts.iter().collect::<Vec<_>>()));
        }
    }
}
