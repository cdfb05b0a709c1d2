//! Window functions: rows are gathered, divided into buckets, sorted, and processed partition by
//! partition.
//!
//! Roles: the sink in this file keeps the rows and, once there are many, distributes them to
//! buckets by a hash of PARTITION BY. [`read`] is the source: a bucket is a morsel, which one
//! worker sorts and processes. [`bounds`] finds partitions, rows equal in ORDER BY, and frames
//! within sorted rows. The functions themselves (`function::window`) get the columns and bounds of
//! a whole bucket at once.
//!
//! Rows are put into source order before they are sorted, and the sort is stable. So the result
//! does not depend on the number of workers, even where ORDER BY leaves rows equal.
//!
//! If memory runs short, the workers sort their rows on disk instead, by PARTITION BY and ORDER BY
//! ([`crate::sort::external`]), and one reader takes whole partitions from there ([`sorted`]). So
//! one partition must fit into memory, which without PARTITION BY are all rows. If all functions
//! can be computed for a part of a partition, as `row_number` or a running sum can, it takes such
//! parts ([`parts`]).

pub mod bounds;
mod parts;
mod read;
mod sorted;

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
use crate::sort::external::{External, Sorted, Worker, places};
use crate::spill::{Spill, Spiller, SpillingOperator};
use parts::{PartPlan, Parts};
use read::{Buckets, Windows};
use sorted::Partitions;

/// From this number of rows on, they are distributed to buckets.
const MANY: u64 = 1 << 16;
/// This many top bits of the hash select the bucket: few, so that the pieces of a chunk stay long,
/// but enough that all workers end at about the same time.
const BUCKET_BITS: u32 = 5;

const ASCENDING: SortOrder = SortOrder { descending: false, nulls_first: false };

/// A call of a window function.
pub struct Call {
    /// The bound function.
    pub function: OverWindow,
    /// Positions of the arguments.
    pub args: Vec<usize>,
    /// How many of the ORDER BY keys, from the first, belong to this call's window.
    pub order: usize,
    /// The frame of the call's window.
    pub frame: Frame,
}

/// The window functions that share one sort.
pub struct Spec {
    /// Positions of the PARTITION BY columns, with their types.
    pub partition: Vec<(usize, DataType)>,
    /// Positions of the ORDER BY columns, with their orders.
    pub order: Vec<(usize, SortOrder)>,
    /// The calls of functions.
    pub calls: Vec<Call>,
}

impl Spec {
    /// The keys by which rows are sorted.
    fn keys(&self) -> Vec<(usize, SortOrder)> {
        let partition = self.partition.iter().map(|(at, _)| (*at, ASCENDING));
        partition.chain(self.order.iter().copied()).collect()
    }
}

/// A chunk of rows with its position in source order.
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
    /// Rows of workers that ended before there were many rows.
    loose: Mutex<Vec<Piece>>,
    buckets: Mutex<Vec<Vec<Piece>>>,
    held: Mutex<Vec<Reservation>>,
    account: Arc<MemoryAccount>,
    /// Sorts rows on disk; `None` if the operator never spills.
    external: Option<External>,
    spiller: Option<Arc<Spiller>>,
}

/// The gathered rows.
enum Filled {
    /// All are in memory.
    Buckets(Buckets),
    /// Some are on disk; the only reader takes this.
    Sorted(Mutex<Option<Ordered>>),
}

/// Rows that were sorted on disk, with the results of the functions.
enum Ordered {
    Partitions(Partitions),
    Parts(Box<Parts>),
}

/// A part is in memory several times while it is computed, beside the blocks that are merged.
const PARTS_OF_SHARE: usize = 8;

impl Ordered {
    /// A part of the rows takes about so many bytes at most, beside its results.
    fn new(
        sorted: Sorted,
        spec: &Arc<Spec>,
        account: &Arc<MemoryAccount>,
        most_bytes: usize,
    ) -> Self {
        match PartPlan::of(spec) {
            Some(plan) => {
                Self::Parts(Box::new(Parts::new(sorted, spec, plan, (account, most_bytes))))
            }
            None => Self::Partitions(Partitions::new(sorted, spec, account)),
        }
    }

    /// The next rows; `None` at the end. `held` counts them.
    fn next(&mut self, held: &mut Reservation) -> Result<Option<Chunk>> {
        match self {
            Self::Partitions(partitions) => partitions.next(held),
            Self::Parts(parts) => parts.next(held),
        }
    }
}

/// A sink that gathers rows, and the source of these rows with the results of the functions
/// appended as columns. The rows have `width` columns.
pub fn create(
    spec: Spec,
    width: usize,
    context: &QueryContext,
    spill: &Arc<Spill>,
) -> (Arc<dyn Sink>, Arc<dyn Source>) {
    let types: Vec<DataType> = spec.partition.iter().map(|(_, ty)| ty.clone()).collect();
    let account = context.memory.child("Windows", 0);
    let spec = Arc::new(spec);
    let filled = Arc::new(OnceLock::new());
    let source = Windows::new(&spec, &filled, &account, context.max_block_size.max(1));
    let spiller = Spiller::new(spill, SpillingOperator::Sort, &account, context.max_threads);
    let spiller = spiller.map(Arc::new);
    let external = spiller.as_ref().map(|spiller| {
        let mut keys = spec.keys();
        keys.push((width, ASCENDING));
        External::new(keys, &account, spiller, context.max_block_size.max(1))
    });
    let shared = Shared {
        external,
        spiller,
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
    filled: Arc<OnceLock<Filled>>,
}

impl Sink for Gathering {
    fn name(&self) -> String {
        "GatherWindows".into()
    }

    fn report(&self) -> Report {
        Spiller::report_with(&self.shared.account, self.shared.spiller.as_ref())
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        let held = Reservation::new(&self.shared.account);
        let shared = Arc::clone(&self.shared);
        let (loose, buckets) = (Vec::new(), Vec::new());
        let (index, bytes, sorting) = (0, 0, None);
        Ok(Box::new(State { shared, loose, buckets, index, bytes, held, sorting }))
    }

    fn finalize(&self, _: &QueryContext) -> Result<()> {
        let shared = &self.shared;
        let mut buckets = std::mem::take(&mut *lock(&shared.buckets));
        let loose = std::mem::take(&mut *lock(&shared.loose));
        let held = std::mem::take(&mut *lock(&shared.held));
        shared.spiller.iter().for_each(|spiller| spiller.close());
        if let Some(external) = shared.external.as_ref().filter(|external| external.is_used()) {
            drop(held);
            let mut worker = external.worker();
            for piece in loose.into_iter().chain(buckets.into_iter().flatten()) {
                worker.push(piece.placed())?;
            }
            worker.end()?;
            let share = shared.spiller.as_ref().map_or(usize::MAX, |spiller| spiller.share());
            let most = share / PARTS_OF_SHARE;
            let ordered = Ordered::new(external.sorted()?, &shared.spec, &shared.account, most);
            let _ = self.filled.set(Filled::Sorted(Mutex::new(Some(ordered))));
            return Ok(());
        }
        if buckets.is_empty() {
            buckets.push(loose);
        } else {
            shared.deal(loose, &mut buckets)?;
        }
        let _ = self.filled.set(Filled::Buckets(Buckets::new(buckets, held)));
        Ok(())
    }
}

impl Piece {
    /// The rows with their place as the last column.
    fn placed(self) -> Chunk {
        let Self { sequence, index, mut chunk } = self;
        chunk.columns.push(places(sequence, index, chunk.rows));
        chunk
    }
}

impl Shared {
    /// Whether there are enough rows so far to distribute them.
    fn are_many(&self) -> bool {
        !self.spec.partition.is_empty() && self.rows.load(Ordering::Relaxed) >= MANY
    }

    /// Distributes rows to the buckets of their partitions.
    fn deal(&self, pieces: Vec<Piece>, buckets: &mut Vec<Vec<Piece>>) -> Result<()> {
        buckets.resize_with(1 << BUCKET_BITS, Vec::new);
        let mut hashes = Vec::new();
        for Piece { sequence, index, chunk } in pieces {
            let keys = self.spec.partition.iter().map(|(at, _)| chunk.columns[*at].clone());
            let keys = self.layout.encode(&keys.collect::<Vec<_>>(), chunk.rows)?;
            match &keys {
                Keys::U16(keys) => spread_direct(keys, &mut hashes),
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

/// The row numbers in the order of their buckets, and where each bucket's rows end.
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
    /// Rows that are not distributed yet.
    loose: Vec<Piece>,
    buckets: Vec<Vec<Piece>>,
    index: usize,
    bytes: usize,
    held: Reservation,
    /// Takes all rows once memory ran short.
    sorting: Option<Worker>,
}

impl State {
    /// Sorts everything that this worker has on disk, if it takes too much memory.
    fn relieve(&mut self) -> Result<()> {
        let (Some(spiller), Some(external)) = (&self.shared.spiller, &self.shared.external) else {
            return Ok(());
        };
        // A reader holds the rows of its bucket three times: as they came, concatenated, sorted.
        // Without PARTITION BY, this is all rows.
        let again = match self.shared.spec.partition.is_empty() {
            true => 2 * self.shared.account.used() as usize,
            false => self.bytes,
        };
        if spiller.excess(self.bytes, again) == 0 {
            return Ok(());
        }
        let mut worker = external.worker();
        let buckets = std::mem::take(&mut self.buckets).into_iter().flatten();
        for piece in std::mem::take(&mut self.loose).into_iter().chain(buckets) {
            self.bytes = self.bytes.saturating_sub(piece.chunk.byte_size());
            self.held.set(self.bytes)?;
            worker.push(piece.placed())?;
        }
        worker.write()?;
        (self.sorting, self.bytes) = (Some(worker), 0);
        self.held.set(0)
    }
}

impl SinkState for State {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let Morsel { sequence, chunk } = morsel;
        if let Some(sorting) = &mut self.sorting {
            events::add(Event::WindowRows, chunk.rows as u64);
            sorting.push(Piece { sequence, index: self.index, chunk }.placed())?;
            self.index += 1;
            return Ok(Flow::More);
        }
        self.bytes += chunk.byte_size();
        self.held.cover(self.bytes)?;
        self.shared.rows.fetch_add(chunk.rows as u64, Ordering::Relaxed);
        events::add(Event::WindowRows, chunk.rows as u64);
        self.loose.push(Piece { sequence, index: self.index, chunk });
        self.index += 1;
        if self.shared.are_many() {
            self.shared.deal(std::mem::take(&mut self.loose), &mut self.buckets)?;
        }
        self.relieve()?;
        Ok(Flow::More)
    }

    fn combine(mut self: Box<Self>) -> Result<()> {
        if let Some(sorting) = self.sorting {
            return sorting.end();
        }
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
