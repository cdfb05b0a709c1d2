//! A table whose definition could not be opened. It keeps its name and can be dropped; every other
//! use answers why it could not be opened. Other tables are not affected.

use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_mergetree::TableRecord;
use entasis_pipeline::QueryContext;
use entasis_table_api::{MergeRequest, Schema, Snapshot, Table};

use super::Entry;
use crate::definition::TableDefinition;

/// The catalog's entry of a table that could not be opened.
pub(crate) fn entry(record: &TableRecord, error: &Error) -> Entry {
    // The name of the engine stays empty if the stored text cannot be parsed.
    let create = TableDefinition::parse(&record.definition, record.version).ok();
    let engine = create.and_then(|c| c.storage.engine).map_or(String::new(), |e| e.name);
    let table = Arc::new(Unusable { engine, error: error.duplicate() });
    Entry { table, definition: None, view: None, id: Some(record.id) }
}

struct Unusable {
    engine: String,
    error: Error,
}

impl Table for Unusable {
    fn engine(&self) -> &str {
        &self.engine
    }

    fn schema(&self) -> Arc<Schema> {
        Schema::new(Vec::new())
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Err(self.error.duplicate())
    }

    fn truncate(&self) -> Result<()> {
        Err(self.error.duplicate())
    }

    fn merge(&self, _request: &MergeRequest, _context: &QueryContext) -> Result<()> {
        Err(self.error.duplicate())
    }
}
