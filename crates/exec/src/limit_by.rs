//! LIMIT BY: some rows of every distinct key, in source order.
//!
//! Each worker first drops rows beyond the first `offset + limit` of each key that it sees. The
//! remaining rows are then put in source order and counted again by one thread ([`gathered`]).
//!
//! If memory runs short, a worker forgets the keys that it has seen, as all rows are counted later
//! anyway.

mod gathered;

use std::sync::Arc;

use entasis_base::events::{self, Event};
use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::{Chunk, Column, Mask};
use entasis_pipeline::{Flow, Operator, OperatorState, Output, QueryContext};
use entasis_types::DataType;

use crate::aggregate::GroupTable;
use crate::aggregate::keys::KeyLayout;
use crate::coalesce::Coalescer;
use crate::spill::{Spill, Spiller, SpillingOperator};
pub use gathered::create;

/// Which rows of each key pass.
#[derive(Clone)]
pub struct LimitBy {
    /// Positions of the key columns.
    pub keys: Vec<usize>,
    /// Types of the key columns.
    pub types: Vec<DataType>,
    /// Rows of each key that are skipped.
    pub offset: u64,
    /// Rows of each key that pass after those.
    pub limit: u64,
}

/// Counts the rows seen per key.
pub struct Counter {
    rule: LimitBy,
    layout: KeyLayout,
    table: GroupTable,
    seen: Vec<u64>,
    hashes: Vec<u64>,
    ids: Vec<u32>,
    held: Reservation,
}

impl Counter {
    pub fn new(rule: LimitBy, account: &Arc<MemoryAccount>) -> Self {
        let layout = KeyLayout::choose(&rule.types);
        let table = GroupTable::whole(&layout);
        let held = Reservation::new(account);
        let (hashes, ids) = (Vec::new(), Vec::new());
        Self { rule, layout, table, seen: Vec::new(), hashes, ids, held }
    }

    /// The number of the key of each row, in the order in which keys were seen first.
    pub fn keys(&mut self, chunk: &Chunk) -> Result<&[u32]> {
        let columns: Vec<Column> =
            self.rule.keys.iter().map(|k| chunk.columns[*k].clone()).collect();
        let keys = self.layout.encode(&columns, chunk.rows)?;
        events::add(Event::LimitByRows, chunk.rows as u64);
        self.ids.clear();
        if self.table.is_array() {
            self.hashes.clear();
        } else {
            keys.hash_all(&mut self.hashes);
        }
        self.table.find_or_add(&keys, &self.hashes, &mut self.ids)?;
        let bytes = self.table.byte_size();
        self.seen.resize(self.table.len(), 0);
        self.held.cover(bytes + self.seen.len() * 8)?;
        Ok(&self.ids)
    }

    /// Counts the chunk's rows; the mask selects those that pass.
    pub fn mask(&mut self, chunk: &Chunk) -> Result<Mask> {
        self.keys(chunk)?;
        let (offset, limit) = (self.rule.offset, self.rule.limit);
        let seen = &mut self.seen[..];
        let passes = self.ids.iter().map(|&id| {
            let count = &mut seen[id as usize];
            *count += 1;
            u8::from(*count > offset) & u8::from((*count - 1).wrapping_sub(offset) < limit)
        });
        Ok(Mask::from_bytes(&passes.collect::<Vec<u8>>()))
    }
}

/// The step that each worker does for itself.
pub struct Local {
    rule: LimitBy,
    max_block_size: usize,
    account: Arc<MemoryAccount>,
    spiller: Option<Arc<Spiller>>,
}

impl Local {
    pub fn create(rule: &LimitBy, context: &QueryContext, spill: &Arc<Spill>) -> Arc<dyn Operator> {
        let limit = rule.limit.saturating_add(rule.offset);
        let rule = LimitBy { offset: 0, limit, ..rule.clone() };
        let account = context.memory.child("LimitBy", 0);
        let spiller = Spiller::new(spill, SpillingOperator::Sort, &account, context.max_threads);
        let (max_block_size, spiller) = (context.max_block_size, spiller.map(Arc::new));
        Arc::new(Self { rule, max_block_size, account, spiller })
    }
}

impl Operator for Local {
    fn name(&self) -> String {
        "LimitBy".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        let counter = Counter::new(self.rule.clone(), &self.account);
        let coalescer = Coalescer::new(self.max_block_size, true);
        let account = Arc::clone(&self.account);
        Ok(Box::new(LocalState { counter, coalescer, account, spiller: self.spiller.clone() }))
    }
}

struct LocalState {
    counter: Counter,
    coalescer: Coalescer,
    account: Arc<MemoryAccount>,
    spiller: Option<Arc<Spiller>>,
}

impl OperatorState for LocalState {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let mask = self.counter.mask(&chunk)?;
        let bytes = self.counter.held.bytes();
        if self.spiller.as_ref().is_some_and(|spiller| spiller.excess(bytes, bytes) > 0) {
            self.counter = Counter::new(self.counter.rule.clone(), &self.account);
        }
        self.coalescer.push(chunk.filter(&mask), out)
    }

    fn flush(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.coalescer.flush(out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        self.coalescer.finish(out)
    }
}
