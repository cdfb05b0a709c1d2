//! A table that stands for another one while the rows of an INSERT run through a query: the rows
//! are put into it after the query was planned and before it runs.

use std::sync::{Arc, OnceLock};

use entasis_base::{Error, Result};
use entasis_column::Chunk;
use entasis_pipeline::{QueryContext, Source};
use entasis_table_api::{ScanSpec, Schema, Snapshot, Table};

use crate::memory::Fixed;

/// The rows of an INSERT, in place of the table that they are inserted into.
pub struct PushedRows {
    engine: String,
    schema: Arc<Schema>,
    rows: Arc<OnceLock<Vec<Chunk>>>,
}

impl PushedRows {
    /// A table with the columns that a query sees of `table`, and no rows yet. Columns that only
    /// the table itself can supply, and those that are never read, are left out.
    pub fn of(table: &dyn Table) -> Arc<Self> {
        let columns = table.schema().declared().cloned().collect();
        let (engine, schema) = (table.engine().to_owned(), Schema::new(columns));
        Arc::new(Self { engine, schema, rows: Arc::default() })
    }

    /// Gives the table its rows: chunks of all stored columns. Only the first call has an effect.
    pub fn fill(&self, rows: Vec<Chunk>) {
        let _ = self.rows.set(rows);
    }
}

impl Table for PushedRows {
    fn engine(&self) -> &str {
        &self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let (schema, rows) = (Arc::clone(&self.schema), Arc::clone(&self.rows));
        Ok(Arc::new(Pushed { schema, rows }))
    }
}

/// Knows nothing of the rows before it is scanned, so that plans do not depend on them.
struct Pushed {
    schema: Arc<Schema>,
    rows: Arc<OnceLock<Vec<Chunk>>>,
}

impl Snapshot for Pushed {
    fn row_count(&self) -> Option<u64> {
        None
    }

    fn scan(&self, spec: &ScanSpec, context: &QueryContext) -> Result<Arc<dyn Source>> {
        let Some(rows) = self.rows.get() else {
            return Err(Error::logical("the rows of an INSERT are read before there are any"));
        };
        let table = Fixed::table("Pushed", Arc::clone(&self.schema), rows.clone());
        table.snapshot()?.scan(spec, context)
    }
}
