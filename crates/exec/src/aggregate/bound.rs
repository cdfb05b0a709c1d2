//! The modes `break` and `any` of `group_by_overflow_mode`: which rows are aggregated once there
//! are more groups than `max_rows_to_group_by`.
//!
//! An operator before the aggregation counts the groups in a set of keys that all workers share.
//! The chunk with which there are more than the bound is still taken as a whole, as in the
//! reference. After it, `break` ends the input, and `any` lets only rows of known groups pass.
//! Queries without these settings have no such operator.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use entasis_base::Result;
use entasis_base::sync::lock;
use entasis_column::hash::NONE;
use entasis_column::{Bitmap, Chunk, Column};
use entasis_pipeline::{Flow, Operator, OperatorState, Output, QueryContext};
use entasis_plan::{Most, Overflow};
use entasis_types::DataType;

use super::distinct::Set;
use super::keys::KeyLayout;

struct GroupBound {
    layout: KeyLayout,
    /// Positions of the keys.
    keys: Vec<usize>,
    most: Most,
    known: Mutex<Set>,
    is_full: AtomicBool,
}

/// The operator for keys at these positions.
pub fn create(
    keys: Vec<(usize, DataType)>,
    most: Most,
    context: &QueryContext,
) -> Arc<dyn Operator> {
    let (keys, types): (Vec<usize>, Vec<DataType>) = keys.into_iter().unzip();
    let layout = KeyLayout::choose(&types);
    let account = context.memory.child("GroupBound", 0);
    let known = Mutex::new(Set::new(&layout, &account));
    let is_full = AtomicBool::new(false);
    Arc::new(Shared(Arc::new(GroupBound { layout, keys, most, known, is_full })))
}

struct Shared(Arc<GroupBound>);

impl Operator for Shared {
    fn name(&self) -> String {
        "GroupBound".to_string()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        let shared = Arc::clone(&self.0);
        Ok(Box::new(Worker { shared, hashes: Vec::new(), ids: Vec::new() }))
    }
}

struct Worker {
    shared: Arc<GroupBound>,
    hashes: Vec<u64>,
    ids: Vec<u32>,
}

impl OperatorState for Worker {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        let shared = Arc::clone(&self.shared);
        let ends = shared.most.overflow == Overflow::Break;
        if ends && shared.is_full.load(Ordering::Relaxed) {
            return Ok(Flow::Enough);
        }
        let columns: Vec<Column> = shared.keys.iter().map(|k| chunk.columns[*k].clone()).collect();
        let keys = shared.layout.encode(&columns, chunk.rows)?;
        keys.hash_all(&mut self.hashes);
        let mut known = lock(&shared.known);
        if !shared.is_full.load(Ordering::Relaxed) {
            known.firsts(&keys, &self.hashes, &mut self.ids)?;
            if known.table.len() as u64 > shared.most.rows {
                shared.is_full.store(true, Ordering::Relaxed);
            }
            drop(known);
            return out.push(chunk);
        }
        if ends {
            return Ok(Flow::Enough);
        }
        self.ids.clear();
        known.table.find(&keys, &self.hashes, &mut self.ids)?;
        drop(known);
        let mask = Bitmap::from_values(&self.ids, |id| id != NONE);
        match chunk.filter(&mask) {
            chunk if chunk.is_empty() => Ok(Flow::More),
            chunk => out.push(chunk),
        }
    }
}
