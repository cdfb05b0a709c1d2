//! Aggregation of rows that arrive sorted by keys: an operator of the pipeline instead of its sink.
//! Groups are complete once these keys change, so that few groups are in memory at a time, and a
//! limit above this operator ends the reading early.
//!
//! If the rows are sorted by all keys, a group is a run of rows ([`Runs`]). If they are sorted by
//! only some of the keys, or a key is a float (whose equal values can be several groups), a hash
//! table distinguishes the groups within one run ([`Hashed`]).
//!
//! Invariant: all rows of a group come in one morsel, so that the workers' results need not be
//! merged.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use entasis_base::{Reservation, Result};
use entasis_column::compare::compare_values;
use entasis_column::{Chunk, Column, match_native};
use entasis_function::States;
use entasis_pipeline::{Flow, Operator, OperatorState, Output, QueryContext};
use entasis_types::DataType;

use super::table::Groups;
use super::{Call, Spec};

/// The operator.
pub struct InOrder {
    spec: Spec,
    /// The key columns by which the input is sorted.
    sorted: Vec<usize>,
    /// Whether a group is a run of rows that are equal in `sorted`.
    exact: bool,
    /// Number of groups that all workers have pushed.
    passed: AtomicU64,
}

impl InOrder {
    /// `sorted` are the key columns by which the input is sorted; with `exact`, rows that are equal
    /// in them are a group.
    pub fn create(
        keys: Vec<(usize, DataType)>,
        (sorted, exact): (Vec<usize>, bool),
        calls: Vec<Call>,
        limit: Option<u64>,
        context: &QueryContext,
    ) -> Arc<dyn Operator> {
        let passed = AtomicU64::new(0);
        Arc::new(Shared(Arc::new(Self {
            spec: Spec::new(keys, calls, limit, context),
            sorted,
            exact,
            passed,
        })))
    }

    /// Pushes finished groups and counts them towards the limit.
    fn push(&self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        if chunk.is_empty() {
            return Ok(Flow::More);
        }
        let rows = chunk.rows as u64;
        let before = self.passed.fetch_add(rows, Ordering::Relaxed);
        let flow = out.push(chunk)?;
        let enough = self.spec.limit.is_some_and(|limit| before + rows >= limit);
        Ok(if enough { Flow::Enough } else { flow })
    }

    fn args(&self, chunk: &Chunk, from: usize, rows: usize) -> Vec<Column> {
        self.spec.arg_columns.iter().map(|&c| chunk.columns[c].slice(from, rows)).collect()
    }
}

struct Shared(Arc<InOrder>);

impl Operator for Shared {
    fn name(&self) -> String {
        match self.0.exact {
            true => "AggregatingInOrder".into(),
            false => format!("AggregatingInOrder (of {} keys)", self.0.sorted.len()),
        }
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        let shared = Arc::clone(&self.0);
        let held = Reservation::new(&shared.spec.account);
        let changes = Changes { sorted: shared.sorted.clone(), last: Vec::new() };
        if shared.exact {
            let states = fresh(&shared.spec);
            let keys = vec![Vec::new(); shared.spec.keys.len()];
            let ids = Vec::new();
            return Ok(Box::new(Runs { shared, changes, states, keys, groups: 0, ids, held }));
        }
        let groups = Groups::new(&shared.spec, 0);
        let (hashes, ids) = (Vec::new(), Vec::new());
        Ok(Box::new(Hashed { shared, changes, groups, hashes, ids, held }))
    }
}

fn fresh(spec: &Spec) -> Vec<Box<dyn States>> {
    spec.calls.iter().map(|(function, _)| function.states()).collect()
}

/// Finds the rows at which the sorted keys change.
struct Changes {
    sorted: Vec<usize>,
    /// The last row of the chunk before; empty at the beginning of a morsel.
    last: Vec<Column>,
}

impl Changes {
    /// The first rows of the runs in a chunk, ascending.
    fn of(&mut self, chunk: &Chunk) -> Vec<u32> {
        let rows = chunk.rows;
        let columns: Vec<Column> = self.sorted.iter().map(|&c| chunk.columns[c].clone()).collect();
        let mut changes = vec![false; rows];
        changes[0] = self.last.is_empty()
            || self.last.iter().zip(&columns).any(|(a, b)| compare_values(a, 0, b, 0).is_ne());
        for column in &columns {
            mark(column, &mut changes);
        }
        self.last = columns.iter().map(|c| c.take(&[rows as u32 - 1]).full()).collect();
        let starts = changes.iter().zip(0u32..);
        starts.filter(|(changes, _)| **changes).map(|(_, row)| row).collect()
    }
}

/// Marks the rows whose value differs from that of the row before.
fn mark(column: &Column, changes: &mut [bool]) {
    match column {
        Column::Const(_) => {}
        Column::String(strings) => {
            for (i, changes) in changes.iter_mut().enumerate().skip(1) {
                *changes = *changes || strings.get(i) != strings.get(i - 1);
            }
        }
        Column::Dict(dict) => {
            // Two different codes may have the same value.
            let values = &dict.dictionary.values;
            for (pair, changes) in dict.codes.windows(2).zip(&mut changes[1..]) {
                let (a, b) = (pair[0] as usize, pair[1] as usize);
                *changes = *changes || (a != b && compare_values(values, a, values, b).is_ne());
            }
        }
        numbers => match_native!(numbers,
        v => {
            for (pair, changes) in v.windows(2).zip(&mut changes[1..]) {
                *changes |= pair[0] != pair[1];
            }
        },
        _ => {
            for (i, changes) in changes.iter_mut().enumerate().skip(1) {
                *changes = *changes || compare_values(numbers, i, numbers, i - 1).is_ne();
            }
        }),
    }
}

/// The groups are runs of rows; the last group may continue in the next chunk.
struct Runs {
    shared: Arc<InOrder>,
    changes: Changes,
    states: Vec<Box<dyn States>>,
    /// For each key column, the keys of the groups in several pieces.
    keys: Vec<Vec<Column>>,
    groups: usize,
    ids: Vec<u32>,
    held: Reservation,
}

impl Runs {
    /// Pushes all groups, or all except the last, which may continue.
    fn emit(&mut self, all: bool, out: &mut dyn Output) -> Result<Flow> {
        let count = if all { self.groups } else { self.groups.saturating_sub(1) };
        if count == 0 {
            return Ok(Flow::More);
        }
        let rest = self.groups - count;
        let mut states = std::mem::replace(&mut self.states, fresh(&self.shared.spec));
        let mut columns = Vec::with_capacity(self.keys.len() + states.len());
        for pieces in &mut self.keys {
            let whole = Column::concat(&pieces.iter().collect::<Vec<_>>());
            columns.push(whole.slice(0, count));
            *pieces = if rest > 0 { vec![whole.take(&[count as u32])] } else { Vec::new() };
        }
        for (old, new) in states.iter_mut().zip(&mut self.states) {
            new.resize(rest);
            if rest > 0 {
                new.merge(&mut **old, &[count as u32], &[0])?;
            }
            columns.push(old.finish(0..count)?);
        }
        self.groups = rest;
        self.shared.push(Chunk::new(columns, count), out)
    }
}

impl OperatorState for Runs {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let starts = self.changes.of(&chunk);
        let shared = Arc::clone(&self.shared);
        let spec = &shared.spec;
        let before = self.groups;
        self.groups += starts.len();
        let args = shared.args(&chunk, 0, chunk.rows);
        if starts.is_empty() {
            for (i, states) in self.states.iter_mut().enumerate() {
                states.update_one(&spec.args_of(i, &args), chunk.rows, before as u32 - 1)?;
            }
            return Ok(Flow::More);
        }
        for (pieces, &key) in self.keys.iter_mut().zip(&spec.keys) {
            pieces.push(chunk.columns[key].take(&starts));
        }
        self.ids.clear();
        for (id, &end) in (before as u32..).zip(starts.iter().chain(&[chunk.rows as u32])) {
            // Rows before the first start belong to the last group of the chunk before.
            self.ids.resize(end as usize, id.wrapping_sub(1));
        }
        for (i, states) in self.states.iter_mut().enumerate() {
            states.resize(self.groups);
            states.update(&spec.args_of(i, &args), &self.ids)?;
        }
        if self.groups > spec.max_block_size {
            self.held.cover(self.states.iter().map(|s| s.byte_size()).sum())?;
            return self.emit(false, out);
        }
        Ok(Flow::More)
    }

    fn flush(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.changes.last.clear();
        self.emit(true, out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.flush(out)
    }
}

/// The groups of the present runs are in a hash table.
struct Hashed {
    shared: Arc<InOrder>,
    changes: Changes,
    groups: Groups,
    hashes: Vec<u64>,
    ids: Vec<u32>,
    held: Reservation,
}

impl Hashed {
    fn add(&mut self, chunk: &Chunk, from: usize, to: usize) -> Result<()> {
        if from == to {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let spec = &shared.spec;
        let rows = to - from;
        let keys: Vec<Column> =
            spec.keys.iter().map(|&c| chunk.columns[c].slice(from, rows)).collect();
        let keys = spec.layout.encode(&keys, rows)?;
        self.hashes.clear();
        keys.hash_all(&mut self.hashes);
        let args = shared.args(chunk, from, rows);
        let of_call = |i: usize| spec.args_of(i, &args);
        self.groups.add(&keys, &self.hashes, &of_call, &mut self.ids)
    }

    fn emit(&mut self, out: &mut dyn Output) -> Result<Flow> {
        let spec = &self.shared.spec;
        let count = self.groups.table.len();
        if count == 0 {
            return Ok(Flow::More);
        }
        let mut groups = std::mem::replace(&mut self.groups, Groups::new(spec, count));
        for start in (0..count).step_by(spec.max_block_size) {
            let end = count.min(start + spec.max_block_size);
            let mut columns = spec.layout.decode(&groups.table.key_range(start, end)?)?;
            for states in &mut groups.states {
                columns.push(states.finish(start..end)?);
            }
            let flow = self.shared.push(Chunk::new(columns, end - start), out)?;
            if matches!(flow, Flow::Enough) || end == count {
                return Ok(flow);
            }
        }
        Ok(Flow::More)
    }
}

impl OperatorState for Hashed {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let last = self.changes.of(&chunk).last().map_or(0, |&row| row as usize);
        self.add(&chunk, 0, last)?;
        let mut flow = Flow::More;
        if last > 0 && self.groups.table.len() >= self.shared.spec.max_block_size {
            flow = self.emit(out)?;
        }
        self.add(&chunk, last, chunk.rows)?;
        self.held.cover(self.groups.byte_size())?;
        Ok(flow)
    }

    fn flush(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.changes.last.clear();
        self.emit(out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.flush(out)
    }
}
