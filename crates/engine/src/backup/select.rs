//! What BACKUP writes: the objects that the statement names, in one state of the catalog.

use std::collections::BTreeSet;
use std::sync::Arc;

use entasis_backup::ObjectKind;
use entasis_base::{Error, Result, codes};
use entasis_mergetree::{MergeTreeTable, PinnedParts};
use entasis_sql::ast::{self, BackupElement};
use entasis_table_api::Snapshot;

use super::definitions::Renames;
use crate::Session;
use crate::catalog::pinned::PinnedCatalog;
use crate::catalog::{Entry, SYSTEM, is_information_schema, unknown_database};
use crate::definition::view::Name;
use crate::settings::function_context::StatementContext;
use crate::statement::partition::partition_of;

/// The rows of a table.
pub(super) enum Rows {
    None,
    Parts(PinnedParts),
    Snapshot(Arc<dyn Snapshot>),
}

/// A table, a view or a dictionary.
pub(super) struct Chosen {
    pub kind: ObjectKind,
    pub name: Name,
    pub entry: Arc<Entry>,
    pub rows: Rows,
}

/// What a statement names.
#[derive(Default)]
pub(super) struct Selection {
    pub databases: Vec<String>,
    pub tables: Vec<Chosen>,
    pub temporary: Vec<Chosen>,
    pub functions: Vec<String>,
    pub renames: Renames,
}

/// Whether a database is the server's own, so that ALL leaves it out.
fn is_own(database: &str) -> bool {
    database == SYSTEM || is_information_schema(database)
}

/// What kind of object an entry is.
pub(super) fn kind_of(entry: &Entry) -> ObjectKind {
    match (&entry.view, entry.dictionary()) {
        (Some(_), _) => ObjectKind::View,
        (None, Some(_)) => ObjectKind::Dictionary,
        (None, None) => ObjectKind::Table,
    }
}

/// Whether a table keeps rows that do not lie in parts.
pub(super) fn has_rows(entry: &Entry) -> bool {
    let engine = entry.definition.as_ref().map(|definition| definition.engine.name.as_str());
    entry.features().own_data || engine == Some("Memory")
}

/// The table of parts, if it is one.
pub(super) fn of_parts(entry: &Entry) -> Option<&MergeTreeTable> {
    let table: &dyn std::any::Any = &*entry.table;
    table.downcast_ref()
}

/// Picks objects from a pinned state.
pub(super) struct Selector<'a> {
    pub session: &'a Session,
    pub state: &'a PinnedCatalog,
    pub context: &'a StatementContext,
    /// Whether only definitions are wanted.
    pub structure_only: bool,
    pub found: Selection,
}

impl Selector<'_> {
    pub fn element(&mut self, element: &BackupElement) -> Result<()> {
        match element {
            BackupElement::Table { temporary: true, name, .. } => self.temporary(name),
            BackupElement::Table { name, new_name, partitions, .. } => {
                if self.session.temporary_table(name).is_some() {
                    return self.temporary(name);
                }
                let name = self.session.full_name(name);
                if let Some(new_name) = new_name {
                    let new_name = self.session.full_name(new_name);
                    self.found.renames.tables.push((name.clone(), new_name));
                }
                self.named(&name, partitions)
            }
            BackupElement::Database { name, new_name, except } => {
                if let Some(new_name) = new_name {
                    let pair = (name.name.clone(), new_name.name.clone());
                    self.found.renames.databases.push(pair);
                }
                let full = |table: &ast::TableName| {
                    let database = table.database.as_ref().unwrap_or(name);
                    (database.name.clone(), table.table.name.clone())
                };
                self.database(&name.name, &except.iter().map(full).collect::<Vec<_>>())
            }
            BackupElement::Function(name) => {
                if !self.state.functions.contains_key(name.as_str()) {
                    let message = format!("User-defined function '{}' doesn't exist", name.name);
                    return Err(Error::new(codes::UNKNOWN_FUNCTION, message).at(name.position));
                }
                self.found.functions.push(name.name.clone());
                Ok(())
            }
            BackupElement::All { except_databases, except_tables } => {
                let except: Vec<Name> =
                    except_tables.iter().map(|name| self.session.full_name(name)).collect();
                let state = self.state;
                for database in state.database_names() {
                    let is_excepted = except_databases.iter().any(|name| name.name == **database);
                    if !is_own(database) && !is_excepted {
                        self.database(database, &except)?;
                    }
                }
                self.found.functions.extend(state.functions.keys().cloned());
                Ok(())
            }
        }
    }

    fn database(&mut self, database: &str, except: &[Name]) -> Result<()> {
        let tables = self.state.tables(database).ok_or_else(|| unknown_database(database))?;
        let mut names: Vec<&Arc<str>> = tables.keys().collect();
        names.sort();
        if !is_own(database) {
            self.found.databases.push(database.to_owned());
        }
        for table in names {
            let name = (database.to_owned(), table.to_string());
            let inner_of = |view: &Name| {
                let view = self.state.entry(&view.0, &view.1)?.view.as_ref()?;
                let inner = view.materialized.as_ref()?.inner()?;
                Some((database.to_owned(), inner.to_owned()))
            };
            // The inner table of a view that is left out is left out, too.
            let is_excepted =
                except.contains(&name) || except.iter().filter_map(inner_of).any(|i| i == name);
            if tables[table].id.is_some() && !is_excepted {
                self.table(&name, None)?;
            }
        }
        Ok(())
    }

    /// A table that the statement names, with the inner table of a view.
    fn named(&mut self, name: &Name, partitions: &[ast::Partition]) -> Result<()> {
        if self.state.tables(&name.0).is_none() {
            return Err(unknown_database(&name.0));
        }
        let entry = self.state.entry(&name.0, &name.1).filter(|entry| entry.id.is_some());
        let entry = entry.ok_or_else(|| {
            let message = format!("Table {}.{} was not found", name.0, name.1);
            Error::new(codes::UNKNOWN_TABLE, message)
        })?;
        let which: Option<BTreeSet<String>> = match partitions {
            [] => None,
            some => Some(
                some.iter()
                    .map(|partition| partition_of(&*entry.table, partition, self.context))
                    .collect::<Result<_>>()?,
            ),
        };
        let own = entry.view.as_ref().and_then(|view| view.materialized.as_ref());
        if let Some(inner) = own.and_then(|own| own.inner()) {
            self.table(&(name.0.clone(), inner.to_owned()), None)?;
        }
        self.table(name, which.as_ref())
    }

    fn table(&mut self, name: &Name, which: Option<&BTreeSet<String>>) -> Result<()> {
        if self.found.tables.iter().any(|chosen| chosen.name == *name) {
            return Ok(());
        }
        let Some(entry) = self.state.entry(&name.0, &name.1) else { return Ok(()) };
        self.session.engine.catalog.check_usable(entry)?;
        let rows = match of_parts(entry) {
            _ if self.structure_only => Rows::None,
            Some(table) => {
                let wanted = |id: &str| which.is_none_or(|which| which.contains(id));
                Rows::Parts(table.pinned_parts(&self.state.stores, wanted))
            }
            None if has_rows(entry) => Rows::Snapshot(entry.table.snapshot_in(&self.state.stores)?),
            None => Rows::None,
        };
        let (name, entry) = (name.clone(), Arc::clone(entry));
        self.found.tables.push(Chosen { kind: kind_of(&entry), name, entry, rows });
        Ok(())
    }

    fn temporary(&mut self, name: &ast::TableName) -> Result<()> {
        let entry = self.session.temporary_table(name).ok_or_else(|| {
            let message = format!("Temporary table {} was not found", name.table.as_str());
            Error::new(codes::UNKNOWN_TABLE, message)
        })?;
        let rows = match self.structure_only {
            true => Rows::None,
            false => Rows::Snapshot(entry.table.snapshot()?),
        };
        let (name, entry) = ((String::new(), name.table.name.clone()), Arc::clone(entry));
        self.found.temporary.push(Chosen { kind: ObjectKind::Temporary, name, entry, rows });
        Ok(())
    }
}
