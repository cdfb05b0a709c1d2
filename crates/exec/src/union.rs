//! Lets several pipelines end in one sink, each with its own range of sequences.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_pipeline::{Flow, Morsel, QueryContext, Report, Sink, SinkState};

/// Distance between the ranges of two inputs; an input's own sequences are below it.
const STRIDE: u64 = 1 << 40;

/// One input's view of a sink that several pipelines share.
pub struct Shared {
    sink: Arc<dyn Sink>,
    base: u64,
    left: Arc<AtomicUsize>,
}

impl Shared {
    /// Makes views for `count` pipelines. The last pipeline to end finalises the sink.
    pub fn views(sink: &Arc<dyn Sink>, count: usize) -> Vec<Arc<dyn Sink>> {
        if count == 1 {
            return vec![Arc::clone(sink)];
        }
        let left = Arc::new(AtomicUsize::new(count));
        let view = |i: usize| -> Arc<dyn Sink> {
            let (sink, left) = (Arc::clone(sink), Arc::clone(&left));
            Arc::new(Self { sink, base: i as u64 * STRIDE, left })
        };
        (0..count).map(view).collect()
    }
}

impl Sink for Shared {
    fn name(&self) -> String {
        self.sink.name()
    }

    fn report(&self) -> Report {
        self.sink.report()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(Offset { inner: self.sink.open()?, base: self.base }))
    }

    fn finalize(&self, context: &QueryContext) -> Result<()> {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            return self.sink.finalize(context);
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }
}

struct Offset {
    inner: Box<dyn SinkState>,
    base: u64,
}

impl SinkState for Offset {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        events::add(Event::UnionRows, morsel.chunk.rows as u64);
        let sequence = self.base + morsel.sequence;
        self.inner.push(Morsel { sequence, chunk: morsel.chunk })
    }

    fn combine(self: Box<Self>) -> Result<()> {
        self.inner.combine()
    }
}
