//! The right rows without a match, which are read after the left side has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::{Chunk, Column};
use entasis_pipeline::{Morsel, Read, Reader, Source};

use super::Spec;
use super::build::Build;
use super::built::Built;

/// A source whose morsels are blocks of the right side.
pub struct Unmatched {
    build: Arc<Build>,
    next: Arc<AtomicUsize>,
}

impl Unmatched {
    pub fn new(build: Arc<Build>) -> Self {
        Self { build, next: Arc::default() }
    }
}

impl Source for Unmatched {
    fn name(&self) -> String {
        "JoinRest".into()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        Ok(Box::new(Self { build: Arc::clone(&self.build), next: Arc::clone(&self.next) }))
    }

    fn morsels(&self) -> Option<usize> {
        let built = self.build.built().ok()?;
        Some(built.rows.div_ceil(self.build.spec.max_block_size))
    }
}

impl Reader for Unmatched {
    fn next(&mut self) -> Result<Read> {
        let (spec, built) = (&self.build.spec, self.build.built()?);
        loop {
            let block = self.next.fetch_add(1, Ordering::Relaxed);
            let start = block.saturating_mul(spec.max_block_size);
            if start >= built.rows {
                return Ok(Read::Done);
            }
            let end = built.rows.min(start + spec.max_block_size);
            if let Some(chunk) = rows_of(spec, built, start, end) {
                return Ok(Read::Chunk(Morsel { sequence: block as u64, chunk }));
            }
        }
    }
}

/// The rows among `from .. to` without a match; `None` if all have one.
pub fn rows_of(spec: &Spec, built: &Built, from: usize, to: usize) -> Option<Chunk> {
    let rows = built.unused(from, to);
    if rows.is_empty() {
        return None;
    }
    events::one(Event::JoinNonJoinedTransformBlockCount);
    events::add(Event::JoinNonJoinedTransformRowCount, rows.len() as u64);
    let left = spec
        .left_outputs
        .iter()
        .map(|(_, ty)| Column::constant(Column::default_of(ty, 1), rows.len()));
    let right = built.outputs.iter().map(|c| c.take(&rows));
    Some(Chunk::new(left.chain(right).collect(), rows.len()))
}
