//! Tables that RESTORE makes: under temporary names first, so that they can be filled, and then all
//! of them get their names, and existing tables their new parts, in one record of the commit log.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use entasis_base::{Error, Result, codes, sync};
use entasis_mergetree::{ColumnIds, Op, RestoredParts, TableRecord};

use super::functions::{self, SqlFunction};
use super::make::open_table;
use super::{ASIDE, EngineCatalog, Entry, NameState, drop_op};
use super::{Existing, refuse_system};
use crate::definition::view::Name;
use crate::settings::function_context::StatementContext;

/// The definition of a table in a backup, with the name that it is to get.
pub(crate) struct RestoredDefinition {
    pub name: Name,
    /// Version of the language of `text`.
    pub version: u32,
    pub text: String,
    /// The ids of its columns, if it consists of parts.
    pub columns: Option<ColumnIds>,
}

/// Tables under temporary names. Those that are not published are dropped.
pub(crate) struct RestoredTables<'c> {
    catalog: &'c EngineCatalog,
    tables: Vec<(Name, Arc<Entry>)>,
}

/// What becomes visible together.
#[derive(Default)]
pub(crate) struct Publication {
    /// New databases with their texts.
    pub databases: Vec<(String, String)>,
    /// New functions.
    pub functions: Vec<(String, Arc<SqlFunction>)>,
    /// Parts of new and of existing tables.
    pub parts: Vec<RestoredParts>,
    /// Existing tables that get rows; they must still be there.
    pub existing: Vec<(Name, Arc<Entry>)>,
}

impl EngineCatalog {
    /// Makes tables under temporary names, in one record.
    pub(crate) fn make_restored(
        &self,
        definitions: Vec<RestoredDefinition>,
        context: &StatementContext,
    ) -> Result<RestoredTables<'_>> {
        let mut restored = RestoredTables { catalog: self, tables: Vec::new() };
        let database = self.store.databases().into_iter().map(|(name, _)| name);
        let database = database.min_by_key(|name| name != "default").ok_or_else(|| {
            let message = "There is no database: create one first, CREATE DATABASE default";
            Error::new(codes::UNKNOWN_DATABASE, message)
        })?;
        let (mut ops, mut records) = (Vec::new(), Vec::new());
        for RestoredDefinition { name, version, text, columns } in definitions {
            let aside = format!("{ASIDE}{}", self.aside.fetch_add(1, Ordering::Relaxed));
            let id = self.store.new_table_id()?;
            let record =
                TableRecord { id, database: name.0, name: name.1, version, definition: text };
            let (database, name) = (database.clone(), aside);
            ops.push(Op::CreateTable(TableRecord { database, name, ..record.clone() }));
            ops.extend(columns.map(|columns| Op::Columns { table: id, columns }));
            records.push(record);
        }
        self.store.execute_all(ops)?;
        let mut left = records.into_iter();
        while let Some(record) = left.next() {
            match open_table(&self.store, &record, context) {
                Ok(entry) => {
                    restored.tables.push(((record.database, record.name), Arc::new(entry)))
                }
                Err(e) => {
                    let what = format!("While restoring table {}.{}", record.database, record.name);
                    for id in [record.id].into_iter().chain(left.map(|record| record.id)) {
                        // If the disk fails here, the table is dropped at the next start.
                        let _ = self.store.drop_table(id);
                    }
                    return Err(e.context(what));
                }
            }
        }
        Ok(restored)
    }
}

impl RestoredTables<'_> {
    /// A table by the name that it is to get.
    pub(crate) fn get(&self, name: &Name) -> Option<&Arc<Entry>> {
        self.tables.iter().find(|(known, _)| known == name).map(|(_, entry)| entry)
    }

    /// Makes everything visible, in one record.
    pub(crate) fn publish(mut self, publication: Publication) -> Result<()> {
        let catalog = self.catalog;
        let Publication { databases, functions, parts, existing } = publication;
        let _held = catalog.lock_changes();
        let mut ops = Vec::new();
        for (name, definition) in databases.iter().cloned() {
            if catalog.has_database(&name) {
                let message = format!("Database {name} was created meanwhile: restore again");
                return Err(Error::new(codes::DATABASE_ALREADY_EXISTS, message));
            }
            ops.push(Op::CreateDatabase { name, definition });
        }
        for ((database, name), entry) in &self.tables {
            refuse_system(database)?;
            if !databases.iter().any(|(new, _)| new == database)
                && let NameState::Taken | NameState::Replaces(_) =
                    catalog.place(database, name, Existing::Refused)?
            {
                return Err(Error::logical("a name that is taken"));
            }
            self.refuse_cycle(&(database.clone(), name.clone()), entry)?;
            let (database, name) = (database.clone(), name.clone());
            ops.extend(entry.id.map(|id| Op::RenameTable { id, database, name }));
        }
        for ((database, name), entry) in &existing {
            let now = catalog.entry(database, name)?;
            if !Arc::ptr_eq(&now, entry) {
                let message =
                    format!("Table {database}.{name} was changed meanwhile: restore again");
                return Err(Error::new(codes::ABORTED, message));
            }
        }
        for (name, function) in &functions {
            ops.push(functions::put_op(name, function));
        }
        if ops.is_empty() && parts.is_empty() {
            return Ok(());
        }
        catalog.store.commit_restored(ops, parts)?;
        let tables = std::mem::take(&mut self.tables);
        catalog.change(|all| {
            for (name, _) in &databases {
                all.entry(name.as_str().into()).or_default();
            }
            for ((database, name), entry) in tables {
                let of = Arc::make_mut(all.entry(database.as_str().into()).or_default());
                of.insert(name.as_str().into(), entry);
            }
        });
        if !functions.is_empty() {
            let mut known = sync::write(&catalog.functions);
            Arc::make_mut(&mut known).extend(functions);
        }
        Ok(())
    }

    /// Fails if a new view would read itself.
    fn refuse_cycle(&self, name: &Name, entry: &Entry) -> Result<()> {
        let Some(view) = &entry.view else { return Ok(()) };
        view.refuse_cycle(name, |other| match self.get(other) {
            Some(entry) => entry.view.clone(),
            None => self.catalog.entry(&other.0, &other.1).ok()?.view.clone(),
        })
    }
}

impl Drop for RestoredTables<'_> {
    fn drop(&mut self) {
        let ids: Vec<_> = self.tables.iter().filter_map(|(_, entry)| entry.id).collect();
        if !ids.is_empty() {
            // If the disk fails here, the tables are dropped when the store is opened again.
            let _ = self.catalog.store.execute_all(ids.into_iter().map(drop_op).collect());
        }
    }
}
