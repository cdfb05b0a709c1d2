//! Hash joins whose right side does not fit into memory (grace hash join).
//!
//! The hash of the key divides both sides into partitions. The partitions below a boundary are on
//! disk; the boundary rises while the right side arrives, whenever memory runs short. The other
//! partitions form the table in memory, which the left side probes at once, while the left rows of
//! partitions on disk are written as well. After the left side has ended, each partition on disk
//! is joined by itself.
//!
//! Roles: [`scatter`] writes rows by partition. [`overflow`] divides the rows of the right side,
//! and [`left`] those of the left side. [`pieces`] reads right rows back in source order.
//! [`tasks`] is the source of the partitions on disk, and [`passes`] joins one of them, if
//! necessary with a part of its right rows at a time.
//!
//! Rows of the right side without a key, and both sides of a join without keys, are in a list of
//! their own, the rest, which is not partitioned.

pub mod left;
pub mod overflow;
pub mod passes;
pub mod pieces;
pub mod scatter;
pub mod tasks;

use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use entasis_base::MemoryAccount;
use entasis_base::sync::lock;
use entasis_column::hash::NONE;
use entasis_column::{Chunk, Column};
use entasis_pipeline::QueryContext;

use super::Spec;
use crate::aggregate::keys::{KeyLayout, Keys};
use crate::spill::{JoinLimits, Spill, Spilled, Spiller, SpillingOperator};
use scatter::PARTITIONS;

/// The most right rows in memory: their numbers have 32 bits.
const MOST_ROWS: usize = if cfg!(test) { 10_000 } else { NONE as usize / 2 };

/// The least memory that a partition may take when it is joined.
const LEAST_SHARE: usize = if cfg!(test) { 4 << 10 } else { 256 << 10 };

/// What of a join is on disk.
pub struct Partitions {
    pub spiller: Arc<Spiller>,
    account: Arc<MemoryAccount>,
    /// The partitions with smaller numbers are on disk; the rest is as soon as there is one.
    boundary: AtomicUsize,
    /// Right rows in memory, and the most of them.
    rows: AtomicIsize,
    most_rows: usize,
    right: Mutex<Lists>,
    left: Mutex<Lists>,
}

/// One side's rows on disk.
#[derive(Default)]
pub struct Lists {
    /// By partition; empty if there are none.
    pub parts: Vec<Vec<Spilled>>,
    pub rest: Vec<Spilled>,
}

impl Lists {
    /// Adds what a worker has written.
    fn add(&mut self, parts: Vec<Option<Spilled>>, rest: Option<Spilled>) {
        self.parts.resize_with(self.parts.len().max(parts.len()), Vec::new);
        for (all, part) in self.parts.iter_mut().zip(parts) {
            all.extend(part);
        }
        self.rest.extend(rest);
    }
}

impl Partitions {
    pub fn new(spill: &Arc<Spill>, account: &Arc<MemoryAccount>, context: &QueryContext) -> Self {
        let JoinLimits { threshold, rows, buckets } = spill.join;
        let kind = SpillingOperator::Join;
        let spiller = Spiller::with(spill, kind, threshold, account, context.max_threads);
        Self {
            spiller: Arc::new(spiller),
            account: Arc::clone(account),
            boundary: AtomicUsize::new(PARTITIONS - PARTITIONS.div_ceil(buckets.max(1) as usize)),
            rows: AtomicIsize::new(0),
            most_rows: MOST_ROWS.min(rows as usize),
            right: Mutex::default(),
            left: Mutex::default(),
        }
    }

    /// The number of partitions on disk.
    pub fn boundary(&self) -> usize {
        self.boundary.load(Ordering::Acquire)
    }

    /// Counts right rows that are in memory, or no longer.
    pub fn count(&self, rows: isize) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// Whether there are more right rows in memory than one table may have.
    pub fn has_too_many_rows(&self) -> bool {
        self.rows.load(Ordering::Relaxed) > self.most_rows as isize
    }

    /// Adds what a worker has written of the right side.
    pub fn add_right(&self, parts: Vec<Option<Spilled>>, rest: Option<Spilled>) {
        lock(&self.right).add(parts, rest);
    }

    /// Adds what a worker has written of the left side.
    pub fn add_left(&self, parts: Vec<Option<Spilled>>, rest: Option<Spilled>) {
        lock(&self.left).add(parts, rest);
    }

    /// Takes everything that was written: of the right side, and of the left side.
    fn take(&self) -> (Lists, Lists) {
        (std::mem::take(&mut *lock(&self.right)), std::mem::take(&mut *lock(&self.left)))
    }

    /// Bytes that a worker may hold while it joins a partition.
    fn share(&self) -> usize {
        self.spiller.share().max(LEAST_SHARE)
    }
}

/// Right rows in the form in which they are written: with their keys, and with the sequence of
/// their morsel if it matters.
fn written(spec: &Spec, chunk: Chunk, keys: Option<Column>, sequence: u64) -> Chunk {
    let (rows, mut columns) = (chunk.rows, chunk.columns);
    columns.extend(keys);
    if spec.needs_order() {
        columns.push(Column::from(vec![sequence; rows]));
    }
    Chunk::new(columns, rows)
}

/// Memory that right rows need until the table of them is filled: the columns twice, as they are
/// joined, and the table.
pub fn memory_of(bytes: usize, rows: usize) -> usize {
    2 * bytes + 32 * rows
}

/// The hashes of keys, whose layout is one of a join's.
fn hashes_of(keys: &Keys) -> Vec<u64> {
    let mut hashes = Vec::new();
    keys.hash_all(&mut hashes);
    hashes
}

/// The keys from the column into which they were written.
fn keys_from(layout: &KeyLayout, column: Column) -> entasis_base::Result<Keys> {
    match (layout, column) {
        (KeyLayout::U16(_), Column::UInt64(keys)) => Ok(Keys::U64(keys.into_vec())),
        (layout, column) => Keys::from_column(layout, column),
    }
}

/// The layout of a join's keys; `None` for a join without keys.
pub fn layout_of(spec: &Spec) -> Option<KeyLayout> {
    (!spec.key_types.is_empty()).then(|| KeyLayout::choose(&spec.key_types))
}
