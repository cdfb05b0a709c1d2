//! What the catalog does for tables that hand rows on to other tables: it finds these by name, and
//! tells a table when it is about to go away.

use std::sync::Arc;

use entasis_base::{Result, message};
use entasis_table_api::{FindTable, Table};

use super::{EngineCatalog, Entry};

/// Lets a table pass on the rows that are only in memory. The table goes away even if that fails.
pub(super) fn close(entry: &Entry) {
    if let Err(error) = entry.table.close() {
        message!(Error, "Catalog", "{}", error);
    }
}

impl EngineCatalog {
    /// Lets all tables pass on the rows that are only in memory.
    pub(crate) fn close(&self) {
        for entry in self.current().values().flat_map(|tables| tables.values()) {
            close(entry);
        }
    }
}

impl FindTable for EngineCatalog {
    fn find_table(&self, database: &str, table: &str) -> Result<Arc<dyn Table>> {
        let entry = self.entry(database, table)?;
        self.check_usable(&entry)?;
        Ok(Arc::clone(&entry.table))
    }
}
