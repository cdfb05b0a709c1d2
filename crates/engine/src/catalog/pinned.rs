//! One state of the whole catalog, for backups: definitions, functions, and the store's tables.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_mergetree::{TableId, TableRecord};
use entasis_table_api::PinnedStores;

use super::functions::SqlFunctions;
use super::{Databases, EngineCatalog, Entry, Tables};

/// A state of the catalog in which the tables of the store, their definitions and their rows belong
/// together.
pub(crate) struct PinnedCatalog {
    databases: Arc<Databases>,
    records: HashMap<TableId, TableRecord>,
    database_texts: HashMap<String, String>,
    /// The functions that users have defined.
    pub functions: Arc<SqlFunctions>,
    /// The state of the store.
    pub stores: PinnedStores,
}

impl EngineCatalog {
    /// Pins the current state. No definition changes meanwhile, and all rows of the store are those
    /// of one moment.
    pub(crate) fn pinned(&self) -> PinnedCatalog {
        let _held = self.lock_changes();
        let stores = PinnedStores::default();
        self.store.pin(&stores);
        let records = self.store.tables().into_iter().map(|record| (record.id, record)).collect();
        PinnedCatalog {
            databases: self.current(),
            records,
            database_texts: self.store.databases().into_iter().collect(),
            functions: self.sql_functions(),
            stores,
        }
    }
}

impl PinnedCatalog {
    /// The names of all databases.
    pub fn database_names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.databases.keys()
    }

    /// The tables of a database.
    pub fn tables(&self, database: &str) -> Option<&Tables> {
        self.databases.get(database).map(|tables| &**tables)
    }

    /// A table.
    pub fn entry(&self, database: &str, table: &str) -> Option<&Arc<Entry>> {
        self.tables(database)?.get(table)
    }

    /// What the store knows of a table; `None` for the engine's own tables.
    pub fn record(&self, entry: &Entry) -> Option<&TableRecord> {
        self.records.get(&entry.id?)
    }

    /// The text of a database; empty if it has nothing of its own.
    pub fn database_text(&self, database: &str) -> &str {
        self.database_texts.get(database).map_or("", String::as_str)
    }
}
