//! SYSTEM: commands to the server.

use entasis_base::{Error, Result, meter};
use entasis_sql::ast;

use crate::Session;
use crate::catalog::unknown_database;

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
            (command, None, true) if drops_cache(command) => {}
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

/// Whether a command empties a cache. Nothing that is read or computed outlives its statement, so
/// there is nothing to do: the next statement starts as if the cache had been emptied.
fn drops_cache(command: &str) -> bool {
    const CACHES: [&str; 14] = [
        "MARK",
        "INDEX MARK",
        "UNCOMPRESSED",
        "INDEX UNCOMPRESSED",
        "PRIMARY INDEX",
        "PAGE",
        "MMAP",
        "FILESYSTEM",
        "QUERY",
        "QUERY CONDITION",
        "COMPILED EXPRESSION",
        "SCHEMA",
        "FORMAT SCHEMA",
        "DNS",
    ];
    let cache = command.strip_prefix("DROP ").or_else(|| command.strip_prefix("CLEAR "));
    cache.and_then(|rest| rest.strip_suffix(" CACHE")).is_some_and(|name| CACHES.contains(&name))
}
