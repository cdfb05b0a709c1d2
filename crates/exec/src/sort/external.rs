//! Sorting for operators that only need it where their rows do not fit into memory.
//!
//! Such an operator keeps its rows in its own way until memory runs short. Then a worker hands all
//! that it has to its [`Worker`], which writes it to disk as a sorted run. Once one worker has done
//! so, the operator sorts the rows of all of them, and reads them in order.

use std::sync::{Arc, Mutex};

use entasis_base::{MemoryAccount, Result};
use entasis_column::{Chunk, Column};
use entasis_pipeline::SinkState;

use super::spilled::Ways;
use super::top::Threshold;
use super::{Keys, Shared, SortState};
use crate::spill::Spiller;
use entasis_base::sync::lock;

/// What the workers of such an operator share.
pub struct External {
    shared: Arc<Shared>,
    spiller: Arc<Spiller>,
}

/// One worker's rows.
pub struct Worker {
    state: Box<SortState>,
    spiller: Arc<Spiller>,
}

/// The rows of all workers, in order.
pub struct Sorted(Ways);

impl External {
    /// Sorts by `keys`. Only those of one worker's rows that are equal keep their order.
    pub fn new(
        keys: Keys,
        account: &Arc<MemoryAccount>,
        spiller: &Arc<Spiller>,
        max_block_size: usize,
    ) -> Self {
        let shared = Shared {
            keys,
            limit: None,
            threshold: Threshold::new(None),
            runs: Mutex::default(),
            held: Mutex::default(),
            account: Arc::clone(account),
            max_block_size,
            spiller: Some(Arc::clone(spiller)),
        };
        Self { shared: Arc::new(shared), spiller: Arc::clone(spiller) }
    }

    /// A worker without rows.
    pub fn worker(&self) -> Worker {
        let state = Box::new(SortState::new(Arc::clone(&self.shared)));
        Worker { state, spiller: Arc::clone(&self.spiller) }
    }

    /// Whether any worker has ended with rows.
    pub fn is_used(&self) -> bool {
        !lock(&self.shared.runs).is_empty()
    }

    /// All rows, once all workers have ended.
    pub fn sorted(&self) -> Result<Sorted> {
        let (inputs, held) = self.shared.take();
        Ok(Sorted(Ways::fewer(inputs, &self.shared, held)?))
    }
}

impl Worker {
    /// Adds rows, and writes what is there if memory is short.
    pub fn push(&mut self, chunk: Chunk) -> Result<()> {
        self.state.add(chunk)
    }

    /// Writes what is in memory.
    pub fn write(&mut self) -> Result<()> {
        self.state.write(&self.spiller)
    }

    /// Hands the rows over.
    pub fn end(self) -> Result<()> {
        self.state.combine()
    }
}

impl Sorted {
    /// The next rows; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Chunk>> {
        self.0.next()
    }
}

/// A column with the places of a chunk's rows in source order, by which rows can be sorted.
pub fn places(sequence: u64, index: usize, rows: usize) -> Column {
    let first = u128::from(sequence) << 64 | (index as u128) << 32;
    Column::from((0..rows as u128).map(|row| first | row).collect::<Vec<_>>())
}
