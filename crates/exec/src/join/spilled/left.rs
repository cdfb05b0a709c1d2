//! The rows of the left side whose partitions are on disk.

use std::sync::Arc;

use entasis_base::Result;
use entasis_column::{Bitmap, Chunk, Column};

use super::scatter::{Scatter, partition_of};
use super::{Partitions, hashes_of, layout_of};
use crate::aggregate::keys::KeyLayout;
use crate::join::Spec;
use crate::join::build::{split_keys, widened};

/// Divides one worker's left rows into those that are joined at once and those that are written.
pub struct LeftOverflow {
    spec: Arc<Spec>,
    partitions: Arc<Partitions>,
    layout: Option<KeyLayout>,
    scatter: Scatter,
}

impl LeftOverflow {
    pub fn new(spec: &Arc<Spec>, partitions: &Arc<Partitions>) -> Self {
        Self {
            spec: Arc::clone(spec),
            partitions: Arc::clone(partitions),
            layout: layout_of(spec),
            scatter: Scatter::new(partitions),
        }
    }

    /// Writes the rows of partitions on disk, and returns the others.
    pub fn divide(&mut self, chunk: Chunk) -> Result<Chunk> {
        let Some(layout) = &self.layout else {
            let (rows, none) = (chunk.rows, chunk.slice(0, 0));
            self.scatter.add(chunk, std::iter::repeat_n(0, rows))?;
            return Ok(none);
        };
        let (hashes, valid) = hashes_of_left(&self.spec, layout, &chunk)?;
        let boundary = self.partitions.boundary();
        let (mut stay, mut go, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (row, hash) in (0u32..).zip(hashes) {
            let place = partition_of(hash, 0);
            let has_key = valid.as_ref().is_none_or(|valid| valid.get(row as usize));
            if has_key && usize::from(place) < boundary {
                go.push(row);
                places.push(place);
            } else {
                stay.push(row);
            }
        }
        self.scatter.add(chunk.take(&go), places)?;
        Ok(chunk.take(&stay))
    }

    /// Writes what is pending, and hands over what this worker has written.
    pub fn finish(&mut self) -> Result<()> {
        let parts = self.scatter.finish()?;
        match self.layout {
            Some(_) => self.partitions.add_left(parts, None),
            None => self.partitions.add_left(Vec::new(), parts.into_iter().flatten().next()),
        }
        Ok(())
    }
}

/// The hashes of the keys of left rows, and which rows have a key; `None` if all have.
pub fn hashes_of_left(
    spec: &Spec,
    layout: &KeyLayout,
    chunk: &Chunk,
) -> Result<(Vec<u64>, Option<Bitmap>)> {
    let columns: Vec<Column> = spec.left_columns(chunk);
    let (plain, valid) = split_keys(&columns[..spec.key_types.len()], None);
    let keys = widened(layout.encode(&plain, chunk.rows)?);
    Ok((hashes_of(&keys), valid))
}
