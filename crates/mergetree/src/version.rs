//! The parts of a table, version by version: readers pin one, commits make the next.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use entasis_base::sync;
use entasis_disk::Disk;

use crate::faults::Faults;
use crate::log::record::{Op, PartSummary, TableId};
use crate::log::state::TableState;
use crate::part::{Part, TableDir};

/// The parts of one version of a table, by partition and first block.
#[derive(Debug, Default)]
pub(crate) struct Version {
    pub(crate) parts: Vec<Arc<Part>>,
}

impl Version {
    pub(crate) fn rows(&self) -> u64 {
        self.parts.iter().map(|p| p.summary.rows).sum()
    }

    pub(crate) fn new(mut parts: Vec<Arc<Part>>) -> Arc<Self> {
        parts.sort_by(|a, b| {
            let key = |p: &Part| (p.summary.partition.clone(), p.summary.min_block);
            key(a).cmp(&key(b))
        });
        Arc::new(Self { parts })
    }
}

/// A table's parts and where they live.
#[derive(Debug)]
pub(crate) struct TableParts {
    pub(crate) dir: Arc<TableDir>,
    version: RwLock<Arc<Version>>,
    pub(crate) next_segment: AtomicU64,
    /// SYSTEM STOP MERGES.
    pub(crate) merges_stopped: AtomicBool,
}

impl TableParts {
    pub(crate) fn new(dir: Arc<TableDir>, version: Arc<Version>, next_segment: u64) -> Self {
        Self {
            dir,
            version: RwLock::new(version),
            next_segment: AtomicU64::new(next_segment),
            merges_stopped: AtomicBool::new(false),
        }
    }

    /// Whether its parts are to stay as they are.
    pub(crate) fn merges_stopped(&self) -> bool {
        self.merges_stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn version(&self) -> Arc<Version> {
        Arc::clone(&sync::read(&self.version))
    }

    pub(crate) fn set(&self, version: Arc<Version>) {
        *sync::write(&self.version) = version;
    }

    pub(crate) fn new_segment(&self) -> u64 {
        self.next_segment.fetch_add(1, Ordering::Relaxed)
    }

    /// Applies what a record says of this table; answers the parts that are gone.
    pub(crate) fn change(&self, ops: &[Op], id: TableId) -> Vec<Arc<PartSummary>> {
        let mut removed = Vec::new();
        let mut parts = self.version().parts.clone();
        for op in ops {
            match op {
                Op::AddPart { table, part } if *table == id => {
                    parts.push(Part::new(Arc::new(part.clone()), Arc::clone(&self.dir)));
                }
                Op::RemovePart { table, file } if *table == id => {
                    if let Some(i) = parts.iter().position(|p| p.summary.file == *file) {
                        let part = parts.swap_remove(i);
                        part.mark_removed();
                        removed.push(Arc::clone(&part.summary));
                    }
                }
                _ => {}
            }
        }
        self.set(Version::new(parts));
        removed
    }
}

/// The parts of a table as the log knows them.
pub(crate) fn attach_parts(
    disk: &Arc<dyn Disk>,
    id: TableId,
    table: &TableState,
    faults: &Arc<Faults>,
) -> Arc<TableParts> {
    let dir = TableDir::new(Arc::clone(disk), id, faults);
    let parts = table.parts.values().map(|s| Part::new(Arc::clone(s), Arc::clone(&dir))).collect();
    Arc::new(TableParts::new(dir, Version::new(parts), table.next_segment))
}
