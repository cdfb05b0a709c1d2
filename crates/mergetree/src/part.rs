//! A part: one segment file. It is opened on first use, and deleted after it was removed from the
//! table and its last reader has ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_disk::{Disk, join};

use crate::faults::Faults;
use crate::log::record::{PartSummary, TableId};
use crate::orphans::remove_table_dir;
use crate::segment::Segment;
use crate::segment::reader::Expected;

/// A table's directory. It is removed with its segments after the table was dropped and the last of
/// its parts is released.
#[derive(Debug)]
pub(crate) struct TableDir {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) path: String,
    /// The list of damaged files of the store.
    faults: Arc<Faults>,
    dropped: AtomicBool,
}

impl TableDir {
    pub(crate) fn new(disk: Arc<dyn Disk>, id: TableId, faults: &Arc<Faults>) -> Arc<Self> {
        let (path, faults) = (table_dir(id), Arc::clone(faults));
        Arc::new(Self { disk, path, faults, dropped: AtomicBool::new(false) })
    }

    pub(crate) fn mark_dropped(&self) {
        self.dropped.store(true, Ordering::Release);
    }
}

impl Drop for TableDir {
    fn drop(&mut self) {
        if self.dropped.load(Ordering::Acquire) {
            // If the removal fails, the next start removes the files as orphans.
            let _ = remove_table_dir(&*self.disk, &self.path);
        }
    }
}

/// The parent of all tables' directories.
pub(crate) const TABLES: &str = "tables";

/// The directory of a table.
pub(crate) fn table_dir(id: TableId) -> String {
    join(TABLES, &id.0.to_string())
}

/// The subdirectory for data that a table's engine keeps itself. The store creates and removes it
/// with the table, and does not interpret its content.
pub(crate) const OWN_DATA: &str = "data";

/// A part of some version of a table.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) summary: Arc<PartSummary>,
    dir: Arc<TableDir>,
    segment: OnceLock<Arc<Segment>>,
    opening: Mutex<()>,
    removed: AtomicBool,
}

impl Part {
    pub(crate) fn new(summary: Arc<PartSummary>, dir: Arc<TableDir>) -> Arc<Self> {
        Arc::new(Self {
            summary,
            dir,
            segment: OnceLock::new(),
            opening: Mutex::new(()),
            removed: AtomicBool::new(false),
        })
    }

    pub(crate) fn path(&self) -> String {
        join(&self.dir.path, &self.summary.file)
    }

    /// The open segment.
    pub(crate) fn segment(&self) -> Result<&Arc<Segment>> {
        if let Some(segment) = self.segment.get() {
            return Ok(segment);
        }
        let _one = lock(&self.opening);
        if let Some(segment) = self.segment.get() {
            return Ok(segment);
        }
        let summary = &self.summary;
        let expected =
            Expected { bytes: summary.bytes, rows: summary.rows, checksum: summary.checksum };
        let began = Instant::now();
        let open = Segment::open(&*self.dir.disk, &self.path(), expected, &self.dir.faults);
        let segment = open.map_err(|e| e.context(format!("Part {}", summary.name())))?;
        events::one(Event::LoadedDataParts);
        events::elapsed(Event::LoadedDataPartsMicroseconds, began);
        Ok(self.segment.get_or_init(|| Arc::new(segment)))
    }

    /// Whether its file is known to be damaged.
    pub(crate) fn is_damaged(&self) -> bool {
        self.dir.faults.has(&self.path())
    }

    /// Marks the file for deletion when the last holder releases this part.
    pub(crate) fn mark_removed(&self) {
        self.removed.store(true, Ordering::Release);
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if self.removed.load(Ordering::Acquire) {
            events::one(Event::PartsRemoved);
            // If the removal fails, the next start removes the file as an orphan.
            let path = self.path();
            self.dir.faults.forget(&path);
            let _ = self.dir.disk.remove(&path);
        }
    }
}
