//! Partitions on disk: groups as keys and serialised states, and rows set aside with their keys and
//! arguments.
//!
//! A worker writes a partition in the order in which the rows came: first the groups, then the rows
//! set aside since. So with one worker, aggregates that depend on the order get the right order.
//! What is still in memory at the end is younger than everything on disk.
//!
//! A partition that is too large for memory is read several times. Each pass takes the keys that
//! have certain further bits in their hash, so nothing has to be written again.

use std::sync::{Arc, Mutex};

use entasis_base::events::{self, Event};
use entasis_base::{Reservation, Result};
use entasis_column::{Chunk, Column, StringsBuilder};

use super::Spec;
use super::keys::{KeyLayout, Keys};
use super::local::split_groups;
use super::scatter::{PARTITION_BITS, Part};
use super::table::Groups;
use crate::spill::{BLOCK_BYTES, SpillFile, Spilled, Spiller};
use entasis_base::sync::lock;

/// The most groups in a block.
const MOST_ROWS: usize = 1 << 16;
/// A partition of at most this many bytes is read only once.
const LEAST_SHARE: usize = 256 << 10;
/// A partition is read at most two to the power of this many times.
const MOST_PASS_BITS: u32 = 6;

/// Groups or rows of a partition that are on disk.
pub enum SpilledPartition {
    /// Groups: keys and serialised states.
    Groups(Spilled),
    /// Rows: keys and arguments.
    Rows(Spilled),
}

impl SpilledPartition {
    /// Number of groups or rows.
    pub fn rows(&self) -> usize {
        self.spilled().rows()
    }

    fn spilled(&self) -> &Spilled {
        match self {
            Self::Groups(spilled) | Self::Rows(spilled) => spilled,
        }
    }
}

/// Everything that the workers of an aggregation have on disk, with the number of the partition.
#[derive(Default)]
pub struct OnDisk(Mutex<Vec<(usize, SpilledPartition)>>);

impl OnDisk {
    /// Takes everything out.
    pub fn take(&self) -> Vec<(usize, SpilledPartition)> {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// Writes one worker's groups and rows to its temporary file.
pub struct Writer {
    spiller: Arc<Spiller>,
    file: Option<SpillFile>,
}

impl Writer {
    /// The file is created by the first write.
    pub fn new(spiller: &Arc<Spiller>) -> Self {
        Self { spiller: Arc::clone(spiller), file: None }
    }

    fn file(&mut self) -> Result<&mut SpillFile> {
        let file = match self.file.take() {
            Some(file) => file,
            None => self.spiller.file()?,
        };
        Ok(self.file.insert(file))
    }

    /// Writes the given groups and rows of partition `at`, and adds them to `to`.
    pub fn write(
        &mut self,
        to: &OnDisk,
        at: usize,
        groups: Option<Groups>,
        part: Option<Part>,
    ) -> Result<()> {
        let file = self.file()?;
        if let Some(groups) = groups {
            let spilled = write_groups(file, groups)?;
            lock(&to.0).push((at, SpilledPartition::Groups(spilled)));
        }
        if let Some(part) = part.filter(|part| part.rows > 0) {
            let mut spilled = file.begin();
            for segment in part.segments {
                let keys = segment.keys.to_column();
                let rows = keys.len();
                let columns = [vec![keys], segment.args].concat();
                file.write(&Chunk::new(columns, rows), &mut spilled)?;
            }
            lock(&to.0).push((at, SpilledPartition::Rows(spilled)));
        }
        events::one(Event::ExternalAggregationPartitions);
        Ok(())
    }

    /// Writes a table, split by partition.
    pub fn write_table(&mut self, spec: &Spec, to: &OnDisk, groups: Groups) -> Result<()> {
        split_groups(spec, groups, |at, part| self.write(to, at, Some(part), None))?;
        self.end_part()
    }

    /// Ends a part, so that what was written becomes readable.
    pub fn end_part(&mut self) -> Result<()> {
        self.file.as_mut().map_or(Ok(()), SpillFile::end_part)
    }
}

fn write_groups(file: &mut SpillFile, mut groups: Groups) -> Result<Spilled> {
    let count = groups.table.len();
    groups.states.iter_mut().for_each(|states| states.resize(count));
    let step = (BLOCK_BYTES * count / groups.byte_size().max(1)).clamp(1, MOST_ROWS);
    let mut spilled = file.begin();
    for start in (0..count).step_by(step) {
        let end = count.min(start + step);
        let mut columns = vec![groups.table.key_range(start, end)?.to_column()];
        for states in &groups.states {
            let mut out = StringsBuilder::with_capacity(end - start, 0);
            states.serialize(start..end, &mut out)?;
            columns.push(out.finish().into());
        }
        file.write(&Chunk::new(columns, end - start), &mut spilled)?;
    }
    Ok(spilled)
}

/// Which keys of a partition a pass takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pass {
    number: u64,
    bits: u32,
}

impl Pass {
    /// The first of as many passes as `bytes` need if about `share` bytes may be held.
    pub fn first(bytes: usize, share: usize) -> Self {
        let parts = bytes.div_ceil(share.max(LEAST_SHARE)).max(1);
        Self { number: 0, bits: parts.next_power_of_two().ilog2().min(MOST_PASS_BITS) }
    }

    /// The number of the pass, from 0.
    pub fn number(self) -> u64 {
        self.number
    }

    /// The total number of passes.
    pub fn count(self) -> usize {
        1 << self.bits
    }

    /// Whether there are several passes.
    pub fn is_one_of_many(self) -> bool {
        self.bits > 0
    }

    /// The next pass; `None` after the last one.
    pub fn next(self) -> Option<Self> {
        let number = self.number + 1;
        (number < 1 << self.bits).then_some(Self { number, ..self })
    }

    fn takes(self, hash: u64) -> bool {
        let further = hash << PARTITION_BITS;
        self.bits == 0 || further >> (64 - self.bits) == self.number
    }

    /// The rows of a chunk that the pass takes, by the keys in its first column, and their hashes.
    pub fn taken(self, chunk: Chunk, layout: &KeyLayout, hashes: &mut Vec<u64>) -> Result<Chunk> {
        Keys::from_column(layout, chunk.columns[0].clone())?.spread(hashes);
        if !self.is_one_of_many() {
            return Ok(chunk);
        }
        let taken = hashes.iter().zip(0u32..).filter(|(hash, _)| self.takes(**hash));
        let taken: Vec<u32> = taken.map(|(_, row)| row).collect();
        *hashes = taken.iter().map(|row| hashes[*row as usize]).collect();
        Ok(chunk.take(&taken))
    }
}

/// Approximate upper bound of the memory for what is on disk: tables have twice as many slots as
/// keys.
pub fn memory_of(stored: &[SpilledPartition]) -> usize {
    stored.iter().map(|s| 3 * s.spilled().raw_bytes()).sum()
}

/// Aggregates what is on disk of a partition, as far as the pass takes it.
pub fn absorb(
    groups: &mut Groups,
    spec: &Spec,
    stored: &[SpilledPartition],
    pass: Pass,
    held: &mut Reservation,
) -> Result<()> {
    let (mut hashes, mut ids) = (Vec::new(), Vec::new());
    if pass.number > 0 {
        events::one(Event::ExternalAggregationPasses);
    }
    for one in stored {
        let spilled = one.spilled();
        let mut counted = 0;
        for i in 0..spilled.len() {
            let chunk = pass.taken(spilled.read(i)?, &spec.layout, &mut hashes)?;
            let keys = Keys::from_column(&spec.layout, chunk.columns[0].clone())?;
            let others = &chunk.columns[1..];
            match one {
                SpilledPartition::Groups(_) => {
                    groups.absorb_serialized(&keys, &hashes, others, &mut ids)?;
                }
                SpilledPartition::Rows(_) => {
                    let of_call = |i: usize| spec.args_of(i, others);
                    groups.add(&keys, &hashes, &of_call, &mut ids)?;
                }
            }
            if groups.table.len() > 2 * counted {
                counted = groups.table.len();
                held.cover(groups.byte_size())?;
            }
        }
        held.cover(groups.byte_size())?;
    }
    Ok(())
}

impl Groups {
    /// Merges serialised states of groups with these keys.
    fn absorb_serialized(
        &mut self,
        keys: &Keys,
        hashes: &[u64],
        states: &[Column],
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        self.merge_into(keys, hashes, ids)?;
        for (mine, column) in self.states.iter_mut().zip(states) {
            if let Column::String(theirs) = column {
                mine.merge_serialized(theirs, ids)?;
            }
        }
        Ok(())
    }
}
