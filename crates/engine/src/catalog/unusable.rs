//! A table whose definition could not be opened: it has a name, answers why it cannot be used, and
//! can be dropped. The other tables are not concerned.

use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_mergetree::TableRecord;
use entasis_table::{Schema, Snapshot, Table};

use super::Entry;
use crate::definition::TableDefinition;

/// The catalog's entry of such a table.
pub(crate) fn entry(record: &TableRecord, error: &Error) -> Entry {
    // A text that is no statement names no engine.
    let create = TableDefinition::parse(&record.definition, record.version).ok();
    let engine = create.and_then(|c| c.storage.engine).map_or(String::new(), |e| e.name);
    let table = Arc::new(Unusable { engine, error: error.duplicate() });
    Entry { table, definition: None, id: Some(record.id) }
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
}
