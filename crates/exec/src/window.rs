//! Functions over windows: rows are gathered, parted, sorted, and looked at partition by partition.
//!
//! Roles: the sink here keeps the rows, and once there are many, deals them to buckets by a hash of
//! PARTITION BY; [`read`] is the source: a bucket is a morsel, which one worker sorts and works
//! through; [`bounds`] finds partitions, rows equal in ORDER BY and frames within sorted rows; the
//! functions themselves (`function::window`) see columns and bounds of a whole bucket at once.
//!
//! Before they are sorted, rows are put in source order, and the sort is stable. So the result does
//! not depend on how many workers there were, also where ORDER BY leaves rows equal.
//!
//! Absent on purpose: spilling. A bucket must fit the memory; without PARTITION BY all rows must.

mod bounds;
mod read;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::Chunk;
use entasis_column::compare::SortOrder;
use entasis_column::hash::partition_of;
use entasis_function::window::Frame;
use entasis_pipeline::{Flow, Morsel, QueryContext, Report, Sink, SinkState, Source};
use entasis_plan::OverWindow;
use entasis_types::DataType;

use crate::aggregate::keys::{KeyLayout, Keys, spread_direct};
use read::{Buckets, Windows};

/// From so many rows on they are dealt to buckets.
const MANY: u64 = 1 << 16;
/// Buckets are chosen by so many top bits of the hash: few enough that pieces of a chunk stay long,
/// and enough that workers end at about the same time.
const BUCKET_BITS: u32 = 5;

/// A call of a function over windows.
pub struct Call {
    /// The bound function.
    pub function: OverWindow,
    /// Positions of its arguments.
    pub args: Vec<usize>,
    /// How many keys of the order are its own.
    pub order: usize,
    /// Its frame.
    pub frame: Frame,
}

/// What one sort serves.
pub struct Spec {
    /// Positions of PARTITION BY and their types.
    pub partition: Vec<(usize, DataType)>,
    /// Positions of ORDER BY.
    pub order: Vec<(usize, SortOrder)>,
    /// The functions.
    pub calls: Vec<Call>,
}

/// Rows with their place in source order.
struct Piece {
    sequence: u64,
    index: usize,
    chunk: Chunk,
}

/// What the workers share.
struct Shared {
    spec: Arc<Spec>,
    layout: KeyLayout,
    rows: AtomicU64,
    /// Rows of workers that ended before there were many.
    loose: Mutex<Vec<Piece>>,
    buckets: Mutex<Vec<Vec<Piece>>>,
    held: Mutex<Vec<Reservation>>,
    account: Arc<MemoryAccount>,
}

/// A sink that gathers rows, and the source of these rows with the functions' results behind their
/// columns.
pub fn create(spec: Spec, context: &QueryContext) -> (Arc<dyn Sink>, Arc<dyn Source>) {
    let types: Vec<DataType> = spec.partition.iter().map(|(_, ty)| ty.clone()).collect();
    let account = context.memory.child("Windows", 0);
    let spec = Arc::new(spec);
    let filled = Arc::new(OnceLock::new());
    let source = Windows::new(&spec, &filled, &account, context.max_block_size.max(1));
    let shared = Shared {
        spec,
        layout: KeyLayout::choose(&types),
        rows: AtomicU64::new(0),
        loose: Mutex::default(),
        buckets: Mutex::default(),
        held: Mutex::default(),
        account,
    };
    (Arc::new(Gathering { shared: Arc::new(shared), filled }), Arc::new(source))
}

struct Gathering {
    shared: Arc<Shared>,
    filled: Arc<OnceLock<Buckets>>,
}

impl Sink for Gathering {
    fn name(&self) -> String {
        "GatherWindows".into()
    }

    fn report(&self) -> Report {
        vec![("memory_bytes", self.shared.account.peak())]
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let held = Reservation::new(&self.shared.account);
        let shared = Arc::clone(&self.shared);
        let (loose, buckets) = (Vec::new(), Vec::new());
        Ok(Box::new(State { shared, loose, buckets, index: 0, bytes: 0, held }))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        let shared = &self.shared;
        let mut buckets = std::mem::take(&mut *lock(&shared.buckets));
        let loose = std::mem::take(&mut *lock(&shared.loose));
        if buckets.is_empty() {
            buckets.push(loose);
        } else {
            shared.deal(loose, &mut buckets)?;
        }
        let held = std::mem::take(&mut *lock(&shared.held));
        let _ = self.filled.set(Buckets::new(buckets, held));
        Ok(())
    }
}

impl Shared {
    /// Whether the rows so far are worth being dealt.
    fn are_many(&self) -> bool {
        !self.spec.partition.is_empty() && self.rows.load(Ordering::Relaxed) >= MANY
    }

    /// Puts rows into the buckets of their partitions.
    fn deal(&self, pieces: Vec<Piece>, buckets: &mut Vec<Vec<Piece>>) -> Result<()> {
        buckets.resize_with(1 << BUCKET_BITS, Vec::new);
        let mut hashes = Vec::new();
        for Piece { sequence, index, chunk } in pieces {
            let keys = self.spec.partition.iter().map(|(at, _)| chunk.columns[*at].clone());
            let keys = self.layout.encode(&keys.collect::<Vec<_>>(), chunk.rows)?;
            match &keys {
                Keys::Direct(keys) => spread_direct(keys, &mut hashes),
                others => others.hash_all(&mut hashes),
            }
            let (order, ends) = by_bucket(&hashes);
            let chunk = chunk.take(&order);
            let mut start = 0;
            for (bucket, &end) in buckets.iter_mut().zip(&ends) {
                if end > start {
                    bucket.push(Piece { sequence, index, chunk: chunk.slice(start, end - start) });
                }
                start = end;
            }
        }
        Ok(())
    }
}

/// Rows in the order of their buckets, and where each bucket's rows end.
fn by_bucket(hashes: &[u64]) -> (Vec<u32>, Vec<usize>) {
    let bucket = |hash: u64| partition_of(hash, BUCKET_BITS);
    let mut next = vec![0usize; 1 << BUCKET_BITS];
    hashes.iter().for_each(|hash| next[bucket(*hash)] += 1);
    let mut sum = 0;
    for count in &mut next {
        sum += std::mem::replace(count, sum);
    }
    let mut order = vec![0u32; hashes.len()];
    for (row, hash) in hashes.iter().enumerate() {
        let at = &mut next[bucket(*hash)];
        order[*at] = row as u32;
        *at += 1;
    }
    (order, next)
}

struct State {
    shared: Arc<Shared>,
    /// Rows that have not been dealt.
    loose: Vec<Piece>,
    buckets: Vec<Vec<Piece>>,
    index: usize,
    bytes: usize,
    held: Reservation,
}

impl SinkState for State {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let Morsel { sequence, chunk } = morsel;
        self.bytes += chunk.byte_size();
        self.held.cover(self.bytes)?;
        self.shared.rows.fetch_add(chunk.rows as u64, Ordering::Relaxed);
        events::add(Event::WindowRows, chunk.rows as u64);
        self.loose.push(Piece { sequence, index: self.index, chunk });
        self.index += 1;
        if self.shared.are_many() {
            self.shared.deal(std::mem::take(&mut self.loose), &mut self.buckets)?;
        }
        Ok(Flow::More)
    }

    fn combine(mut self: Box<Self>) -> Result<()> {
        if self.shared.are_many() {
            self.shared.deal(std::mem::take(&mut self.loose), &mut self.buckets)?;
        }
        lock(&self.shared.loose).extend(self.loose);
        let mut all = lock(&self.shared.buckets);
        let count = all.len().max(self.buckets.len());
        all.resize_with(count, Vec::new);
        for (all, mut own) in all.iter_mut().zip(self.buckets) {
            all.append(&mut own);
        }
        lock(&self.shared.held).push(self.held);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
