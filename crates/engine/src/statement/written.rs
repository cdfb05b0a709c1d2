//! A sink that counts the rows that pass into a table's sink.

use std::sync::Arc;

use entasis_base::Result;
use entasis_base::events::{self, Event};
use entasis_pipeline::{Flow, Morsel, QueryContext, Sink, SinkState};
use entasis_table_api::{InsertSink, Prepared};

use crate::process::Process;

/// Counts rows and bytes on the account of the statement that writes them.
pub(crate) struct CountedSink {
    pub inner: Arc<dyn InsertSink>,
    pub process: Arc<Process>,
}

impl Sink for CountedSink {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn open(&self) -> Result<Box<dyn SinkState>> {
        Ok(Box::new(Counted { inner: self.inner.open()?, process: Arc::clone(&self.process) }))
    }

    fn finalize(&self, context: &QueryContext) -> Result<()> {
        self.inner.finalize(context)
    }

    fn is_full(&self) -> bool {
        self.inner.is_full()
    }
}

impl InsertSink for CountedSink {
    fn keeps_order(&self) -> bool {
        self.inner.keeps_order()
    }

    fn prepared(&self) -> Result<Vec<Prepared>> {
        self.inner.prepared()
    }
}

struct Counted {
    inner: Box<dyn SinkState>,
    process: Arc<Process>,
}

impl SinkState for Counted {
    fn push(&mut self, morsel: Morsel) -> Result<Flow> {
        let (rows, bytes) = (morsel.chunk.rows as u64, morsel.chunk.byte_size() as u64);
        let flow = self.inner.push(morsel)?;
        events::add(Event::InsertedRows, rows);
        events::add(Event::InsertedBytes, bytes);
        self.process.written.add(rows, bytes);
        Ok(flow)
    }

    fn combine(self: Box<Self>) -> Result<()> {
        self.inner.combine()
    }
}
