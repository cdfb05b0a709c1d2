//! DISTINCT as an operator: of equal rows only the first one passes, as soon as it arrives.
//!
//! Each worker first drops rows that it has passed before. Rows that are new to the worker are
//! looked up in a set that all workers share; a single worker needs no shared set.
//!
//! If memory runs short, the set is written to disk ([`spilled`]). From then on no row passes
//! before all have arrived: each worker collects different keys, and writes them whenever memory
//! runs short again. A second stream ([`spilled::Rest`]) then finds out which of them are new.

mod spilled;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::{Bitmap, Chunk};
use entasis_pipeline::{Flow, Operator, OperatorState, Output, QueryContext, Report, Source};
use entasis_types::DataType;

use super::keys::{KeyLayout, Keys};
use super::table::GroupTable;
use crate::spill::{Spill, SpillFile, Spiller, SpillingOperator};
use spilled::{OnDisk, Rest};

struct Distinct {
    layout: KeyLayout,
    limit: u64,
    /// The shared set; `None` if there is only one worker.
    all: Option<Mutex<Set>>,
    /// Whether the set of the rows that have passed is on disk. Changes only while `all` is locked.
    spilled: AtomicBool,
    on_disk: OnDisk,
    passed: AtomicU64,
    account: Arc<MemoryAccount>,
    /// `None` if the operator never spills.
    spiller: Option<Arc<Spiller>>,
}

impl Distinct {
    /// Whether as many rows have passed as are wanted.
    fn is_done(&self) -> bool {
        self.passed.load(Ordering::Relaxed) >= self.limit
    }

    /// Counts the rows of a chunk, and answers those that are still wanted; `None` if no row was.
    fn within_limit(&self, chunk: Chunk) -> Option<Chunk> {
        events::add(Event::DistinctPassedRows, chunk.rows as u64);
        let before = self.passed.fetch_add(chunk.rows as u64, Ordering::Relaxed);
        let left = self.limit.checked_sub(before).filter(|left| *left > 0)?;
        if chunk.rows as u64 <= left { Some(chunk) } else { Some(chunk.slice(0, left as usize)) }
    }
}

/// A set of keys, whose memory is accounted for.
pub(super) struct Set {
    pub(super) table: GroupTable,
    reservation: Reservation,
}

impl Set {
    pub(super) fn new(layout: &KeyLayout, account: &Arc<MemoryAccount>) -> Self {
        let reservation = Reservation::new(account);
        Self { table: GroupTable::new(layout, 0), reservation }
    }

    /// Takes all keys out.
    fn take(&mut self, layout: &KeyLayout) -> Self {
        let reservation = self.reservation.empty();
        std::mem::replace(self, Self { table: GroupTable::new(layout, 0), reservation })
    }

    /// Which rows are not in the set yet; adds them.
    pub(super) fn firsts(
        &mut self,
        keys: &Keys,
        hashes: &[u64],
        ids: &mut Vec<u32>,
    ) -> Result<Bitmap> {
        let mut known = self.table.len() as u32;
        ids.clear();
        self.table.find_or_add(keys, hashes, ids)?;
        self.reservation.cover(self.table.byte_size())?;
        // Ids are assigned in order of appearance, so a new row gets the next id.
        Ok(Bitmap::from_fn(ids.len(), |i| {
            let first = ids[i] == known;
            known += u32::from(first);
            first
        }))
    }
}

/// The operator, and the source of the rows that pass only after all have arrived, if there may be
/// any. `alone` says that only one worker will open it, for one stream.
pub fn create(
    types: &[DataType],
    limit: Option<u64>,
    alone: bool,
    context: &QueryContext,
    spill: &Arc<Spill>,
) -> (Arc<dyn Operator>, Option<Arc<dyn Source>>) {
    let layout = KeyLayout::choose(types);
    let account = context.memory.child("Distinct", 0);
    let of = |spill| Spiller::new(spill, SpillingOperator::Distinct, &account, context.max_threads);
    // A set of all possible keys does not grow.
    let may_spill = !matches!(layout, KeyLayout::U16(_));
    let spiller = Some(spill).filter(|_| may_spill).and_then(of).map(Arc::new);
    let distinct = Arc::new(Distinct {
        all: (!alone).then(|| Mutex::new(Set::new(&layout, &account))),
        limit: limit.unwrap_or(u64::MAX),
        spilled: AtomicBool::new(false),
        on_disk: OnDisk::default(),
        passed: AtomicU64::new(0),
        layout,
        account,
        spiller,
    });
    let rest = distinct.spiller.as_ref().map(|_| {
        let rest: Arc<dyn Source> = Arc::new(Rest::new(Arc::clone(&distinct)));
        rest
    });
    (Arc::new(Shared(distinct)), rest)
}

struct Shared(Arc<Distinct>);

impl Operator for Shared {
    fn name(&self) -> String {
        "Distinct".to_string()
    }

    fn report(&self) -> Report {
        Spiller::report_with(&self.0.account, self.0.spiller.as_ref())
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(Worker {
            set: Set::new(&self.0.layout, &self.0.account),
            shared: Arc::clone(&self.0),
            is_aside: false,
            file: None,
            hashes: Vec::new(),
            ids: Vec::new(),
        }))
    }
}

struct Worker {
    shared: Arc<Distinct>,
    /// The rows that this worker has passed, or the keys that it has set aside.
    set: Set,
    /// Whether this worker sets keys aside, because the rows that have passed are on disk.
    is_aside: bool,
    file: Option<SpillFile>,
    hashes: Vec<u64>,
    ids: Vec<u32>,
}

impl Worker {
    /// The rows that this worker's set does not have yet; adds them.
    fn new_to_worker(&mut self, chunk: &Chunk) -> Result<Chunk> {
        let keys = self.shared.layout.encode(&chunk.columns, chunk.rows)?;
        keys.hash_all(&mut self.hashes);
        let mask = self.set.firsts(&keys, &self.hashes, &mut self.ids)?;
        Ok(chunk.filter(&mask))
    }

    /// From here on keys are set aside. What this worker has passed is on disk.
    fn turn_aside(&mut self) {
        self.set.take(&self.shared.layout);
        self.is_aside = true;
    }

    /// The rows that no worker has passed yet; adds them. `None` if the set is on disk.
    fn new_to_all(&mut self, chunk: Chunk) -> Result<Option<Chunk>> {
        let shared = Arc::clone(&self.shared);
        let Some(all) = shared.all.as_ref().filter(|_| !chunk.is_empty()) else {
            return Ok(Some(chunk));
        };
        let keys = shared.layout.encode(&chunk.columns, chunk.rows)?;
        keys.hash_all(&mut self.hashes);
        let began = Instant::now();
        let mut all = lock(all);
        events::elapsed(Event::DistinctLockWaitMicroseconds, began);
        if shared.spilled.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mask = all.firsts(&keys, &self.hashes, &mut self.ids)?;
        drop(all);
        Ok(Some(chunk.filter(&mask)))
    }

    /// Writes keys to disk if they take too much memory.
    fn relieve(&mut self) -> Result<()> {
        let Some(spiller) = self.shared.spiller.clone() else { return Ok(()) };
        let used = self.shared.account.used() as usize;
        let own = if self.is_aside { self.set.table.byte_size() } else { used };
        // A table that grows holds its keys twice for a while.
        if self.set.table.len() == 0 || spiller.excess(own, used) == 0 {
            return Ok(());
        }
        self.write()
    }

    /// Writes what was set aside; at first, the set of all rows that have passed.
    fn write(&mut self) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let (set, passed) = match (self.is_aside, &shared.all) {
            (true, _) => (self.set.take(&shared.layout), false),
            (false, None) => {
                shared.spilled.store(true, Ordering::Relaxed);
                (self.set.take(&shared.layout), true)
            }
            (false, Some(all)) => {
                let mut all = lock(all);
                shared.spilled.store(true, Ordering::Relaxed);
                (all.take(&shared.layout), true)
            }
        };
        if passed {
            self.turn_aside();
        }
        if set.table.len() == 0 {
            return Ok(());
        }
        let file = match (self.file.take(), &shared.spiller) {
            (Some(file), _) => file,
            (None, Some(spiller)) => spiller.file()?,
            (None, None) => return Ok(()),
        };
        shared.on_disk.write(self.file.insert(file), &set.table, passed)
    }
}

impl OperatorState for Worker {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let shared = Arc::clone(&self.shared);
        if shared.is_done() {
            return Ok(Flow::Enough);
        }
        events::add(Event::DistinctRows, chunk.rows as u64);
        if !self.is_aside && shared.spilled.load(Ordering::Relaxed) {
            self.turn_aside();
        }
        let chunk = self.new_to_worker(&chunk)?;
        let new = if self.is_aside { None } else { self.new_to_all(chunk.clone())? };
        let Some(chunk) = new else {
            if !self.is_aside {
                self.turn_aside();
                self.new_to_worker(&chunk)?;
            }
            self.relieve()?;
            return Ok(Flow::More);
        };
        self.relieve()?;
        if chunk.is_empty() {
            return Ok(Flow::More);
        }
        let Some(chunk) = shared.within_limit(chunk) else { return Ok(Flow::Enough) };
        let flow = out.push(chunk)?;
        Ok(if shared.is_done() { Flow::Enough } else { flow })
    }

    fn finish(&mut self, _: &mut dyn Output) -> Result<Flow> {
        if self.is_aside && !self.shared.is_done() {
            self.write()?;
        }
        Ok(Flow::More)
    }
}
