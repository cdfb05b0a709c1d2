//! Chunks in memory or on disk, and the source of such chunks.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use entasis_base::Result;
use entasis_column::Chunk;
use entasis_pipeline::{Morsel, Read, Reader, Source};

use super::Rows;
use crate::spill::{SpillFile, Spilled};

/// Rows `start .. start + rows` of a chunk.
#[derive(Clone)]
pub struct Kept {
    place: Place,
    start: usize,
    rows: usize,
}

#[derive(Clone)]
enum Place {
    Memory(Chunk),
    /// The only block of this list.
    Disk(Arc<Spilled>),
}

impl From<Chunk> for Kept {
    fn from(chunk: Chunk) -> Self {
        Self { start: 0, rows: chunk.rows, place: Place::Memory(chunk) }
    }
}

impl Rows for Kept {
    fn rows(&self) -> usize {
        self.rows
    }

    fn slice(&self, start: usize, len: usize) -> Self {
        Self { place: self.place.clone(), start: self.start + start, rows: len }
    }
}

impl Kept {
    /// Moves the rows to a file.
    pub fn write(&mut self, file: &mut SpillFile) -> Result<()> {
        if let Place::Memory(chunk) = &self.place {
            let mut spilled = file.begin();
            file.write(chunk, &mut spilled)?;
            self.place = Place::Disk(Arc::new(spilled));
        }
        Ok(())
    }

    /// The rows.
    pub fn read(&self) -> Result<Chunk> {
        let chunk = match &self.place {
            Place::Memory(chunk) => chunk.clone(),
            Place::Disk(spilled) => spilled.read(0)?,
        };
        let is_whole = (self.start, self.rows) == (0, chunk.rows);
        Ok(if is_whole { chunk } else { chunk.slice(self.start, self.rows) })
    }
}

/// The source of what a sink has kept; each chunk is a morsel.
pub struct KeptSource {
    kept: Arc<OnceLock<Vec<Kept>>>,
    next: Arc<AtomicUsize>,
}

impl KeptSource {
    pub fn new(kept: Arc<OnceLock<Vec<Kept>>>) -> Self {
        Self { kept, next: Arc::default() }
    }
}

impl Source for KeptSource {
    fn name(&self) -> String {
        "Stored".into()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Self { kept: Arc::clone(&self.kept), next: Arc::clone(&self.next) }))
    }

    fn morsels(&self) -> Option<usize> {
        self.kept.get().map(Vec::len)
    }
}

impl Reader for KeptSource {
    fn next(&mut self) -> Result<Read> {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(kept) = self.kept.get().and_then(|kept| kept.get(at)) else {
                return Ok(Read::Done);
            };
            let chunk = kept.read()?;
            if !chunk.is_empty() {
                return Ok(Read::Chunk(Morsel { sequence: at as u64, chunk }));
            }
        }
    }
}
