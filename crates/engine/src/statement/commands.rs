//! SYSTEM: commands to the server.

use entasis_base::{CancelToken, Error, Result, codes, meter};
use entasis_mergetree::{Store, TableId};
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
            ("FLUSH LOGS", Some(name), false) if system.rest.starts_with(',') => {
                let others =
                    system.rest.split(',').map(|name| name.trim().trim_start_matches("system."));
                let names = std::iter::once(name.table.as_str()).chain(others.skip(1));
                if let Some(logs) = self.engine.logs() {
                    names.into_iter().try_for_each(|name| logs.flush(Some(name)))?;
                }
            }
            ("RELOAD DICTIONARY", Some(name), true) => self.reload_dictionary(name)?,
            ("RELOAD DICTIONARIES", None, true) => self.reload_dictionaries()?,
            ("FLUSH ASYNC INSERT QUEUE", name, _) => {
                self.flush_async_inserts(name, &system.rest)?
            }
            (what @ ("STOP MERGES" | "START MERGES"), name, true) => {
                self.set_merges(name, &|store, id| store.set_merges(id, what == "START MERGES"))?;
            }
            // There is one volume only, on which all tables are.
            (what @ ("STOP MERGES" | "START MERGES"), None, false)
                if system.rest.to_uppercase().starts_with("ON VOLUME ") =>
            {
                self.set_merges(None, &|store, id| store.set_merges(id, what == "START MERGES"))?;
            }
            (what @ ("STOP TTL MERGES" | "START TTL MERGES"), name, true) => {
                let run = what == "START TTL MERGES";
                self.set_merges(name, &|store, id| store.set_ttl_merges(id, run))?;
            }
            ("STOP VIEWS", None, true) => self.system_views(false),
            ("START VIEWS", None, true) => self.system_views(true),
            (
                "REFRESH VIEW" | "WAIT VIEW" | "STOP VIEW" | "START VIEW" | "CANCEL VIEW",
                Some(name),
                true,
            ) => {
                let what = system.command.trim_end_matches(" VIEW");
                self.system_view(what, name)?;
            }
            ("JEMALLOC PURGE", None, true) => meter::purge(),
            _ => self.other_command(system)?,
        }
        Ok(())
    }

    /// Inserts what asynchronous INSERTs have collected, for all tables or for some.
    fn flush_async_inserts(&self, name: Option<&ast::TableName>, rest: &str) -> Result<()> {
        let queue = &self.engine.processes.async_inserts;
        let cancel = CancelToken::new();
        let Some(name) = name.map(|name| self.full_name(name)) else {
            return queue.flush(&|_| true, &cancel);
        };
        let others = rest.split(',').map(str::trim).filter(|other| !other.is_empty());
        let other = |other: &str| match other.split_once('.') {
            Some((database, table)) => (database.to_owned(), table.to_owned()),
            None => (self.database.clone(), other.to_owned()),
        };
        let names: Vec<(String, String)> = others.map(other).chain([name]).collect();
        for (database, table) in &names {
            self.engine.catalog.entry(database, table)?;
        }
        queue.flush(&|table| names.contains(table), &cancel)
    }

    fn reload_dictionary(&self, name: &ast::TableName) -> Result<()> {
        let (database, table) = self.full_name(name);
        let entry = self.engine.catalog.entry(&database, &table).ok();
        match entry.as_ref().and_then(|entry| entry.dictionary()) {
            Some(dictionary) => dictionary.reload(),
            None => {
                let message = format!("Dictionary (`{table}`) not found");
                Err(Error::new(codes::BAD_ARGUMENTS, message))
            }
        }
    }

    /// Loads all dictionaries; the first error is the answer, after all others were loaded.
    fn reload_dictionaries(&self) -> Result<()> {
        let catalog = &self.engine.catalog;
        let mut result = Ok(());
        for database in catalog.database_names() {
            let Ok(tables) = catalog.tables(&database) else { continue };
            for (_, entry) in tables {
                let loaded = entry.dictionary().map_or(Ok(()), |dictionary| dictionary.reload());
                result = result.and(loaded);
            }
        }
        result
    }

    /// Stops or starts the merges of one table, or of all. As in the reference, it is no error if
    /// the table does not exist or has no parts.
    fn set_merges(
        &self,
        name: Option<&ast::TableName>,
        set: &dyn Fn(&Store, Option<TableId>),
    ) -> Result<()> {
        let catalog = &self.engine.catalog;
        let Some(name) = name else {
            set(catalog.store(), None);
            return Ok(());
        };
        let (database, table) = self.full_name(name);
        if !catalog.has_database(&database) {
            return Err(unknown_database(&database));
        }
        if let Some(id) = catalog.entry(&database, &table).ok().and_then(|entry| entry.id) {
            set(catalog.store(), Some(id));
        }
        Ok(())
    }
}
