//! Rows of a DISTINCT on disk, by partition of their hashes: those that have passed already, and
//! those of which nobody knows yet whether they are new.
//!
//! Only keys are written, as a row consists of its key. The source in this file reads one
//! partition after the other, once all other rows have arrived: first the rows that have passed,
//! then the others, of which the first of each key passes. A partition that is too large for
//! memory is read several times, each time for a part of its keys ([`Pass`]).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_column::Chunk;
use entasis_column::hash::partition_of;
use entasis_pipeline::{Morsel, Read, Reader, Source};

use super::super::keys::Keys;
use super::super::scatter::{PARTITION_BITS, PARTITIONS};
use super::super::spilled::Pass;
use super::super::table::GroupTable;
use super::{Distinct, Set};
use crate::spill::{BLOCK_BYTES, SpillFile, Spilled};

/// The most keys of a block.
const MOST_ROWS: usize = 1 << 13;

/// Keys of one partition that were written together.
struct Part {
    /// Whether their rows have passed.
    passed: bool,
    keys: Spilled,
}

/// All keys on disk, with the numbers of their partitions.
#[derive(Default)]
pub struct OnDisk(Mutex<Vec<(usize, Part)>>);

impl OnDisk {
    /// Writes the keys of a table.
    pub fn write(&self, file: &mut SpillFile, table: &GroupTable, passed: bool) -> Result<()> {
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); PARTITIONS];
        for (id, hash) in (0..).zip(table.hashes()) {
            lists[partition_of(hash, PARTITION_BITS)].push(id);
        }
        let step = BLOCK_BYTES * table.len() / table.byte_size().max(1);
        let mut parts = Vec::new();
        for (at, ids) in lists.into_iter().enumerate().filter(|(_, ids)| !ids.is_empty()) {
            let mut keys = file.begin();
            for ids in ids.chunks(step.clamp(1, MOST_ROWS)) {
                let block = table.keys(ids.iter().map(|id| *id as usize))?;
                file.write(&Chunk::new(vec![block.to_column()], ids.len()), &mut keys)?;
            }
            parts.push((at, Part { passed, keys }));
        }
        file.end_part()?;
        lock(&self.0).extend(parts);
        Ok(())
    }

    /// Takes all partitions out; in each, the keys that have passed come first.
    fn take(&self) -> Vec<Mutex<Vec<Part>>> {
        let mut partitions: BTreeMap<usize, Vec<Part>> = BTreeMap::new();
        for (at, part) in std::mem::take(&mut *lock(&self.0)) {
            partitions.entry(at).or_default().push(part);
        }
        let in_order = |mut parts: Vec<Part>| {
            parts.sort_by_key(|part| !part.passed);
            Mutex::new(parts)
        };
        partitions.into_values().map(in_order).collect()
    }
}

/// The source of the rows that pass only after all have arrived.
#[derive(Clone)]
pub struct Rest {
    distinct: Arc<Distinct>,
    partitions: Arc<OnceLock<Vec<Mutex<Vec<Part>>>>>,
    next: Arc<AtomicUsize>,
}

impl Rest {
    pub fn new(distinct: Arc<Distinct>) -> Self {
        Self { distinct, partitions: Arc::default(), next: Arc::default() }
    }

    fn partitions(&self) -> &[Mutex<Vec<Part>>] {
        self.partitions.get_or_init(|| {
            let partitions = self.distinct.on_disk.take();
            if !partitions.is_empty() {
                events::one(Event::ExternalDistinctMerge);
            }
            partitions
        })
    }
}

impl Source for Rest {
    fn name(&self) -> String {
        "DistinctRest".into()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        let (rest, ids) = (self.clone(), Vec::new());
        Ok(Box::new(RestReader { rest, sequence: 0, partition: None, ids, hashes: Vec::new() }))
    }

    fn morsels(&self) -> Option<usize> {
        Some(self.partitions().len())
    }
}

struct RestReader {
    rest: Rest,
    sequence: usize,
    partition: Option<Partition>,
    ids: Vec<u32>,
    hashes: Vec<u64>,
}

/// A partition that is being read.
struct Partition {
    parts: Vec<Part>,
    pass: Pass,
    set: Set,
    /// The next part, and the next block of it.
    at: (usize, usize),
}

impl Partition {
    fn open(parts: Vec<Part>, distinct: &Distinct) -> Self {
        // A table takes about twice what its keys take, and twice that while it grows.
        let bytes = parts.iter().map(|part| 3 * part.keys.raw_bytes()).sum();
        let share = distinct.spiller.as_ref().map_or(usize::MAX, |spiller| spiller.share());
        let set = Set::new(&distinct.layout, &distinct.account);
        Self { parts, pass: Pass::first(bytes, share), set, at: (0, 0) }
    }
}

impl RestReader {
    /// The next rows of the partition that pass, perhaps none; `None` at its end.
    fn step(&mut self) -> Result<Option<Chunk>> {
        let distinct = &self.rest.distinct;
        let Some(partition) = &mut self.partition else { return Ok(None) };
        let (part, block) = partition.at;
        let Some(Part { passed, keys }) = partition.parts.get(part) else {
            let Some(next) = partition.pass.next() else { return Ok(None) };
            let set = Set::new(&distinct.layout, &distinct.account);
            (partition.pass, partition.set, partition.at) = (next, set, (0, 0));
            return Ok(Some(Chunk::default()));
        };
        if block >= keys.len() {
            partition.at = (part + 1, 0);
            return Ok(Some(Chunk::default()));
        }
        partition.at.1 += 1;
        let chunk = partition.pass.taken(keys.read(block)?, &distinct.layout, &mut self.hashes)?;
        let keys = Keys::from_column(&distinct.layout, chunk.columns[0].clone())?;
        let mask = partition.set.firsts(&keys, &self.hashes, &mut self.ids)?;
        if *passed || mask.none() {
            return Ok(Some(Chunk::default()));
        }
        let chunk = chunk.filter(&mask);
        let keys = Keys::from_column(&distinct.layout, chunk.columns[0].full())?;
        Ok(Some(Chunk::new(distinct.layout.decode(&keys)?, keys.len())))
    }
}

impl Reader for RestReader {
    fn next(&mut self) -> Result<Read> {
        loop {
            if let Some(chunk) = self.step()? {
                if let Some(chunk) = self.rest.distinct.within_limit(chunk).filter(|c| c.rows > 0) {
                    let sequence = self.sequence as u64;
                    return Ok(Read::Chunk(Morsel { sequence, chunk }));
                }
                if !self.rest.distinct.is_done() {
                    continue;
                }
            }
            self.partition = None;
            self.sequence = self.rest.next.fetch_add(1, Ordering::Relaxed);
            let partitions = self.rest.partitions();
            let Some(parts) =
                partitions.get(self.sequence).filter(|_| !self.rest.distinct.is_done())
            else {
                return Ok(Read::Done);
            };
            let parts = std::mem::take(&mut *lock(parts));
            self.partition = Some(Partition::open(parts, &self.rest.distinct));
        }
    }
}
