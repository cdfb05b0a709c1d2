//! The running merges, which `system.merges` lists.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use entasis_base::sync::lock;
use entasis_base::thread;

use crate::log::record::{PartSummary, TableId};
use crate::part::Part;

/// Why parts are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MergeReason {
    /// To have fewer parts, or because a statement asks for it.
    #[default]
    Regular,
    /// Rows or values of a part have expired.
    Expired,
}

/// One running merge.
#[derive(Debug)]
pub struct MergeAtWork {
    /// The table whose parts are merged.
    pub table: TableId,
    /// The parts that the merge reads.
    pub sources: Vec<Arc<PartSummary>>,
    /// The name of the resulting part.
    pub result: String,
    /// Number of columns of the table.
    pub columns: usize,
    /// Why the parts are merged.
    pub reason: MergeReason,
    /// The kernel's id of the merging thread.
    pub thread: u32,
    began: Instant,
    written: AtomicUsize,
}

impl MergeAtWork {
    /// How long the merge has been running.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Number of columns that are written; 0 until the order of all rows is known.
    pub fn columns_written(&self) -> usize {
        self.written.load(Ordering::Relaxed)
    }

    /// Counts a column as written.
    pub(super) fn column(&self) {
        self.written.fetch_add(1, Ordering::Relaxed);
    }
}

/// The running merges of a store.
#[derive(Debug, Default)]
pub(crate) struct Merges(Mutex<Vec<Arc<MergeAtWork>>>);

/// A merge's entry in the list, which is removed on drop.
pub(super) struct MergeListEntry<'a> {
    all: &'a Merges,
    pub(super) merge: Arc<MergeAtWork>,
}

impl Merges {
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<MergeAtWork>>> {
        lock(&self.0)
    }

    pub(crate) fn list(&self) -> Vec<Arc<MergeAtWork>> {
        self.lock().clone()
    }

    /// Lists a merge of these parts, of which there is at least one.
    pub(super) fn enter(
        &self,
        table: TableId,
        parts: &[Arc<Part>],
        columns: usize,
        reason: MergeReason,
    ) -> MergeListEntry<'_> {
        let sources: Vec<_> = parts.iter().map(|p| Arc::clone(&p.summary)).collect();
        let merge = Arc::new(MergeAtWork {
            table,
            result: result_of(&sources),
            sources,
            columns,
            reason,
            thread: thread::id(),
            began: Instant::now(),
            written: AtomicUsize::new(0),
        });
        self.lock().push(Arc::clone(&merge));
        MergeListEntry { all: self, merge }
    }
}

fn result_of(sources: &[Arc<PartSummary>]) -> String {
    let Some(first) = sources.first() else { return String::new() };
    let merged = PartSummary {
        min_block: sources.iter().map(|p| p.min_block).min().unwrap_or(0),
        max_block: sources.iter().map(|p| p.max_block).max().unwrap_or(0),
        level: sources.iter().map(|p| p.level).max().unwrap_or(0) + 1,
        mutation: sources.iter().map(|p| p.mutation).max().unwrap_or(0),
        ..(**first).clone()
    };
    merged.name()
}

impl Drop for MergeListEntry<'_> {
    fn drop(&mut self) {
        self.all.lock().retain(|merge| !Arc::ptr_eq(merge, &self.merge));
    }
}
