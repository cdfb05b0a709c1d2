//! The rows that a worker of an INSERT has collected, by partition.

use std::collections::HashMap;

use entasis_column::Chunk;

use super::chunk_bytes;
use crate::partition::Partition;

/// A buffer is written before one of its string columns could exceed 4 GiB.
const HARD_LIMIT: usize = 2 << 30;

/// Rows of one partition.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub(crate) partition: Partition,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

/// One buffer for each partition. There may be thousands of them.
#[derive(Default)]
pub(super) struct Buffers {
    list: Vec<Buffer>,
    /// The place of each partition in the list, by its id.
    places: HashMap<String, usize>,
    bytes: usize,
}

impl Buffers {
    /// The bytes of all rows.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The number of partitions.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Adds rows of a partition.
    pub(super) fn add(&mut self, partition: Partition, chunk: Chunk) {
        let (rows, bytes) = (chunk.rows, chunk_bytes(&chunk));
        self.bytes += bytes;
        if let Some(&place) = self.places.get(&partition.id) {
            let buffer = &mut self.list[place];
            buffer.chunks.push(chunk);
            buffer.rows += rows;
            buffer.bytes += bytes;
            return;
        }
        self.places.insert(partition.id.clone(), self.list.len());
        self.list.push(Buffer { partition, chunks: vec![chunk], rows, bytes });
    }

    /// Removes a buffer that is to be written because it is full, or because all together are.
    pub(super) fn take_full(&mut self, most_rows: usize, most_bytes: usize) -> Option<Buffer> {
        let is_full = |b: &Buffer| b.rows >= most_rows || b.bytes >= most_bytes.min(HARD_LIMIT);
        let full = self.list.iter().position(is_full);
        let next = full.or_else(|| {
            // The partitions share the memory limit: the largest buffer is written first.
            let largest = (0..self.list.len()).max_by_key(|&i| self.list[i].bytes);
            largest.filter(|_| self.bytes >= most_bytes)
        })?;
        let buffer = self.list.swap_remove(next);
        self.places.remove(&buffer.partition.id);
        if let Some(moved) = self.list.get(next) {
            self.places.insert(moved.partition.id.clone(), next);
        }
        self.bytes -= buffer.bytes;
        Some(buffer)
    }

    /// Removes all buffers.
    pub(super) fn take_all(&mut self) -> Vec<Buffer> {
        self.places.clear();
        self.bytes = 0;
        std::mem::take(&mut self.list)
    }
}
