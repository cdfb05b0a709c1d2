//! The tables by partition that all workers share: a group is stored once, however many workers
//! meet it.
//!
//! A worker adds to all partitions in one call. It starts at a different partition than the others,
//! and postpones partitions that another worker has locked. So it hardly ever waits, and if so,
//! only for the work on one partition.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, TryLockError};

use entasis_base::sync::lock;
use entasis_base::{MemoryAccount, Reservation, Result};

use super::scatter::PARTITIONS;
use super::table::Groups;

/// Distance between the partitions at which workers start; odd, so that all of them are used.
const STRIDE: usize = 101;

/// The groups of one partition.
pub struct Partition {
    /// `None` until the first group is added.
    pub groups: Option<Groups>,
    /// The memory that is counted for the groups.
    pub held: Reservation,
}

impl Partition {
    fn new(account: &Arc<MemoryAccount>) -> Self {
        Self { groups: None, held: Reservation::new(account) }
    }

    /// Bytes of the groups, as last counted.
    fn bytes(&self) -> usize {
        self.held.bytes()
    }

    /// Counts the memory of the groups again.
    fn count(&mut self) -> Result<()> {
        self.held.set(self.groups.as_ref().map_or(0, Groups::byte_size))
    }
}

/// All partitions.
pub struct Partitions {
    tables: Vec<Mutex<Partition>>,
    turn: AtomicUsize,
    freed: AtomicUsize,
    grown: AtomicUsize,
    account: Arc<MemoryAccount>,
}

impl Partitions {
    /// Empty partitions, whose memory counts on `account`.
    pub fn new(account: &Arc<MemoryAccount>) -> Self {
        let tables = (0..PARTITIONS).map(|_| Mutex::new(Partition::new(account))).collect();
        let zero = AtomicUsize::default;
        let account = Arc::clone(account);
        Self { tables, turn: zero(), freed: zero(), grown: zero(), account }
    }

    /// Calls `add` for every partition of a range with its piece of `work`, in any order. Returns
    /// by how many bytes the partitions have grown.
    pub fn add<T>(
        &self,
        range: Range<usize>,
        work: Vec<T>,
        mut add: impl FnMut(&mut Option<Groups>, T) -> Result<()>,
    ) -> Result<usize> {
        let mut grown = 0;
        let mut one = |partition: &mut Partition, piece: T| -> Result<()> {
            let before = partition.bytes();
            add(&mut partition.groups, piece)?;
            partition.count()?;
            grown += partition.bytes().saturating_sub(before);
            Ok(())
        };
        let mut pieces: Vec<(&Mutex<Partition>, T)> = self.tables[range].iter().zip(work).collect();
        let first = self.turn.fetch_add(STRIDE, Ordering::Relaxed) % pieces.len().max(1);
        pieces.rotate_left(first);
        let mut later = Vec::new();
        for (table, piece) in pieces {
            match table.try_lock() {
                Ok(mut partition) => one(&mut partition, piece)?,
                Err(TryLockError::Poisoned(held)) => one(&mut held.into_inner(), piece)?,
                Err(TryLockError::WouldBlock) => later.push((table, piece)),
            }
        }
        for (table, piece) in later {
            one(&mut lock(table), piece)?;
        }
        Ok(grown)
    }

    /// Whether the tables have grown by less than the rows added to them took, summed over all
    /// tries of all workers. Adds one try to these sums.
    pub fn pays(&self, freed: usize, grown: usize) -> bool {
        let freed = self.freed.fetch_add(freed, Ordering::Relaxed) + freed;
        let grown = self.grown.fetch_add(grown, Ordering::Relaxed) + grown;
        grown < freed
    }

    /// Bytes of a partition, as last counted; 0 if another thread is working on it.
    pub fn bytes(&self, at: usize) -> usize {
        self.tables[at].try_lock().map_or(0, |partition| partition.bytes())
    }

    /// Takes a partition out and leaves an empty one.
    pub fn take(&self, at: usize) -> Partition {
        let mut partition = lock(&self.tables[at]);
        std::mem::replace(&mut *partition, Partition::new(&self.account))
    }

    /// Takes all partitions out, at the end.
    pub fn finish(&self) -> Vec<Partition> {
        (0..PARTITIONS).map(|at| self.take(at)).collect()
    }
}
