//! Tables without a name in the catalog: detached ones, and dropped ones that UNDROP can bring
//! back.
//!
//! The store is the only place that knows them. A table that is in the store but not in the catalog
//! is detached until the store is opened again. A table that is detached permanently, or dropped,
//! has another name in the store, which no statement can give ([`Hidden`]). Each change is one
//! record of the commit log, so a crash leaves a table in one of these states and never between.
//!
//! Dropped tables are removed after [`KEPT`]. Until then their data stay on the disk.

use std::sync::{Arc, Weak};
use std::time::Duration;

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};
use entasis_mergetree::{Op, TableId, TableRecord};

use super::handed_on::close;
use super::{EngineCatalog, Entry, NameState, make, refuse_system, unknown_database};
use crate::definition::TableDefinition;
use crate::definition::view::Name;
use crate::settings::function_context::StatementContext;

/// How long dropped tables are kept for UNDROP, as in the reference.
const KEPT: Duration = Duration::from_mins(8);

/// The largest table in memory that is kept for UNDROP. Tables on a disk are kept whatever their
/// size is.
const MOST_IN_MEMORY: u64 = 16 << 20;

const DETACHED: &str = "\u{0}detached ";
const DROPPED: &str = "\u{0}dropped ";

/// What the name of a table in the store says about a table that the catalog does not show.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Hidden<'a> {
    /// DETACH TABLE ... PERMANENTLY; its name is this.
    Detached(&'a str),
    /// DROP TABLE, at this time in seconds since 1970; its name was this.
    Dropped(u64, &'a str),
}

impl<'a> Hidden<'a> {
    /// Reads the name of a table in the store; `None` for a usual name.
    pub(crate) fn of(stored: &'a str) -> Option<Self> {
        if let Some(name) = stored.strip_prefix(DETACHED) {
            return Some(Self::Detached(name));
        }
        let mut parts = stored.strip_prefix(DROPPED)?.splitn(3, ' ');
        let at = parts.next()?.parse().ok()?;
        parts.next()?;
        Some(Self::Dropped(at, parts.next()?))
    }
}

/// A row of `system.detached_tables`.
pub(crate) struct DetachedTable {
    pub database: String,
    pub table: String,
    pub permanently: bool,
}

/// A row of `system.dropped_tables`.
pub(crate) struct DroppedTable {
    pub id: TableId,
    pub database: String,
    pub table: String,
    pub engine: String,
    /// When it was dropped, in seconds since 1970.
    pub at: u64,
}

/// How tables are dropped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DropMode {
    /// Names without a table are no error.
    pub if_exists: bool,
    /// A table with rows is an error.
    pub if_empty: bool,
    /// The tables are not kept for UNDROP.
    pub sync: bool,
}

impl EngineCatalog {
    /// Drops tables in one record of the log: all of them, or none if one cannot be dropped.
    pub(crate) fn drop_tables(&self, names: &[Name], mode: DropMode) -> Result<()> {
        let _held = self.lock_changes();
        let (mut ops, mut gone) = (Vec::new(), Vec::new());
        for name in names {
            let entry = match self.entry(&name.0, &name.1) {
                Err(_) if mode.if_exists => continue,
                found => found?,
            };
            if gone.contains(name) {
                continue;
            }
            if mode.if_empty && entry.table.snapshot()?.row_count().is_some_and(|rows| rows > 0) {
                let message = format!("Table {} is not empty: TRUNCATE it first", name.1);
                return Err(Error::new(codes::TABLE_NOT_EMPTY, message));
            }
            close(&entry);
            match entry.id {
                None => refuse_system(&name.0)?,
                Some(id) => ops.push(self.drop_op(id, name, &entry, mode.sync)),
            }
            // A materialised view is dropped together with its inner table.
            if let Some((inner, entry)) = self.inner_of(&name.0, &entry) {
                ops.extend(entry.id.map(|id| Op::DropTable { id }));
                gone.push((name.0.clone(), inner));
            }
            gone.push(name.clone());
        }
        ops.extend(self.expired());
        if !ops.is_empty() {
            self.store.execute_all(ops)?;
        }
        self.forget(&gone);
        Ok(())
    }

    fn drop_op(&self, id: TableId, name: &Name, entry: &Entry, sync: bool) -> Op {
        // A disk in memory has no limit of its own.
        let in_memory = self.store.free_space().is_none_or(|bytes| bytes == u64::MAX);
        let is_small = || entry.table.total_bytes().unwrap_or(0) <= MOST_IN_MEMORY;
        if sync || entry.view.is_some() || in_memory && !is_small() {
            return Op::DropTable { id };
        }
        let hidden = format!("{DROPPED}{} {} {}", self.store.now(), id.0, name.1);
        Op::RenameTable { id, database: name.0.clone(), name: hidden }
    }

    /// Removes names from the catalog.
    fn forget(&self, names: &[Name]) {
        self.change(|databases| {
            for (database, table) in names {
                if let Some(tables) = databases.get_mut(database.as_str()) {
                    Arc::make_mut(tables).remove(table.as_str());
                }
            }
        });
    }

    /// The records that remove the dropped tables whose time is over.
    fn expired(&self) -> Vec<Op> {
        let now = self.store.now();
        let is_over = |table: &DroppedTable| table.at + KEPT.as_secs() <= now;
        let over = self.dropped_tables().into_iter().filter(is_over);
        over.map(|table| Op::DropTable { id: table.id }).collect()
    }

    /// Removes the dropped tables whose time is over.
    pub(crate) fn purge_dropped(&self) {
        if self.store.is_read_only() {
            return;
        }
        let _held = self.lock_changes();
        let ops = self.expired();
        if !ops.is_empty() {
            // If the disk fails here, the tables are removed later.
            let _ = self.store.execute_all(ops);
        }
    }

    /// The tables that UNDROP can bring back, the one that was dropped last at the end.
    pub(crate) fn dropped_tables(&self) -> Vec<DroppedTable> {
        let row = |record: TableRecord| match Hidden::of(&record.name) {
            Some(Hidden::Dropped(at, name)) => {
                let create = TableDefinition::parse(&record.definition, record.version).ok();
                let engine =
                    create.and_then(|c| c.storage.engine).map_or(String::new(), |e| e.name);
                let table = name.to_string();
                Some(DroppedTable { id: record.id, database: record.database, table, engine, at })
            }
            _ => None,
        };
        let mut rows: Vec<_> =
            self.store.tables_named(DROPPED).into_iter().filter_map(row).collect();
        rows.sort_by_key(|row| (row.at, row.id));
        rows
    }

    /// The tables that are detached.
    pub(crate) fn detached_tables(&self) -> Vec<DetachedTable> {
        let databases = self.current();
        let row = |record: TableRecord| {
            let tables = databases.get(record.database.as_str())?;
            let (table, permanently) = match Hidden::of(&record.name) {
                Some(Hidden::Detached(name)) => (name.to_string(), true),
                Some(Hidden::Dropped(..)) => return None,
                None if record.name.starts_with('\u{0}') => return None,
                None if tables.contains_key(record.name.as_str()) => return None,
                None => (record.name, false),
            };
            Some(DetachedTable { database: record.database, table, permanently })
        };
        self.store.tables().into_iter().filter_map(row).collect()
    }

    /// Fails if a detached table has the name; a new table cannot have it, because ATTACH would
    /// then have no place for the old one.
    pub(crate) fn refuse_detached(&self, database: &str, name: &str) -> Result<()> {
        let how = if self.store.has_name(database, name) {
            "detached"
        } else if self.store.has_name(database, &format!("{DETACHED}{name}")) {
            "detached permanently"
        } else {
            return Ok(());
        };
        let message = format!(
            "Table `{database}`.`{name}` already exists ({how}): ATTACH it, or choose another name"
        );
        Err(Error::new(codes::TABLE_ALREADY_EXISTS, message))
    }

    /// Takes a table out of the catalog, without removing it from the store.
    pub(crate) fn detach_table(&self, name: &Name, permanently: bool) -> Result<()> {
        let _held = self.lock_changes();
        let entry = self.entry(&name.0, &name.1)?;
        let Some(id) = entry.id else { return refuse_system(&name.0) };
        if permanently {
            let (database, name) = (name.0.clone(), format!("{DETACHED}{}", name.1));
            self.store.execute_all(vec![Op::RenameTable { id, database, name }])?;
        }
        lock(&self.detached).insert(id, Arc::downgrade(&entry));
        self.forget(std::slice::from_ref(name));
        Ok(())
    }

    /// Puts a detached table back under its name; answers whether there was one.
    pub(crate) fn attach_table(
        &self,
        name: &Name,
        if_not_exists: bool,
        function_context: &StatementContext,
    ) -> Result<()> {
        let _held = self.lock_changes();
        let (database, table) = (name.0.as_str(), name.1.as_str());
        let tables = self.tables_of(database)?;
        if tables.contains_key(table) {
            let message = format!("Table {database}.{table} already exists");
            let exists = Error::new(codes::TABLE_ALREADY_EXISTS, message);
            return if if_not_exists { Ok(()) } else { Err(exists) };
        }
        let hidden = format!("{DETACHED}{table}");
        let found = self.store.table_named(database, table);
        let Some(record) = found.or_else(|| self.store.table_named(database, &hidden)) else {
            let message = format!(
                "There is no metadata of table `{table}` in database `{database}`: ATTACH needs a \
                 table that was detached, and `system.detached_tables` lists them"
            );
            return Err(Error::new(codes::CANNOT_GET_CREATE_TABLE_QUERY, message));
        };
        let entry = self.opened(&record, function_context)?;
        if record.name == hidden {
            self.rename_in_store(record.id, name)?;
        }
        self.put(database, table, entry);
        Ok(())
    }

    /// Opens a table that has no entry in the catalog. If statements still use the entry that it
    /// had, it gets that one again, so that there is one handle of its parts.
    fn opened(
        &self,
        record: &TableRecord,
        function_context: &StatementContext,
    ) -> Result<Arc<Entry>> {
        let known = lock(&self.detached).remove(&record.id);
        match known.as_ref().and_then(Weak::upgrade) {
            Some(entry) => Ok(entry),
            None => make::open_table(&self.store, record, function_context).map(Arc::new),
        }
    }

    fn rename_in_store(&self, id: TableId, to: &Name) -> Result<()> {
        let (database, name) = to.clone();
        self.store.execute_all(vec![Op::RenameTable { id, database, name }])
    }

    /// Brings back the table of this name that was dropped last.
    pub(crate) fn undrop_table(
        &self,
        name: &Name,
        function_context: &StatementContext,
    ) -> Result<()> {
        let _held = self.lock_changes();
        let (database, table) = (name.0.as_str(), name.1.as_str());
        if self.tables_of(database)?.contains_key(table) {
            let message = format!("Cannot undrop table, {database}.{table} already exists");
            return Err(Error::new(codes::TABLE_ALREADY_EXISTS, message));
        }
        self.refuse_detached(database, table)?;
        let is_meant = |row: &DroppedTable| row.database == database && row.table == table;
        let dropped = self.dropped_tables();
        let found = dropped.iter().rfind(|row| is_meant(row));
        let record = found.and_then(|row| self.store.tables().into_iter().find(|r| r.id == row.id));
        let Some(record) = record else {
            let message = format!(
                "Table {database}.{table} is being dropped, has been dropped, or the database \
                 engine does not support UNDROP: `system.dropped_tables` lists the tables that can \
                 be brought back"
            );
            return Err(Error::new(codes::UNKNOWN_TABLE, message));
        };
        let entry = self.opened(&record, function_context)?;
        self.rename_in_store(record.id, name)?;
        self.put(database, table, entry);
        Ok(())
    }

    /// Takes a database with its tables out of the catalog, without removing it from the store.
    pub(crate) fn detach_database(&self, name: &str) -> Result<()> {
        let _held = self.lock_changes();
        let tables = self.tables_of(name)?;
        refuse_system(name)?;
        let mut detached = lock(&self.detached);
        detached.extend(tables.values().filter_map(|e| Some((e.id?, Arc::downgrade(e)))));
        drop(detached);
        self.change(|databases| {
            databases.remove(name);
        });
        Ok(())
    }

    /// Puts a detached database back with its tables.
    pub(crate) fn attach_database(
        &self,
        name: &str,
        if_not_exists: bool,
        function_context: &StatementContext,
    ) -> Result<()> {
        let _held = self.lock_changes();
        if self.has_database(name) {
            let message = format!("Database {name} already exists");
            let exists = Error::new(codes::DATABASE_ALREADY_EXISTS, message);
            return if if_not_exists { Ok(()) } else { Err(exists) };
        }
        if !self.store.databases().iter().any(|(known, _)| known == name) {
            let message = format!(
                "Database {name} was not detached, so ATTACH DATABASE has no engine for it: use \
                 CREATE DATABASE"
            );
            return Err(Error::new(codes::UNKNOWN_DATABASE_ENGINE, message));
        }
        let mut tables = super::Tables::new();
        for record in self.store.tables().iter().filter(|record| record.database == name) {
            if !record.name.starts_with('\u{0}') {
                tables.insert(record.name.as_str().into(), self.opened(record, function_context)?);
            }
        }
        self.change(|databases| {
            databases.insert(name.into(), Arc::new(tables));
        });
        Ok(())
    }

    /// The records that move the hidden tables of a database to another one.
    pub(crate) fn move_hidden(&self, from: &str, to: &str) -> Vec<Op> {
        let databases = self.current();
        let shown = databases.get(from);
        let is_shown = |r: &TableRecord| shown.is_some_and(|t| t.contains_key(r.name.as_str()));
        let records = self.store.tables().into_iter();
        let hidden = records.filter(|r| r.database == from && !is_shown(r));
        let op = |r: TableRecord| Op::RenameTable { id: r.id, database: to.into(), name: r.name };
        hidden.map(op).collect()
    }

    fn tables_of(&self, database: &str) -> Result<Arc<super::Tables>> {
        self.current().get(database).cloned().ok_or_else(|| unknown_database(database))
    }

    /// What a new table finds at a name that no table of the catalog has.
    pub(super) fn free_or_detached(
        &self,
        database: &str,
        name: &str,
        keep: bool,
    ) -> Result<NameState> {
        match self.refuse_detached(database, name) {
            Ok(()) => Ok(NameState::Free),
            Err(_) if keep => Ok(NameState::Taken),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_store_say_what_became_of_a_table() {
        assert_eq!(Hidden::of("t"), None);
        assert_eq!(Hidden::of("\u{0}aside1"), None);
        assert_eq!(Hidden::of("\u{0}detached a b"), Some(Hidden::Detached("a b")));
        assert_eq!(Hidden::of("\u{0}dropped 12 3 a b"), Some(Hidden::Dropped(12, "a b")));
        assert_eq!(Hidden::of("\u{0}dropped x 3 a"), None);
    }
}
