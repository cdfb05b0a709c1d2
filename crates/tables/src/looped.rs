//! The table function `loop`: the rows of another table, again and again. A query that does not
//! stop by itself (LIMIT) runs until it is cancelled.

use std::sync::{Arc, Mutex};

use entasis_base::sync::lock;
use entasis_base::{Result, scope};
use entasis_pipeline::{Morsel, QueryContext, Read, Reader, Source};
use entasis_table_api::{PinnedStores, ScanSpec, Schema, Snapshot, Table};

/// A table that repeats another.
pub struct Looped {
    table: Arc<dyn Table>,
}

impl Looped {
    /// Repeats the rows of `table`.
    pub fn new(table: Arc<dyn Table>) -> Arc<Self> {
        Arc::new(Self { table })
    }
}

impl Table for Looped {
    fn engine(&self) -> &'static str {
        "Loop"
    }

    fn schema(&self) -> Arc<Schema> {
        self.table.schema()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(Endless(self.table.snapshot()?)))
    }

    fn snapshot_in(&self, pinned: &PinnedStores) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(Endless(self.table.snapshot_in(pinned)?)))
    }
}

struct Endless(Arc<dyn Snapshot>);

impl Snapshot for Endless {
    fn row_count(&self) -> Option<u64> {
        None
    }

    fn is_endless(&self) -> bool {
        true
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        // Each pass would keep to the limit; only all passes together must.
        let spec = ScanSpec { limit: None, sorted_prefix: 0, order: Vec::new(), ..spec.clone() };
        let (rows, context) = (Arc::clone(&self.0), context.clone());
        let first = rows.scan(&spec, &context)?;
        let next = Mutex::default();
        Ok(Arc::new(Passes { rows, spec, context, first, next }))
    }
}

struct Passes {
    rows: Arc<dyn Snapshot>,
    spec: ScanSpec,
    context: QueryContext,
    first: Arc<dyn Source>,
    next: Mutex<u64>,
}

impl Source for Passes {
    fn name(&self) -> String {
        "Loop".to_string()
    }

    fn reader(&self) -> Result<Box<dyn Reader>> {
        // One worker reads everything: the others find no rows.
        let mut next = lock(&self.next);
        *next += 1;
        let reader = (*next == 1).then(|| self.first.reader()).transpose()?;
        let (rows, spec) = (Arc::clone(&self.rows), self.spec.clone());
        let (context, found, chunks) = (self.context.clone(), false, 0);
        Ok(Box::new(Pass { rows, spec, context, reader, found, chunks }))
    }
}

struct Pass {
    rows: Arc<dyn Snapshot>,
    spec: ScanSpec,
    context: QueryContext,
    reader: Option<Box<dyn Reader>>,
    /// Whether this pass has found a row. A pass without rows is the last one.
    found: bool,
    /// Number of chunks so far, which is their order.
    chunks: u64,
}

impl Reader for Pass {
    fn next(&mut self) -> Result<Read> {
        loop {
            scope::check()?;
            self.context.cancel.check()?;
            let Some(reader) = &mut self.reader else { return Ok(Read::Done) };
            match reader.next()? {
                Read::Done if self.found && !self.context.progress.is_over() => {
                    self.found = false;
                    self.reader = Some(self.rows.scan(&self.spec, &self.context)?.reader()?);
                }
                Read::Chunk(morsel) => {
                    self.found |= morsel.chunk.rows > 0;
                    self.chunks += 1;
                    let sequence = self.chunks;
                    return Ok(Read::Chunk(Morsel { sequence, chunk: morsel.chunk }));
                }
                other => return Ok(other),
            }
        }
    }
}
