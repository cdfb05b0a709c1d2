//! Parts of partitions from rows that were sorted on disk, for functions that do not need a whole
//! partition at once.
//!
//! A part is computed together with the rows around it that its functions look at: `lag(x, 3)`
//! needs three rows before it, a frame of `2 FOLLOWING` two rows after it. What else depends on the
//! rows before the part is carried from part to part: their number for `row_number` and `rank`, the
//! number of runs of rows that are equal in ORDER BY for `dense_rank`, and the states of aggregates
//! whose frames begin with the partition. Functions that look at such runs get whole ones. So as
//! many rows are in memory as the largest run has, or the rows around, and a few blocks more.

use std::sync::Arc;

use entasis_base::events::{self, Event};
use entasis_base::{Error, MemoryAccount, Reservation, Result};
use entasis_column::{Chunk, Column};
use entasis_function::States;
use entasis_function::window::{FrameBound, FrameUnit, Needs, running};
use entasis_plan::OverWindow;

use super::read::{BESIDE, Known, check_rows};
use super::{Call, Spec};
use crate::sort::external::Sorted;

/// The least rows of a part, except for the last one.
const ENOUGH: usize = if cfg!(test) { 4 } else { 1 << 15 };
/// A part has at least so many times the rows that are read around it.
const TIMES_AROUND: usize = 4;

/// How a call is computed for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// From the part and rows around it.
    Around,
    /// From the part; the number of rows before it is added.
    AddRows,
    /// From the part; the number of runs before it is added.
    AddRuns,
    /// By adding the part's rows to the state of the rows before it.
    Running,
}

/// Reads parts one after the other.
pub struct Parts {
    sorted: Sorted,
    spec: Arc<Spec>,
    plan: PartPlan,
    /// The last rows that were returned: one at least, and those that later rows look at.
    before: Option<Chunk>,
    /// Rows that were read and not returned yet.
    pending: Vec<Chunk>,
    rows: usize,
    bytes: usize,
    /// The next part is computed once there are so many rows.
    wanted: usize,
    has_ended: bool,
    carried: Carried,
    /// Rows that are read however many bytes they have.
    least: usize,
    /// Bytes of rows that are enough for a part.
    most_bytes: usize,
    held: Reservation,
}

/// What the parts of a spec look like.
pub struct PartPlan {
    calls: Vec<How>,
    before: usize,
    after: usize,
    /// Parts end where rows differ in so many ORDER BY keys.
    whole_runs: Option<usize>,
}

/// What is known of the rows of a partition that were returned.
#[derive(Default)]
struct Carried {
    rows: u64,
    /// Runs by call.
    runs: Vec<u64>,
    /// The states of running aggregates by call.
    states: Vec<Option<Box<dyn States>>>,
}

impl PartPlan {
    /// `None` if a function needs whole partitions.
    pub fn of(spec: &Spec) -> Option<Self> {
        let mut plan = Self { calls: Vec::new(), before: 0, after: 0, whole_runs: None };
        for call in &spec.calls {
            let (how, looks_at_runs) = plan.add(call)?;
            if looks_at_runs {
                let fewest = plan.whole_runs.map_or(call.order, |known| known.min(call.order));
                plan.whole_runs = Some(fewest);
            }
            plan.calls.push(how);
        }
        Some(plan)
    }

    /// How a call is computed, and whether it looks at runs of equal rows.
    fn add(&mut self, call: &Call) -> Option<(How, bool)> {
        let by_rows = call.frame.unit == FrameUnit::Rows;
        let needs = match &call.function {
            OverWindow::Function(function) => function.needs(),
            OverWindow::Aggregate(_) => match (call.frame.start, call.frame.end) {
                (FrameBound::Unbounded, FrameBound::CurrentRow) => {
                    return Some((How::Running, !by_rows));
                }
                (start, end) if by_rows => {
                    let [before, after] = [rows_around(start)?, rows_around(end)?];
                    Needs::Around { before: before.0, after: after.1, framed: true }
                }
                _ => Needs::Partition,
            },
        };
        match needs {
            Needs::Partition => None,
            Needs::Around { before, after, framed } => {
                self.before = self.before.max(before as usize);
                self.after = self.after.max(after as usize);
                Some((How::Around, framed && !by_rows))
            }
            Needs::RowsBefore { ranked } => Some((How::AddRows, ranked)),
            Needs::RunsBefore => Some((How::AddRuns, true)),
        }
    }

    /// The rows that are read before a part is computed.
    fn enough(&self) -> usize {
        ENOUGH.max(self.around())
    }

    /// The rows that are read before a part is computed however little memory there is.
    fn around(&self) -> usize {
        TIMES_AROUND.saturating_mul(self.before + self.after).max(1)
    }
}

/// The rows before and after the current row up to a bound; `None` if there is no bound.
fn rows_around(bound: FrameBound) -> Option<(u32, u32)> {
    match bound {
        FrameBound::Unbounded => None,
        FrameBound::Preceding(n) => Some((n, 0)),
        FrameBound::CurrentRow => Some((0, 0)),
        FrameBound::Following(n) => Some((0, n)),
    }
}

impl Parts {
    /// The rows must be sorted by the spec's keys. Their last column is their place, which is
    /// dropped.
    pub fn new(
        sorted: Sorted,
        spec: &Arc<Spec>,
        plan: PartPlan,
        (account, most_bytes): (&Arc<MemoryAccount>, usize),
    ) -> Self {
        let calls = spec.calls.len();
        let mut carried = Carried { runs: vec![0; calls], ..Carried::default() };
        carried.states.resize_with(calls, || None);
        Self {
            sorted,
            spec: Arc::clone(spec),
            wanted: plan.enough(),
            least: plan.around(),
            most_bytes,
            plan,
            before: None,
            pending: Vec::new(),
            rows: 0,
            bytes: 0,
            has_ended: false,
            carried,
            held: Reservation::new(account),
        }
    }

    /// The rows of the next part with the results of all calls; `None` at the end. `held` counts
    /// them.
    pub fn next(&mut self, held: &mut Reservation) -> Result<Option<Chunk>> {
        loop {
            self.fill()?;
            if self.rows == 0 {
                return Ok(None);
            }
            // While they are concatenated, the rows are in memory twice.
            held.cover(2 * self.bytes + self.rows * BESIDE * (1 + self.spec.calls.len()))?;
            let pending = Chunk::concat(&std::mem::take(&mut self.pending));
            let end = self.end_of_part(&pending);
            if end == 0 {
                // The rows are the begin of a run that is longer than they are.
                self.least = self.rows.saturating_mul(2);
                self.wanted = self.wanted.max(self.least);
                self.pending.push(pending);
                continue;
            }
            let part = self.computed(&pending, end)?;
            let rest = pending.slice(end, pending.rows - end);
            (self.rows, self.bytes) = (rest.rows, rest.byte_size());
            (self.wanted, self.least) = (self.plan.enough(), self.plan.around());
            self.held.set(self.bytes + self.before.as_ref().map_or(0, Chunk::byte_size))?;
            self.pending.extend((!rest.is_empty()).then_some(rest));
            held.set(part.byte_size())?;
            return Ok(Some(part));
        }
    }

    /// Reads rows until there are enough for a part and for what its last rows look at.
    fn fill(&mut self) -> Result<()> {
        let wanted = self.wanted.saturating_add(self.plan.after);
        let least = self.least.saturating_add(self.plan.after);
        let most_bytes = self.most_bytes;
        let goes_on = |rows, bytes| rows < least || (rows < wanted && bytes < most_bytes);
        while !self.has_ended && goes_on(self.rows, self.bytes) {
            let Some(mut chunk) = self.sorted.next()? else {
                self.has_ended = true;
                break;
            };
            chunk.columns.pop();
            if !chunk.is_empty() {
                (self.rows, self.bytes) = (self.rows + chunk.rows, self.bytes + chunk.byte_size());
                self.held.cover(self.bytes + self.before.as_ref().map_or(0, Chunk::byte_size))?;
                self.pending.push(chunk);
                check_rows(self.rows)?;
            }
        }
        Ok(())
    }

    /// How many of the rows can be computed now.
    fn end_of_part(&self, pending: &Chunk) -> usize {
        if self.has_ended {
            return pending.rows;
        }
        let most = pending.rows.saturating_sub(self.plan.after);
        let Some(order) = self.plan.whole_runs else { return most };
        let runs = Known::of(pending, &self.spec).peers_of(order);
        // The last bound is the number of rows, where a run need not end.
        let starts = runs.split_last().map_or(&[][..], |(_, starts)| starts);
        let last = starts.iter().rev().find(|start| **start as usize <= most);
        last.map_or(0, |start| *start as usize)
    }

    /// The first `end` rows with the results of all calls.
    fn computed(&mut self, pending: &Chunk, end: usize) -> Result<Chunk> {
        let around = match &self.before {
            Some(before) => Chunk::concat(&[before.clone(), pending.clone()]),
            None => pending.clone(),
        };
        let first = around.rows - pending.rows;
        let spec = Arc::clone(&self.spec);
        let mut around_known = Known::of(&around, &spec);
        let mut known = Known::of(pending, &spec);
        let goes_on = first > 0 && !around_known.partitions.contains(&(first as u32));
        let part = PartBounds::of(&known.partitions, end, goes_on);
        events::add(Event::WindowPartitions, part.begun());
        let mut results = Vec::with_capacity(spec.calls.len());
        for (at, call) in spec.calls.iter().enumerate() {
            results.push(match self.plan.calls[at] {
                How::Around => around_known.result(call)?.slice(first, end),
                How::AddRows => part.added(&known.result(call)?, self.carried.rows)?,
                How::AddRuns => part.added(&known.result(call)?, self.carried.runs[at])?,
                How::Running => {
                    let states = &mut self.carried.states[at];
                    run(call, &mut known, &part, states)?
                }
            });
        }
        self.carry(&mut known, &part);
        let kept = self.plan.before.max(1).min(first + end);
        self.before = Some(around.slice(first + end - kept, kept));
        let mut chunk = pending.slice(0, end);
        chunk.columns.extend(results);
        Ok(chunk)
    }

    /// Counts the rows and runs of the part's last partition.
    fn carry(&mut self, known: &mut Known<'_>, part: &PartBounds) {
        let start = part.last_start();
        let goes_on = part.goes_on && start == 0;
        let rows = u64::from(part.end - start);
        self.carried.rows = rows + if goes_on { self.carried.rows } else { 0 };
        for (at, call) in self.spec.calls.iter().enumerate() {
            if self.plan.calls[at] == How::AddRuns {
                let runs = known.peers_of(call.order);
                let runs = runs.iter().filter(|run| (start..part.end).contains(run)).count() as u64;
                self.carried.runs[at] = runs + if goes_on { self.carried.runs[at] } else { 0 };
            }
        }
    }
}

/// The partitions of a part.
struct PartBounds {
    /// Where they begin, from 0 on.
    starts: Vec<u32>,
    /// The number of rows.
    end: u32,
    /// Whether the first partition began before the part.
    goes_on: bool,
}

impl PartBounds {
    fn of(partitions: &[u32], end: usize, goes_on: bool) -> Self {
        let end = end as u32;
        let starts = partitions.iter().copied().take_while(|start| *start < end).collect();
        Self { starts, end, goes_on }
    }

    fn begun(&self) -> u64 {
        self.starts.len() as u64 - u64::from(self.goes_on)
    }

    fn last_start(&self) -> u32 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The rows of each partition.
    fn ranges(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let ends = self.starts.iter().skip(1).copied().chain([self.end]);
        self.starts.iter().copied().zip(ends)
    }

    /// The results of the part, with a number added to those of a partition that goes on.
    fn added(&self, results: &Column, number: u64) -> Result<Column> {
        let results = results.full();
        let Column::UInt64(values) = &results else {
            return Err(Error::logical("a number of rows that is no UInt64"));
        };
        let first = self.ranges().next().filter(|_| self.goes_on).map_or(0, |(_, end)| end);
        let values = values[..self.end as usize].iter().zip(0u32..);
        let values = values.map(|(value, row)| value + if row < first { number } else { 0 });
        Ok(values.collect::<Vec<u64>>().into())
    }
}

/// The results of a running aggregate for the rows of a part. `states` has the state of the rows
/// before it, and then that of its last partition.
fn run(
    call: &Call,
    known: &mut Known<'_>,
    part: &PartBounds,
    states: &mut Option<Box<dyn States>>,
) -> Result<Column> {
    let OverWindow::Aggregate(function) = &call.function else {
        return Err(Error::logical("no aggregate"));
    };
    let args = known.args_of(call);
    let by_rows = call.frame.unit == FrameUnit::Rows;
    let runs = if by_rows { Arc::default() } else { known.peers_of(call.order) };
    let mut results = Vec::new();
    for (at, (start, end)) in part.ranges().enumerate() {
        let state = match (states.take(), at) {
            (Some(state), 0) if part.goes_on => states.insert(state),
            _ => {
                let mut new = function.states();
                new.resize(1);
                states.insert(new)
            }
        };
        let ends: Vec<u32> = match by_rows {
            true => (start + 1..=end).collect(),
            false => runs.iter().copied().filter(|run| *run > start && *run <= end).collect(),
        };
        let result = running(&**function, &mut **state, &args, start, &ends)?;
        results.push(if by_rows { result } else { repeated(&result, start, &ends) });
    }
    Ok(Column::concat(&results.iter().collect::<Vec<_>>()))
}

/// The results of runs for each of their rows.
fn repeated(results: &Column, start: u32, ends: &[u32]) -> Column {
    let mut rows = Vec::new();
    for (run, end) in ends.iter().enumerate() {
        rows.resize((end - start) as usize, run as u32);
    }
    results.take(&rows)
}
