//! DISTINCT as an operator: of equal rows only the first one passes, as soon as it arrives.
//!
//! Each worker first drops rows that it has passed before. Rows that are new to the worker are
//! looked up in a set that all workers share; a single worker needs no shared set.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::{Bitmap, Chunk, Column};
use entasis_pipeline::{Flow, Operator, OperatorState, Output, QueryContext};
use entasis_types::DataType;

use super::keys::{KeyLayout, Keys};
use super::table::GroupTable;

struct Distinct {
    layout: KeyLayout,
    limit: u64,
    /// The shared set; `None` if there is only one worker.
    all: Option<Mutex<Set>>,
    passed: AtomicU64,
    account: Arc<MemoryAccount>,
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

/// The operator. `alone` says that only one worker will open it, for one stream.
pub fn create(
    types: &[DataType],
    limit: Option<u64>,
    alone: bool,
    context: &QueryContext,
) -> Arc<dyn Operator> {
    let layout = KeyLayout::choose(types);
    let account = context.memory.child("Distinct", 0);
    let all = (!alone).then(|| Mutex::new(Set::new(&layout, &account)));
    let limit = limit.unwrap_or(u64::MAX);
    Arc::new(Shared(Arc::new(Distinct { layout, limit, all, passed: AtomicU64::new(0), account })))
}

struct Shared(Arc<Distinct>);

impl Operator for Shared {
    fn name(&self) -> String {
        "Distinct".to_string()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(Worker {
            set: Set::new(&self.0.layout, &self.0.account),
            shared: Arc::clone(&self.0),
            hashes: Vec::new(),
            ids: Vec::new(),
        }))
    }
}

struct Worker {
    shared: Arc<Distinct>,
    set: Set,
    hashes: Vec<u64>,
    ids: Vec<u32>,
}

impl Worker {
    fn encode(&mut self, columns: &[Column], rows: usize) -> Result<Keys> {
        let keys = self.shared.layout.encode(columns, rows)?;
        keys.hash_all(&mut self.hashes);
        Ok(keys)
    }
}

impl OperatorState for Worker {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let shared = Arc::clone(&self.shared);
        if shared.passed.load(Ordering::Relaxed) >= shared.limit {
            return Ok(Flow::Enough);
        }
        events::add(Event::DistinctRows, chunk.rows as u64);
        let keys = self.encode(&chunk.columns, chunk.rows)?;
        let mask = self.set.firsts(&keys, &self.hashes, &mut self.ids)?;
        let mut chunk = chunk.filter(&mask);
        if let (Some(all), false) = (&shared.all, chunk.is_empty()) {
            let keys = self.encode(&chunk.columns, chunk.rows)?;
            let began = Instant::now();
            let mut all = lock(all);
            events::elapsed(Event::DistinctLockWaitMicroseconds, began);
            let mask = all.firsts(&keys, &self.hashes, &mut self.ids)?;
            drop(all);
            chunk = chunk.filter(&mask);
        }
        if chunk.is_empty() {
            return Ok(Flow::More);
        }
        events::add(Event::DistinctPassedRows, chunk.rows as u64);
        let before = shared.passed.fetch_add(chunk.rows as u64, Ordering::Relaxed);
        if before >= shared.limit {
            return Ok(Flow::Enough);
        }
        let left = shared.limit - before;
        if (chunk.rows as u64) < left {
            return out.push(chunk);
        }
        out.push(chunk.slice(0, left as usize))?;
        Ok(Flow::Enough)
    }
}
