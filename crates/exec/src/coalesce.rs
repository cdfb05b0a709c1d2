//! Combines small chunks, so that the steps after a selective one keep working on whole blocks.

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_column::Chunk;
use entasis_pipeline::{Flow, Operator, OperatorState, Output, QueryContext};
use std::sync::Arc;

/// Holds chunks back until they have a quarter of the block size together. One per operator state.
pub struct Coalescer {
    pending: Vec<Chunk>,
    rows: usize,
    small: usize,
    /// Whether rows must stay within their morsel.
    ordered: bool,
}

impl Coalescer {
    /// A coalescer for blocks of `max_block_size`; `ordered` if source order matters downstream.
    pub fn new(max_block_size: usize, ordered: bool) -> Self {
        Self { pending: Vec::new(), rows: 0, small: max_block_size / 4, ordered }
    }

    /// Passes a large chunk on if nothing is held back; otherwise holds the chunk back until there
    /// are enough rows.
    pub fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        if chunk.is_empty() {
            return Ok(Flow::More);
        }
        if self.pending.is_empty() && chunk.rows >= self.small {
            return out.push(chunk);
        }
        self.rows += chunk.rows;
        self.pending.push(chunk);
        if self.rows >= self.small { self.finish(out) } else { Ok(Flow::More) }
    }

    /// Pushes what was held back before a morsel ends, if source order matters.
    pub fn flush(&mut self, out: &mut dyn Output) -> Result<Flow> {
        if self.ordered { self.finish(out) } else { Ok(Flow::More) }
    }

    /// Pushes everything that was held back, as one chunk.
    pub fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        if self.pending.is_empty() {
            return Ok(Flow::More);
        }
        self.rows = 0;
        let chunks = std::mem::take(&mut self.pending);
        events::add(Event::CoalescedChunks, chunks.len() as u64);
        out.push(Chunk::concat(&chunks))
    }
}

/// Coalescing as an operator of its own, behind a scan that filters.
pub struct Coalesce {
    max_block_size: usize,
    ordered: bool,
}

impl Coalesce {
    pub fn create(context: &QueryContext, ordered: bool) -> Arc<dyn Operator> {
        Arc::new(Self { max_block_size: context.max_block_size, ordered })
    }
}

impl Operator for Coalesce {
    fn name(&self) -> String {
        "Coalesce".into()
    }

    fn open(&self) -> Result<Box<dyn OperatorState>> {
        Ok(Box::new(Coalescer::new(self.max_block_size, self.ordered)))
    }
}

impl OperatorState for Coalescer {
    fn push(&mut self, chunk: Chunk, out: &mut dyn Output) -> Result<Flow> {
        Self::push(self, chunk, out)
    }

    fn flush(&mut self, out: &mut dyn Output) -> Result<Flow> {
        Self::flush(self, out)
    }

    fn finish(&mut self, out: &mut dyn Output) -> Result<Flow> {
        Self::finish(self, out)
    }
}
