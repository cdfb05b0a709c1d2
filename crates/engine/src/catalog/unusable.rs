//! A table whose definition could not be opened: it has a name, answers why it cannot be used, and
//! can be dropped. The other tables are not concerned.

use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_mergetree::TableRecord;
use entasis_table::{Schema, Snapshot, Table};

use crate::catalog::Entry;

/// The catalog's entry of such a table.
pub(crate) fn entry(record: &TableRecord, error: &Error) -> Entry {
    let engine = record.definition.split("ENGINE = ").nth(1).unwrap_or_default();
    let name: String = engine.chars().take_while(char::is_ascii_alphanumeric).collect();
    let table = Arc::new(Unusable { engine: name, error: error.duplicate() });
    // Without a definition: system tables parse it, and that is what has failed.
    Entry { table, definition: "".into(), id: Some(record.id), checks: Arc::default() }
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
