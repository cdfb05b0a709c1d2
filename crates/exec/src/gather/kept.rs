//! Chunks in memory or on disk.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::Chunk;

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

    fn read(&self) -> Result<Chunk> {
        let chunk = match &self.place {
            Place::Memory(chunk) => chunk.clone(),
            Place::Disk(spilled) => spilled.read(0)?,
        };
        let is_whole = (self.start, self.rows) == (0, chunk.rows);
        Ok(if is_whole { chunk } else { chunk.slice(self.start, self.rows) })
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
}
