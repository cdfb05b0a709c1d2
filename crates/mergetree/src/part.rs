//! A part: a base segment, the overlays that mutations have written over it, and its companions. A
//! file is opened on first use, and deleted after no version of the table names it and its last
//! reader has ended.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use entasis_base::events::{self, Event};
use entasis_base::sync::lock;
use entasis_base::{Error, Result};
use entasis_disk::{Disk, join};

use crate::expiry::spans::KnownSpans;
use crate::faults::Faults;
use crate::layers::Layers;
use crate::log::record::{Companion, Content, Overlay, PartSummary, TableId};
use crate::orphans::remove_table_dir;
use crate::partition::sip_hash_128;
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

/// What the log says of the file of an overlay.
pub(crate) fn of_overlay(overlay: &Overlay) -> Expected {
    Expected { bytes: overlay.bytes, rows: overlay.rows, checksum: overlay.checksum }
}

/// What the log says of the file of a companion.
pub(crate) fn of_companion(companion: &Companion) -> Expected {
    let Companion { bytes, rows, checksum, .. } = *companion;
    Expected { bytes, rows, checksum }
}

/// The files of a part, with what the log says of them: the base segment, the overlays, the
/// companions.
pub(crate) fn all_files(part: &PartSummary) -> impl Iterator<Item = (&str, Expected)> {
    let overlays = part.overlays.iter().map(|o| (&*o.file, of_overlay(o)));
    let companions = part.companions.iter().map(|c| (&*c.file, of_companion(c)));
    std::iter::once((&*part.file, of_part(part))).chain(overlays).chain(companions)
}

/// What the log says of the segment of a part.
pub(crate) fn of_part(part: &PartSummary) -> Expected {
    Expected { bytes: part.bytes, rows: part.rows, checksum: part.checksum }
}

/// A segment file of a part: its base, or an overlay. Versions of a part share the files that they
/// have in common.
#[derive(Debug)]
struct PartFile {
    name: String,
    expected: Expected,
    dir: Arc<TableDir>,
    segment: OnceLock<Arc<Segment>>,
    opening: Mutex<()>,
    removed: AtomicBool,
    /// The bytes of a segment that has no file.
    content: Option<Content>,
}

impl PartFile {
    fn new(
        name: &str,
        expected: Expected,
        dir: &Arc<TableDir>,
        content: Option<Content>,
    ) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            expected,
            content,
            dir: Arc::clone(dir),
            segment: OnceLock::new(),
            opening: Mutex::new(()),
            removed: AtomicBool::new(false),
        })
    }

    fn path(&self) -> String {
        join(&self.dir.path, &self.name)
    }

    fn segment(&self) -> Result<&Arc<Segment>> {
        if let Some(segment) = self.segment.get() {
            return Ok(segment);
        }
        let _one = lock(&self.opening);
        if let Some(segment) = self.segment.get() {
            return Ok(segment);
        }
        let began = Instant::now();
        let segment = match &self.content {
            Some(content) => {
                Segment::in_memory(content, &self.path(), self.expected, &self.dir.faults)?
            }
            None => Segment::open(&*self.dir.disk, &self.path(), self.expected, &self.dir.faults)?,
        };
        events::one(Event::LoadedDataParts);
        events::elapsed(Event::LoadedDataPartsMicroseconds, began);
        Ok(self.segment.get_or_init(|| Arc::new(segment)))
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if self.removed.load(Ordering::Acquire) && self.content.is_none() {
            // If the removal fails, the next start removes the file as an orphan.
            let path = self.path();
            self.dir.faults.forget(&path);
            let _ = self.dir.disk.remove(&path);
        }
    }
}

/// A part of some version of a table.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) summary: Arc<PartSummary>,
    dir: Arc<TableDir>,
    /// The base segment, followed by the overlays and the companions of the summary.
    files: Vec<Arc<PartFile>>,
    layers: OnceLock<Arc<Layers>>,
    /// When the rules of the table's TTL concern its rows, once someone has asked.
    pub(crate) spans: KnownSpans,
    removed: AtomicBool,
}

impl Part {
    pub(crate) fn new(summary: Arc<PartSummary>, dir: Arc<TableDir>) -> Arc<Self> {
        Self::sharing(summary, dir, &[])
    }

    /// A part that shares the files that it has in common with an older version of it.
    fn sharing(
        summary: Arc<PartSummary>,
        dir: Arc<TableDir>,
        known: &[Arc<PartFile>],
    ) -> Arc<Self> {
        let file = |(name, expected): (&str, Expected)| {
            let shared = known.iter().find(|file| file.name == name).map(Arc::clone);
            let content = || summary.content_of(name).cloned();
            shared.unwrap_or_else(|| PartFile::new(name, expected, &dir, content()))
        };
        let files = all_files(&summary).map(file).collect();
        let (layers, removed) = (OnceLock::new(), AtomicBool::new(false));
        Arc::new(Self { summary, dir, files, layers, spans: KnownSpans::default(), removed })
    }

    /// The version of this part with another summary. Nothing is removed.
    pub(crate) fn changed(&self, summary: Arc<PartSummary>) -> Arc<Self> {
        Self::sharing(summary, Arc::clone(&self.dir), &self.files)
    }

    /// This part after its content was written to its file.
    pub(crate) fn written(&self) -> Arc<Self> {
        // What was in memory is opened anew, from the files; the others are shared.
        let files: Vec<_> = self.files.iter().filter(|file| file.content.is_none()).collect();
        let files: Vec<Arc<PartFile>> = files.into_iter().map(Arc::clone).collect();
        Self::sharing(Arc::new(self.summary.written()), Arc::clone(&self.dir), &files)
    }

    /// Marks the files for deletion that a newer version of this part no longer has.
    pub(crate) fn mark_replaced(&self, by: &Self) {
        for file in &self.files {
            if !by.files.iter().any(|other| other.name == file.name) {
                file.removed.store(true, Ordering::Release);
            }
        }
    }

    /// The path of the base segment.
    pub(crate) fn path(&self) -> String {
        self.path_of(&self.summary.file)
    }

    /// The path of a file of this part.
    pub(crate) fn path_of(&self, file: &str) -> String {
        join(&self.dir.path, file)
    }

    /// The base segment and the overlays over it.
    pub(crate) fn layers(&self) -> Result<&Arc<Layers>> {
        if let Some(layers) = self.layers.get() {
            return Ok(layers);
        }
        let layers = self.open_layers().map_err(|e| self.named(e))?;
        Ok(self.layers.get_or_init(|| Arc::new(layers)))
    }

    fn open_layers(&self) -> Result<Layers> {
        let base = Arc::clone(self.files[0].segment()?);
        let mut overlays = Vec::with_capacity(self.summary.overlays.len());
        for (overlay, file) in self.summary.overlays.iter().zip(&self.files[1..]) {
            overlays.push((overlay.kind, Arc::clone(file.segment()?)));
        }
        Layers::new(base, overlays)
    }

    /// The open file of the companion at a place in the summary.
    pub(crate) fn companion(&self, place: usize) -> Result<&Arc<Segment>> {
        let file = self.files.get(1 + self.summary.overlays.len() + place);
        let file = file.ok_or_else(|| Error::logical("A part without this companion"))?;
        file.segment().map_err(|e| self.named(e))
    }

    /// A hash of what all files hold. Parts with the same rows, written at different times, have
    /// the same one.
    pub(crate) fn digest(&self) -> Result<[u8; 16]> {
        let mut digests = Vec::with_capacity(self.files.len() * size_of::<u64>());
        for file in &self.files {
            let segment = file.segment().map_err(|e| self.named(e))?;
            digests.extend(segment.digest()?.to_le_bytes());
        }
        Ok(sip_hash_128(&digests))
    }

    /// The companion at a place in the summary, as a part of its own, which `summary` describes.
    pub(crate) fn companion_part(
        &self,
        place: usize,
        summary: Arc<PartSummary>,
    ) -> Option<Arc<Self>> {
        let file = Arc::clone(self.files.get(1 + self.summary.overlays.len() + place)?);
        let (dir, files) = (Arc::clone(&self.dir), vec![file]);
        let (layers, spans) = (OnceLock::new(), KnownSpans::default());
        let removed = AtomicBool::new(false);
        Some(Arc::new(Self { summary, dir, files, layers, spans, removed }))
    }

    #[cold]
    fn named(&self, e: Error) -> Error {
        e.context(format!("Part {}", self.summary.name()))
    }

    /// The base segment, followed by those of the overlays.
    pub(crate) fn segments(&self) -> Result<Vec<Arc<Segment>>> {
        let files = &self.files[..=self.summary.overlays.len()];
        let opened = files.iter().map(|file| file.segment().map(Arc::clone));
        opened.collect::<Result<_>>().map_err(|e| self.named(e))
    }

    /// Whether one of its files is known to be damaged. Companions do not count, because merges
    /// do not read them.
    pub(crate) fn is_damaged(&self) -> bool {
        self.files[..=self.summary.overlays.len()]
            .iter()
            .any(|file| self.dir.faults.has(&file.path()))
    }

    /// Marks the files for deletion when the last holder releases this part.
    pub(crate) fn mark_removed(&self) {
        self.removed.store(true, Ordering::Release);
        self.files.iter().for_each(|file| file.removed.store(true, Ordering::Release));
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if self.removed.load(Ordering::Acquire) {
            events::one(Event::PartsRemoved);
        }
    }
}
