//! Writes rows to a worker's temporary file by partition.

use std::sync::Arc;

use entasis_base::{Reservation, Result};
use entasis_column::Chunk;

use super::Partitions;
use crate::spill::{BLOCK_BYTES, SpillFile, Spilled};

const BITS: u32 = 6;
/// The number of partitions into which rows are divided at once.
pub const PARTITIONS: usize = 1 << BITS;
/// How often rows can be divided: each time takes further bits of the hash.
pub const MOST_DEPTH: u32 = u64::BITS / BITS;

/// Rows are collected up to this many bytes, or less if there is little memory.
const MOST_PENDING: usize = 8 << 20;
const LEAST_PENDING: usize = if cfg!(test) { 2 << 10 } else { 256 << 10 };

/// The partition of a hash when rows are divided for the `depth`-th time. It does not depend on the
/// bits by which the table in memory is partitioned and filled.
#[inline]
pub fn partition_of(hash: u64, depth: u32) -> u8 {
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed << (BITS * depth) >> (u64::BITS - BITS)) as u8
}

/// One worker's rows on their way to disk.
pub struct Scatter {
    partitions: Arc<Partitions>,
    file: Option<SpillFile>,
    pending: Vec<Chunk>,
    /// The partitions of the pending rows.
    places: Vec<u8>,
    bytes: usize,
    most_bytes: usize,
    parts: Vec<Option<Spilled>>,
    held: Reservation,
}

impl Scatter {
    pub fn new(partitions: &Arc<Partitions>) -> Self {
        let most_bytes = (partitions.spiller.share() / 4).clamp(LEAST_PENDING, MOST_PENDING);
        Self {
            file: None,
            pending: Vec::new(),
            places: Vec::new(),
            bytes: 0,
            most_bytes,
            parts: Vec::new(),
            held: Reservation::new(&partitions.account),
            partitions: Arc::clone(partitions),
        }
    }

    /// Adds rows, which belong to these partitions.
    pub fn add(&mut self, chunk: Chunk, places: impl IntoIterator<Item = u8>) -> Result<()> {
        if chunk.is_empty() {
            return Ok(());
        }
        self.bytes += chunk.byte_size() + chunk.rows;
        self.places.extend(places);
        self.pending.push(chunk);
        // The rows are in memory twice while they are written, and a partition's three times.
        self.held.cover(2 * self.bytes + 2 * BLOCK_BYTES)?;
        if self.bytes >= self.most_bytes { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<()> {
        let chunk = Chunk::concat(&std::mem::take(&mut self.pending));
        let mut ends = vec![0usize; PARTITIONS];
        self.places.iter().for_each(|place| ends[usize::from(*place)] += 1);
        let mut start = 0;
        for end in &mut ends {
            (start, *end) = (start + *end, start);
        }
        let mut order = vec![0u32; chunk.rows];
        for (row, place) in self.places.iter().enumerate() {
            let at = &mut ends[usize::from(*place)];
            order[*at] = row as u32;
            *at += 1;
        }
        let mut file = match self.file.take() {
            Some(file) => file,
            None => self.partitions.spiller.file()?,
        };
        self.parts.resize_with(PARTITIONS, || None);
        let step = (BLOCK_BYTES * chunk.rows / self.bytes.max(1)).max(1);
        let mut start = 0;
        for (part, end) in self.parts.iter_mut().zip(ends) {
            for rows in order[start..end].chunks(step) {
                let spilled = part.get_or_insert_with(|| file.begin());
                file.write(&chunk.take(rows), spilled)?;
            }
            start = end;
        }
        self.file = Some(file);
        self.places.clear();
        self.bytes = 0;
        self.held.set(0)
    }

    /// Writes what is pending, and returns what was written since the last call, by partition.
    pub fn finish(&mut self) -> Result<Vec<Option<Spilled>>> {
        if !self.pending.is_empty() {
            self.write()?;
        }
        let parts = std::mem::take(&mut self.parts);
        match &mut self.file {
            Some(file) if !parts.is_empty() => file.end_part()?,
            _ => {}
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entasis_column::hash::FixedKey;
    use entasis_column::hash::join::join_partition;

    #[test]
    fn partitions_are_independent_of_each_other_and_of_those_in_memory() {
        let hashes: Vec<u64> = (0..200_000u64).map(FixedKey::hash).collect();
        let of = |depth: u32| {
            hashes.iter().filter(move |hash| (0..depth).all(|d| partition_of(**hash, d) == 5))
        };
        for depth in 0..2 {
            let (mut counts, mut inner) = ([0usize; PARTITIONS], [0usize; 16]);
            let all = of(depth).count();
            for hash in of(depth) {
                counts[usize::from(partition_of(*hash, depth))] += 1;
                inner[join_partition(*hash, 4)] += 1;
            }
            let expected = all / PARTITIONS;
            assert!(counts.iter().all(|n| n.abs_diff(expected) < expected / 2), "{counts:?}");
            assert!(inner.iter().all(|n| n.abs_diff(all / 16) < all / 60), "{inner:?}");
        }
    }
}
