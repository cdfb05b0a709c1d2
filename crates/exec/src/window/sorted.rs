//! Whole partitions from rows that were sorted on disk.
//!
//! Rows are read until a partition ends and there are enough of them. So as many rows are in
//! memory as the largest partition has, and a few blocks more.

use std::sync::Arc;

use entasis_base::{MemoryAccount, Reservation, Result};
use entasis_column::Chunk;

use super::Spec;
use super::bounds::runs;
use super::read::{check_rows, with_results};
use crate::sort::external::Sorted;

/// The rows that are at least computed at once, except for the last ones.
const ENOUGH: usize = 1 << 15;

/// Reads partitions one after the other.
pub struct Partitions {
    sorted: Sorted,
    spec: Arc<Spec>,
    columns: Vec<usize>,
    /// Rows that were read and not returned yet; the last of them are of a partition that may go
    /// on.
    pending: Vec<Chunk>,
    rows: usize,
    bytes: usize,
    held: Reservation,
}

impl Partitions {
    /// The rows must be sorted by the spec's keys. Their last column is their place, which is
    /// dropped.
    pub fn new(sorted: Sorted, spec: &Arc<Spec>, account: &Arc<MemoryAccount>) -> Self {
        let columns = spec.partition.iter().map(|(at, _)| *at).collect();
        let (spec, held) = (Arc::clone(spec), Reservation::new(account));
        Self { sorted, spec, columns, pending: Vec::new(), rows: 0, bytes: 0, held }
    }

    /// The rows of the next partitions with the results of all calls; `None` at the end. `held`
    /// counts them.
    pub fn next(&mut self, held: &mut Reservation) -> Result<Option<Chunk>> {
        while let Some(mut chunk) = self.sorted.next()? {
            chunk.columns.pop();
            let end = if self.rows + chunk.rows < ENOUGH { None } else { self.last_start(&chunk) };
            let Some(end) = end else {
                self.keep(chunk)?;
                check_rows(self.rows)?;
                continue;
            };
            let rest = chunk.slice(end, chunk.rows - end);
            self.keep(chunk.slice(0, end))?;
            let ready = self.ready(held)?;
            self.keep(rest)?;
            return Ok(Some(ready));
        }
        if self.rows == 0 { Ok(None) } else { self.ready(held).map(Some) }
    }

    /// Where the last partition begins in a chunk that follows the pending rows; `None` if that is
    /// before the chunk, or if there is nothing before it.
    fn last_start(&self, chunk: &Chunk) -> Option<usize> {
        let before = match self.pending.last() {
            Some(last) => last.slice(last.rows - 1, 1),
            None => chunk.slice(0, 1),
        };
        let both = Chunk::concat(&[before, chunk.clone()]);
        let bounds = runs(&both, &self.columns, &[0]);
        let last = bounds.len().checked_sub(2).map_or(0, |at| bounds[at] as usize);
        let end = last.checked_sub(1)?;
        (self.rows + end > 0).then_some(end)
    }

    fn keep(&mut self, chunk: Chunk) -> Result<()> {
        if !chunk.is_empty() {
            (self.rows, self.bytes) = (self.rows + chunk.rows, self.bytes + chunk.byte_size());
            self.held.cover(self.bytes)?;
            self.pending.push(chunk);
        }
        Ok(())
    }

    /// The pending rows with the results of all calls.
    fn ready(&mut self, held: &mut Reservation) -> Result<Chunk> {
        // While they are concatenated, the rows are in memory twice.
        held.cover(self.bytes)?;
        let chunk = Chunk::concat(&std::mem::take(&mut self.pending));
        (self.rows, self.bytes) = (0, 0);
        self.held.set(0)?;
        with_results(chunk, &self.spec, held)
    }
}
