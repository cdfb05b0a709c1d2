//! Parts in memory: a small INSERT costs one sync of the log, and no file.
//!
//! 1. The rows of a small INSERT are encoded as a segment, like those of any other, but the bytes
//!    go into the record of the commit log that adds the part ([`PartSummary::content`]). The log
//!    is the write-ahead log of these parts. INSERTs that are committed at the same time become one
//!    segment ([`crate::small_rows`]).
//! 2. Readers, mutations and merges of statements see such a part like every other; only
//!    [`crate::part`] knows where its bytes are.
//! 3. The gatherer ([`TableCore::gather`]) merges parts in memory that have a similar size, and
//!    writes them to a file when they have become many bytes, or old.
//!
//! Invariants: a statement that pins parts and names them in a later record holds them
//! ([`HeldParts`]), and the gatherer leaves those alone; a file is durable before the record that
//! takes the bytes out of the log.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use entasis_base::{Error, Result, scope};
use entasis_disk::Disk;
use entasis_table_api::{HeldWork, MergeRequest, WorkLock};

use crate::insert::empty_summary;
use crate::log::record::{Content, Op, PartSummary};
use crate::merge::Place;
use crate::part::Part;
use crate::prepared::Unfinished;
use crate::schema::SchemaVersion;
use crate::segment::SegmentWriter;
use crate::segment::writer::ColumnSpec;
use crate::small_rows::Commits;
use crate::store::StoreCore;
use crate::table::{MergeTreeTable, TableCore};

/// The gatherer is woken when so many parts have come.
const WAKE_AFTER: usize = 16;
/// Most parts of one merge.
const MOST: usize = 256;
/// Most bytes of the parts in memory of all tables of a store. At half of it, all are written to
/// files. The log contains them after each checkpoint.
const MOST_IN_STORE: u64 = 256 << 20;

/// What a table knows of its parts in memory.
#[derive(Debug, Default)]
pub(crate) struct MemoryParts {
    /// Held while parts in memory are merged or written to files.
    gathering: Arc<WorkLock>,
    /// Parts whose first block is lower are held by a statement.
    held_below: AtomicU64,
    /// Parts that came since the gatherer was woken.
    fresh: AtomicUsize,
    /// INSERTs that wait to be committed.
    pub(crate) commits: Commits,
}

impl MemoryParts {
    /// Waits until no part in memory is merged or written.
    pub(crate) fn wait_for_gathering(&self) {
        drop(WorkLock::hold(&self.gathering, &mut || Ok(())));
    }
}

/// The parts of a table as they are: no merge replaces them while this is held.
pub(crate) struct HeldParts {
    table: Arc<TableCore>,
    _held: HeldWork,
}

impl HeldParts {
    /// Holds only these parts, so that later ones can be merged.
    pub(crate) fn only(&self, parts: &[Arc<Part>]) {
        let last = parts.iter().map(|part| part.summary.max_block).max().unwrap_or(0);
        self.table.memory.held_below.store(last + 1, Ordering::Release);
    }
}

impl Drop for HeldParts {
    fn drop(&mut self) {
        self.table.memory.held_below.store(0, Ordering::Release);
    }
}

/// The name of a new file of a part, which comes with its path, and that path unless the content
/// stays in memory.
pub(crate) fn placed(
    (file, path): (String, String),
    place: Place,
    unfinished: &mut Unfinished,
) -> (String, Option<String>) {
    if place == Place::Memory {
        return (file, None);
    }
    unfinished.add(PartSummary { file: file.clone(), ..empty_summary() });
    (file, Some(path))
}

/// A range of parts that are worth merging or writing, and where the result goes.
struct Chosen {
    range: Range<usize>,
    place: Place,
}

impl TableCore {
    /// Begins a segment of so many rows, which merges write or not: in a file, or without a path in
    /// memory.
    pub(crate) fn segment_writer(
        &self,
        path: Option<&str>,
        columns: &[ColumnSpec],
        (rows, merged): (usize, bool),
    ) -> Result<SegmentWriter> {
        match path {
            None => SegmentWriter::in_memory(columns, rows, merged),
            Some(path) => SegmentWriter::create(&*self.core.disk, path, columns, rows, merged),
        }
    }

    /// Waits until no other work replaces parts, and holds all parts.
    pub(crate) fn hold_parts(
        self: &Arc<Self>,
        go_on: &mut dyn FnMut() -> Result<()>,
    ) -> Result<HeldParts> {
        let held = WorkLock::hold(&self.merging, go_on)?;
        let _gathering = WorkLock::hold(&self.memory.gathering, go_on)?;
        self.memory.held_below.store(u64::MAX, Ordering::Release);
        Ok(HeldParts { table: Arc::clone(self), _held: held })
    }

    /// Counts parts that have come, given the bytes of each, and wakes the gatherer when they are
    /// enough.
    pub(crate) fn added_in_memory(&self, parts: &[u64]) {
        self.core.bytes_in_memory.fetch_add(parts.iter().sum(), Ordering::Relaxed);
        let parts = parts.len();
        if self.memory.fresh.fetch_add(parts, Ordering::Relaxed) + parts >= WAKE_AFTER {
            self.memory.fresh.store(0, Ordering::Relaxed);
            self.core.gatherer.wake();
        }
    }

    /// Merges parts in memory and writes them to files, where that is worthwhile.
    /// `false` if it is not.
    pub(crate) fn gather(self: &Arc<Self>, go_on: &dyn Fn() -> bool) -> Result<bool> {
        let Some(_one) = WorkLock::try_hold(&self.memory.gathering) else { return Ok(false) };
        let (schema, version) = self.pin();
        let held_below = self.memory.held_below.load(Ordering::Acquire);
        let chosen = self.chosen(&schema, &version.parts, held_below);
        let is_any = !chosen.is_empty();
        for Chosen { range, place } in chosen {
            let parts = &version.parts[range];
            if parts.len() == 1 {
                self.write_content(&parts[0])?;
                continue;
            }
            let rules = self.rules(&schema, &MergeRequest::default());
            self.merge(&schema, &rules, parts, place, go_on)?;
        }
        if is_any {
            // Parts in files may now be neighbours.
            self.core.merger.wake();
        }
        Ok(is_any)
    }

    fn chosen(&self, schema: &SchemaVersion, parts: &[Arc<Part>], held_below: u64) -> Vec<Chosen> {
        let settings = &schema.config.settings;
        let is_meant = |part: &PartSummary| part.is_in_memory() && part.min_block >= held_below;
        let meant = || parts.iter().map(|part| &part.summary).filter(|part| is_meant(part));
        let bytes: u64 = meant().map(|part| part.memory_bytes()).sum();
        let oldest = meant().map(|part| part.created).min().unwrap_or(u64::MAX);
        let is_old = oldest.saturating_add(settings.max_seconds_in_memory) <= self.core.now();
        let in_store = self.core.bytes_in_memory.load(Ordering::Relaxed);
        let is_much = bytes >= settings.max_bytes_in_memory || in_store >= MOST_IN_STORE / 2;
        let all = is_old || is_much;
        let (mut chosen, mut start) = (Vec::new(), 0);
        let alike = |a: &Arc<Part>, b: &Arc<Part>| {
            is_meant(&a.summary)
                && is_meant(&b.summary)
                && a.summary.partition == b.summary.partition
        };
        for run in parts.chunk_by(alike) {
            let range = start..start + run.len();
            start = range.end;
            if !is_meant(&run[0].summary) || run.iter().any(|part| part.is_damaged()) {
                continue;
            }
            if all {
                let starts = range.clone().step_by(MOST);
                let pieces = starts.map(|at| at..(at + MOST).min(range.end));
                chosen.extend(pieces.map(|range| Chosen { range, place: Place::File }));
            } else if let Some(first) = similar(run, settings.parts_to_merge_in_memory) {
                let range = (range.start + first).max(range.end.saturating_sub(MOST))..range.end;
                chosen.push(Chosen { range, place: Place::Memory });
            }
        }
        chosen
    }

    /// Writes the contents of a part to its files, and takes them out of the log.
    fn write_content(&self, part: &Part) -> Result<()> {
        if !part.summary.is_in_memory() {
            return Ok(());
        }
        let (disk, table) = (&*self.core.disk, self.id());
        for (file, content) in part.summary.contents() {
            write_file(disk, &part.path_of(file), content)?;
        }
        disk.sync_dir(&self.parts.dir.path)?;
        let file = &part.summary.file;
        let mut is_there = true;
        let committed = self.core.commit(Instant::now(), |state| {
            // The part may have been dropped or merged meanwhile.
            let known = state.table(table).ok().and_then(|table| table.parts.get(file));
            is_there = known.is_some_and(|part| part.is_in_memory());
            let written = Op::WritePart { table, file: file.clone() };
            Ok(if is_there { vec![written] } else { Vec::new() })
        });
        if !is_there {
            // If this fails, the next start removes the files as orphans.
            for (file, _) in part.summary.contents() {
                let _ = disk.remove(&part.path_of(file));
            }
        }
        committed.map_err(Error::from)
    }
}

impl StoreCore {
    /// Counts the bytes of all parts in memory.
    pub(crate) fn count_bytes_in_memory(&self) {
        let tables = self.tables.pin();
        let parts = tables.values().flat_map(|table| &table.version.parts);
        let bytes = parts.map(|part| part.summary.memory_bytes()).sum();
        self.bytes_in_memory.store(bytes, Ordering::Relaxed);
    }

    /// Whether further parts may be in memory.
    pub(crate) fn has_memory(&self) -> bool {
        self.bytes_in_memory.load(Ordering::Relaxed) < MOST_IN_STORE
    }
}

impl MergeTreeTable {
    /// Writes the parts in memory to files, as they are, for whoever needs the files.
    pub fn write_parts_in_memory(&self) -> Result<()> {
        let core = &self.core;
        let _one = WorkLock::hold(&core.memory.gathering, &mut scope::check)?;
        for part in &core.version().parts {
            core.write_content(part)?;
        }
        Ok(())
    }
}

/// The place from which on the parts of a run have a similar size; `None` if they are too few.
fn similar(run: &[Arc<Part>], fewest: usize) -> Option<usize> {
    let (mut first, mut rows) = (run.len(), 0);
    for (place, part) in run.iter().enumerate().rev() {
        // An older part is merged again only when as many rows have come after it.
        if place + 1 < run.len() && part.summary.rows > rows {
            break;
        }
        rows += part.summary.rows;
        first = place;
    }
    (run.len() - first >= fewest.max(2)).then_some(first)
}

/// Writes and syncs a file, which may be there already because an attempt to write it has failed.
pub(crate) fn write_file(disk: &dyn Disk, path: &str, content: &Content) -> Result<()> {
    if disk.exists(path)? {
        disk.remove(path)?;
    }
    let mut file = disk.create(path)?;
    file.write_all(&content.0)?;
    file.sync()
}
