//! The parts of all tables in versions: readers pin a version, each commit makes the next one.
//!
//! Invariant: readers see all tables that one commit changes change at once.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use entasis_base::sync;
use entasis_disk::Disk;

use crate::faults::Faults;
use crate::log::record::{Op, PartSummary, TableId};
use crate::log::state::TableState;
use crate::part::{Part, TableDir};
use crate::statistics::KnownStatistics;

/// The parts of one version of a table, ordered by partition and first block.
#[derive(Debug, Default)]
pub(crate) struct Version {
    pub(crate) parts: Vec<Arc<Part>>,
    pub(crate) statistics: KnownStatistics,
}

impl Version {
    /// The number of rows that exist.
    pub(crate) fn rows(&self) -> u64 {
        self.parts.iter().map(|p| p.summary.live_rows()).sum()
    }

    pub(crate) fn new(mut parts: Vec<Arc<Part>>) -> Arc<Self> {
        parts.sort_by(|a, b| {
            let (a, b) = (&a.summary, &b.summary);
            (&a.partition, a.min_block).cmp(&(&b.partition, b.min_block))
        });
        Arc::new(Self { parts, ..Self::default() })
    }
}

/// What does not change between the versions of a table: its directory, counter and switches.
#[derive(Debug)]
pub(crate) struct TableParts {
    pub(crate) dir: Arc<TableDir>,
    pub(crate) next_segment: AtomicU64,
    /// Set by SYSTEM STOP MERGES.
    pub(crate) merges_stopped: AtomicBool,
    /// Set by SYSTEM STOP TTL MERGES: merges leave expired rows as they are.
    pub(crate) ttl_stopped: AtomicBool,
}

impl TableParts {
    pub(crate) fn new(dir: Arc<TableDir>, next_segment: u64) -> Self {
        Self {
            dir,
            next_segment: AtomicU64::new(next_segment),
            merges_stopped: AtomicBool::new(false),
            ttl_stopped: AtomicBool::new(false),
        }
    }

    /// Whether merges of this table are stopped.
    pub(crate) fn merges_stopped(&self) -> bool {
        self.merges_stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn new_segment(&self) -> u64 {
        self.next_segment.fetch_add(1, Ordering::Relaxed)
    }
}

/// A table within one state of the store.
#[derive(Clone, Debug)]
pub(crate) struct TableVersion {
    pub(crate) parts: Arc<TableParts>,
    pub(crate) version: Arc<Version>,
    /// The detached parts.
    pub(crate) detached: Arc<Vec<Arc<Part>>>,
}

impl TableVersion {
    /// A table without parts.
    pub(crate) fn empty(dir: Arc<TableDir>) -> Self {
        let parts = Arc::new(TableParts::new(dir, 1));
        Self { parts, version: Arc::default(), detached: Arc::default() }
    }

    /// The version of this table (with id `id`) after a record; removed parts are added to
    /// `removed`.
    fn changed(&self, ops: &[Op], id: TableId, removed: &mut Removed) -> Self {
        let mut parts = self.version.parts.clone();
        let mut detached = Arc::clone(&self.detached);
        for op in ops {
            match op {
                Op::AddPart { table, part } if *table == id => {
                    parts.push(Part::new(Arc::new(part.clone()), Arc::clone(&self.parts.dir)));
                }
                Op::ChangePart { table, part } if *table == id => {
                    if let Some(known) = parts.iter_mut().find(|p| p.summary.file == part.file) {
                        let new = known.changed(Arc::new(part.with_contents_of(&known.summary)));
                        known.mark_replaced(&new);
                        *known = new;
                    }
                }
                Op::WritePart { table, file } if *table == id => {
                    if let Some(known) = parts.iter_mut().find(|p| p.summary.file == *file) {
                        *known = known.written();
                    }
                }
                Op::DetachPart { table, file } if *table == id => {
                    if let Some(i) = parts.iter().position(|p| p.summary.file == *file) {
                        Arc::make_mut(&mut detached).push(parts.swap_remove(i));
                    }
                }
                Op::AttachPart { table, part } if *table == id => {
                    let detached = Arc::make_mut(&mut detached);
                    if let Some(i) = detached.iter().position(|p| p.summary.file == part.file) {
                        let known = detached.swap_remove(i);
                        parts.push(known.changed(Arc::new(part.with_contents_of(&known.summary))));
                    }
                }
                Op::DropDetachedPart { table, file } if *table == id => {
                    let detached = Arc::make_mut(&mut detached);
                    if let Some(i) = detached.iter().position(|p| p.summary.file == *file) {
                        detached.swap_remove(i).mark_removed();
                    }
                }
                Op::RemovePart { table, file } if *table == id => {
                    if let Some(i) = parts.iter().position(|p| p.summary.file == *file) {
                        let part = parts.swap_remove(i);
                        part.mark_removed();
                        removed.push((id, Arc::clone(&part.summary)));
                    }
                }
                _ => {}
            }
        }
        Self { parts: Arc::clone(&self.parts), version: Version::new(parts), detached }
    }
}

/// Parts that a commit has removed.
pub(crate) type Removed = Vec<(TableId, Arc<PartSummary>)>;

/// One state of the store: all its tables.
pub(crate) type StoreState = HashMap<TableId, TableVersion>;

/// The current state of a store, replaced by every commit.
#[derive(Debug)]
pub(crate) struct Tables {
    /// Changed in place unless a reader has pinned it; in that case a copy is changed.
    current: RwLock<Arc<StoreState>>,
}

impl Tables {
    pub(crate) fn new(state: StoreState) -> Self {
        Self { current: RwLock::new(Arc::new(state)) }
    }

    /// The state of all tables. Readers hold it only while they look up tables.
    pub(crate) fn pin(&self) -> Arc<StoreState> {
        Arc::clone(&sync::read(&self.current))
    }

    /// One table, if it exists.
    pub(crate) fn get(&self, id: TableId) -> Option<TableVersion> {
        sync::read(&self.current).get(&id).cloned()
    }

    /// Applies one commit. Called in the order of the log, by one thread at a time. `create` makes
    /// new tables.
    pub(crate) fn apply(&self, ops: &[Op], create: impl Fn(TableId) -> TableVersion) -> Removed {
        let mut removed = Removed::new();
        // A dropped table is `None`.
        let mut changes: HashMap<TableId, Option<TableVersion>> = HashMap::new();
        let mut touched: HashSet<TableId> = HashSet::new();
        for op in ops {
            match op {
                Op::CreateTable(record) => {
                    changes.insert(record.id, Some(create(record.id)));
                }
                Op::DropTable { id } => {
                    if let Some(table) = self.get(*id) {
                        table.parts.dir.mark_dropped();
                        table.version.parts.iter().for_each(|part| part.mark_removed());
                        table.detached.iter().for_each(|part| part.mark_removed());
                    }
                    changes.insert(*id, None);
                }
                Op::AddPart { table, .. }
                | Op::ChangePart { table, .. }
                | Op::DetachPart { table, .. }
                | Op::AttachPart { table, .. }
                | Op::DropDetachedPart { table, .. }
                | Op::WritePart { table, .. }
                | Op::RemovePart { table, .. } => {
                    touched.insert(*table);
                }
                _ => {}
            }
        }
        for id in touched {
            let before = changes.remove(&id).unwrap_or_else(|| self.get(id));
            let after = before.map(|table| table.changed(ops, id, &mut removed));
            changes.insert(id, after);
        }
        if changes.is_empty() {
            return removed;
        }
        // The old versions are dropped after the lock is released, because that may remove files.
        let _before: Vec<Option<TableVersion>> = {
            let mut current = sync::write(&self.current);
            let current = Arc::make_mut(&mut current);
            let change = |(id, new)| match new {
                Some(table) => current.insert(id, table),
                None => current.remove(&id),
            };
            changes.into_iter().map(change).collect()
        };
        removed
    }
}

/// The parts of a table according to the log.
pub(crate) fn attach_parts(
    disk: &Arc<dyn Disk>,
    id: TableId,
    table: &TableState,
    faults: &Arc<Faults>,
) -> TableVersion {
    let dir = TableDir::new(Arc::clone(disk), id, faults);
    let part = |summary: &Arc<PartSummary>| Part::new(Arc::clone(summary), Arc::clone(&dir));
    let version = Version::new(table.parts.values().map(part).collect());
    let detached = Arc::new(table.detached.values().map(part).collect());
    TableVersion { parts: Arc::new(TableParts::new(dir, table.next_segment)), version, detached }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use entasis_base::sync::SetOnDrop;
    use entasis_disk::MemoryDisk;

    use super::*;
    use crate::insert::empty_summary;

    #[test]
    fn readers_see_a_commit_in_all_tables_or_in_none() {
        let ids: Vec<TableId> = (1..=100).map(TableId).collect();
        let (disk, faults) = (Arc::new(MemoryDisk::new()) as Arc<dyn Disk>, Arc::default());
        let empty = |id: TableId| TableVersion::empty(TableDir::new(disk.clone(), id, &faults));
        let tables = Tables::new(ids.iter().map(|id| (*id, empty(*id))).collect());
        let commit = |round: u64| -> Vec<Op> {
            let file = |round| format!("seg-{round}.ets");
            let part = PartSummary { file: file(round), min_block: round, ..empty_summary() };
            let add = ids.iter().map(|id| Op::AddPart { table: *id, part: part.clone() });
            let before = (round > 1).then(|| file(round - 1));
            let remove =
                |id: &TableId| before.clone().map(|file| Op::RemovePart { table: *id, file });
            add.chain(ids.iter().filter_map(remove)).collect()
        };
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let _running = SetOnDrop(&done);
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Acquire) {
                        let state = tables.pin();
                        let seen: HashSet<Option<u64>> = state
                            .values()
                            .map(|table| table.version.parts.first().map(|p| p.summary.min_block))
                            .collect();
                        assert_eq!(seen.len(), 1, "{seen:?}");
                    }
                });
            }
            for round in 1..=200 {
                let removed = tables.apply(&commit(round), empty);
                assert_eq!(removed.len(), if round > 1 { ids.len() } else { 0 });
            }
        });
    }
}
