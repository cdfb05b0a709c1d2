//! The rows of the right side that a worker cannot keep.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use entasis_base::Result;

use super::scatter::{PARTITIONS, Scatter, partition_of};
use super::{Partitions, hashes_of, keys_from, layout_of, written};
use crate::aggregate::keys::KeyLayout;
use crate::join::Spec;
use crate::join::build::Piece;

/// Divides a worker's rows into those that stay in memory and those that are written.
pub struct Overflow {
    spec: Arc<Spec>,
    partitions: Arc<Partitions>,
    layout: Option<KeyLayout>,
    keyed: Scatter,
    rest: Scatter,
    /// The boundary up to which this worker has written.
    boundary: usize,
}

impl Overflow {
    pub fn new(spec: &Arc<Spec>, partitions: &Arc<Partitions>) -> Self {
        Self {
            spec: Arc::clone(spec),
            partitions: Arc::clone(partitions),
            layout: layout_of(spec),
            keyed: Scatter::new(partitions),
            rest: Scatter::new(partitions),
            boundary: 0,
        }
    }

    /// Whether other partitions than those known to this worker are to be written.
    pub fn is_behind(&self) -> bool {
        self.partitions.boundary() != self.boundary
    }

    /// Takes over the boundary of all workers. The pieces that were kept must be divided again.
    pub fn catch_up(&mut self) -> usize {
        self.boundary = self.partitions.boundary();
        self.boundary
    }

    /// The boundary up to which this worker writes.
    pub fn boundary(&self) -> usize {
        self.boundary
    }

    /// Raises the boundary, so that about `excess` of the `held` bytes of this worker are written.
    pub fn raise(&self, excess: usize, held: usize) {
        let left = PARTITIONS - self.boundary;
        let more = left as u128 * excess as u128;
        let more = more.div_ceil(held.max(1) as u128).clamp(1, left.max(1) as u128) as usize;
        let raised = if self.layout.is_some() { self.boundary + more } else { PARTITIONS };
        self.partitions.boundary.fetch_max(raised.min(PARTITIONS), Ordering::AcqRel);
    }

    /// Writes the rows of partitions below the boundary, and returns the others.
    pub fn divide(&mut self, piece: Piece) -> Result<Option<Piece>> {
        if self.boundary == 0 {
            return Ok(Some(piece));
        }
        let Piece { sequence, number, chunk, keys, picked } = piece;
        let placed = |chunk, keys| written(&self.spec, chunk, keys, sequence);
        let (Some(keys), Some(layout)) = (keys, &self.layout) else {
            let rows = chunk.rows;
            self.rest.add(placed(chunk, None), std::iter::repeat_n(0, rows))?;
            return Ok(None);
        };
        if let Some(picked) = picked.as_ref().filter(|_| self.spec.keep_right) {
            let mut keyed = picked.iter().peekable();
            let others = (0..chunk.rows as u32).filter(|row| keyed.next_if_eq(&row).is_none());
            let others = chunk.take(&others.collect::<Vec<u32>>());
            let rows = others.rows;
            self.rest.add(placed(others, None), std::iter::repeat_n(0, rows))?;
        }
        let (mut stay, mut go, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (hash, at) in hashes_of(&keys).into_iter().zip(0u32..) {
            let place = partition_of(hash, 0);
            if usize::from(place) < self.boundary {
                go.push(at);
                places.push(place);
            } else {
                stay.push(at);
            }
        }
        let column = keys.to_column();
        let rows_of = |list: &[u32]| match &picked {
            Some(picked) => {
                chunk.take(&list.iter().map(|at| picked[*at as usize]).collect::<Vec<_>>())
            }
            None => chunk.take(list),
        };
        self.keyed.add(placed(rows_of(&go), Some(column.take(&go))), places)?;
        if stay.is_empty() {
            return Ok(None);
        }
        let keys = Some(keys_from(layout, column.take(&stay))?);
        Ok(Some(Piece { sequence, number, chunk: rows_of(&stay), keys, picked: None }))
    }

    /// Writes what is pending, and hands over what this worker has written.
    pub fn finish(&mut self) -> Result<()> {
        let parts = self.keyed.finish()?;
        let rest = self.rest.finish()?.into_iter().flatten().next();
        self.partitions.add_right(parts, rest);
        Ok(())
    }
}
