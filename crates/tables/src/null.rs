//! The Null engine: accepts all rows and stores none.

use std::sync::Arc;

use entasis_base::Result;
use entasis_pipeline::{Discard, QueryContext, Source};
use entasis_table_api::{InsertSink, ScanSpec, Schema, Snapshot, Table};

use crate::memory::Fixed;

/// A table that discards its rows.
#[derive(Debug)]
pub struct Null {
    schema: Arc<Schema>,
}

impl Null {
    /// A table with these columns, which is always empty.
    pub fn new(schema: Arc<Schema>) -> Arc<Self> {
        Arc::new(Self { schema })
    }
}

impl Table for Null {
    fn engine(&self) -> &'static str {
        "Null"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(Empty(Arc::clone(&self.schema))))
    }

    fn insert(&self, _context: &QueryContext) -> Result<Arc<dyn InsertSink>> {
        Ok(Arc::new(Discard("Null")))
    }

    fn truncate(&self) -> Result<()> {
        Ok(())
    }
}

struct Empty(Arc<Schema>);

impl Snapshot for Empty {
    fn row_count(&self) -> Option<u64> {
        Some(0)
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        Fixed::table("Null", Arc::clone(&self.0), Vec::new()).snapshot()?.scan(spec, context)
    }
}
