//! SYSTEM: commands to the server.

use entasis_base::{Error, Result, meter};
use entasis_sql::ast;

use crate::Session;
use crate::catalog::unknown_database;

/// Commands that empty caches of the reference. Nothing is kept from one query to the next here, so
/// that there is nothing to empty.
const CACHES: &[&str] = &[
    "DROP COMPILED EXPRESSION CACHE",
    "DROP DNS CACHE",
    "DROP FILESYSTEM CACHE",
    "DROP INDEX MARK CACHE",
    "DROP INDEX UNCOMPRESSED CACHE",
    "DROP MARK CACHE",
    "DROP MMAP CACHE",
    "DROP PAGE CACHE",
    "DROP PRIMARY INDEX CACHE",
    "DROP QUERY CACHE",
    "DROP QUERY CONDITION CACHE",
    "DROP SCHEMA CACHE",
    "DROP UNCOMPRESSED CACHE",
];

impl Session {
    pub(crate) fn system(&self, system: &ast::System) -> Result<()> {
        let name = system.name.as_ref();
        match (system.command.as_str(), name, system.rest.is_empty()) {
            ("FLUSH LOGS", name, true) => {
                let name = name.map(|name| name.table.as_str());
                self.engine.logs().map_or(Ok(()), |logs| logs.flush(name))?;
            }
            ("STOP MERGES", name, true) => self.set_merges(name, false)?,
            ("START MERGES", name, true) => self.set_merges(name, true)?,
            ("JEMALLOC PURGE", None, true) => meter::purge(),
            (command, None, true) if CACHES.contains(&command) => {}
            (command, name, _) => {
                let name = name.map_or("", |name| name.table.as_str());
                let what = format!("SYSTEM {command} {name} {}", system.rest);
                return Err(Error::not_implemented(what.trim_end()));
            }
        }
        Ok(())
    }

    /// Stops or starts the merges of one table, or of all. As in the reference, it is no error if
    /// the table does not exist or has no parts.
    fn set_merges(&self, name: Option<&ast::TableName>, run: bool) -> Result<()> {
        let catalog = &self.engine.catalog;
        let Some(name) = name else {
            catalog.store().set_merges(None, run);
            return Ok(());
        };
        let (database, table) = self.full_name(name);
        if !catalog.has_database(&database) {
            return Err(unknown_database(&database));
        }
        if let Some(id) = catalog.entry(&database, &table).ok().and_then(|entry| entry.id) {
            catalog.store().set_merges(Some(id), run);
        }
        Ok(())
    }
}
