//! Databases and tables by name, kept in step with the store's commit log.
//!
//! The map is replaced as a whole by every change, so that a query looks names up without holding a
//! lock. The store keeps definitions as text; [`make`] parses and binds them once, when a table is
//! made or the store is opened.

pub(crate) mod make;
pub(crate) mod own_rows;
mod unusable;
mod view;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, RwLock, Weak};

use entasis_analyze::names::{add_hint, near};
use entasis_base::sync::{self, lock};
use entasis_base::{Error, Result, codes, message};
use entasis_disk::Disk;
use entasis_mergetree::{Op, Store, StoreOptions, TableId};
use entasis_table_api::Table;

use crate::definition::TableDefinition;
use crate::definition::constraints::Check;
use crate::definition::features::Features;
use crate::definition::view::{Name, ViewDefinition};
use crate::engines::{self, Altered, Attach};
use crate::settings::function_context::StatementContext;

/// One table with its definition.
pub struct Entry {
    /// The table.
    pub table: Arc<dyn Table>,
    /// What its CREATE TABLE says; `None` for the engine's own tables, for views, and for tables
    /// that could not be opened.
    pub(crate) definition: Option<Arc<TableDefinition>>,
    /// What its CREATE VIEW says; `None` if it is not a view.
    pub(crate) view: Option<Arc<ViewDefinition>>,
    /// The store's number of the table; `None` for the engine's own tables.
    pub id: Option<TableId>,
}

impl Entry {
    /// The entry of a table that no statement has created.
    pub(crate) fn without_definition(table: Arc<dyn Table>) -> Arc<Self> {
        Arc::new(Self { table, definition: None, view: None, id: None })
    }

    /// The CHECK constraints that inserted rows must satisfy.
    pub(crate) fn checks(&self) -> Arc<[Check]> {
        self.definition.as_ref().map(|d| Arc::clone(&d.checks)).unwrap_or_default()
    }

    /// The features of its engine; none for a table without a definition.
    pub(crate) fn features(&self) -> &'static Features {
        let engine = self.definition.as_ref().and_then(|d| engines::find(&d.engine.name));
        engine.map_or(&Features::NONE, |engine| &engine.features)
    }
}

pub(crate) type Tables = HashMap<Arc<str>, Arc<Entry>>;
pub(crate) type Databases = BTreeMap<Arc<str>, Arc<Tables>>;

/// All databases.
pub struct EngineCatalog {
    store: Arc<Store>,
    databases: RwLock<Arc<Databases>>,
    /// Held during a change of the map, from the check of the name to the change itself.
    changes: Mutex<()>,
    /// How many tables have been made under a temporary name so far; makes these names unique.
    aside: AtomicU64,
    /// Bytes of memory that a statement may use by default.
    pub(crate) statement_memory: u64,
    /// Tables that could not be opened, with the error of each.
    unusable: BTreeMap<TableId, Error>,
}

/// Temporary names of tables in the store, before they get their own names, begin with this.
const ASIDE: &str = "\u{0}aside";

/// What a CREATE does if a table already has the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    /// The statement fails.
    Refused,
    /// The old table stays, and nothing is created.
    Kept,
    /// The new table replaces the old one.
    Replaced,
}

/// What a new table finds at its name.
enum NameState {
    Free,
    /// A table that stays.
    Taken,
    Replaces(Arc<Entry>),
}

impl EngineCatalog {
    /// Opens the store and binds every stored definition. `own_tables` makes the engine's own
    /// tables; `statement_memory` is the number of bytes that a statement may use by default.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        options: StoreOptions,
        function_context: &StatementContext,
        statement_memory: u64,
        own_tables: impl FnOnce(&Weak<Self>) -> OwnTables,
    ) -> Result<Arc<Self>> {
        let read_only = options.read_only;
        let store = Arc::new(Store::open_with(disk, options)?);
        let mut databases = Databases::new();
        let mut failed_tables = BTreeMap::new();
        for (name, _) in store.databases() {
            databases.insert(name.as_str().into(), Arc::default());
        }
        for record in store.tables() {
            if record.name.starts_with(ASIDE) {
                // A CREATE that had not finished when the last process ended has left this table.
                if !read_only {
                    store.drop_table(record.id)?;
                }
                continue;
            }
            let entry = make::open_table(&store, &record, function_context).unwrap_or_else(|e| {
                // A table that cannot be opened does not keep the others from being opened.
                let what = format!("Cannot open table {}.{}", record.database, record.name);
                let error = e.context(what);
                message!(Error, "Catalog", "{}", error);
                let entry = unusable::entry(&record, &error);
                failed_tables.insert(record.id, error);
                entry
            });
            let tables = databases.entry(record.database.as_str().into()).or_default();
            Arc::make_mut(tables).insert(record.name.as_str().into(), Arc::new(entry));
        }
        let catalog = Arc::new_cyclic(|weak| {
            add_own(&mut databases, own_tables(weak));
            let databases = RwLock::new(Arc::new(databases));
            let (changes, aside) = (Mutex::default(), AtomicU64::new(0));
            Self { store, databases, changes, aside, statement_memory, unusable: failed_tables }
        });
        if !catalog.current().contains_key("default") && !read_only {
            catalog.create_database("default", true)?;
        }
        Ok(catalog)
    }

    /// What is wrong in the store and which tables could not be opened, as messages.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let there = self.current();
        let ids: Vec<TableId> =
            there.values().flat_map(|tables| tables.values()).filter_map(|e| e.id).collect();
        let unusable = self.unusable.iter().filter(|(id, _)| ids.contains(id));
        let unusable = unusable.map(|(_, error)| error.message().to_owned());
        self.store.warnings().into_iter().chain(unusable).collect()
    }

    /// Fails if a table could not be opened.
    pub(crate) fn check_usable(&self, entry: &Entry) -> Result<()> {
        match entry.id.and_then(|id| self.unusable.get(&id)) {
            Some(error) => Err(error.duplicate()),
            None => Ok(()),
        }
    }

    /// The store, which keeps MergeTree tables and all definitions.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    fn current(&self) -> Arc<Databases> {
        Arc::clone(&sync::read(&self.databases))
    }

    fn change(&self, f: impl FnOnce(&mut Databases)) {
        let mut databases = sync::write(&self.databases);
        f(Arc::make_mut(&mut databases));
    }

    fn lock_changes(&self) -> MutexGuard<'_, ()> {
        lock(&self.changes)
    }

    /// Names of all databases, sorted.
    pub fn database_names(&self) -> Vec<Arc<str>> {
        self.current().keys().cloned().collect()
    }

    /// Tables of a database, sorted by name.
    pub fn tables(&self, database: &str) -> Result<Vec<(Arc<str>, Arc<Entry>)>> {
        let databases = self.current();
        let tables = databases.get(database).ok_or_else(|| unknown_database(database))?;
        let mut list: Vec<_> = tables.iter().map(|(n, e)| (n.clone(), e.clone())).collect();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(list)
    }

    /// How many databases, tables and parts there are.
    pub(crate) fn sizes(&self) -> (usize, usize, usize) {
        let databases = self.current();
        let entries = || databases.values().flat_map(|tables| tables.values());
        let parts = entries().filter_map(|e| e.id).map(|id| self.store.parts(id).len()).sum();
        (databases.len(), entries().count(), parts)
    }

    /// Whether there is such a database.
    pub fn has_database(&self, name: &str) -> bool {
        self.current().contains_key(name)
    }

    /// The entry of a table. Fails if the database or the table does not exist.
    pub fn entry(&self, database: &str, table: &str) -> Result<Arc<Entry>> {
        self.pinned_entry(&OnceLock::new(), database, table)
    }

    /// The entry of a table in the catalog as it was when `pinned` was first used. So a statement
    /// that names a table twice finds one version of it, even if the table is altered meanwhile.
    pub(crate) fn pinned_entry(
        &self,
        pinned: &OnceLock<Arc<Databases>>,
        database: &str,
        table: &str,
    ) -> Result<Arc<Entry>> {
        let databases = pinned.get_or_init(|| self.current());
        let tables = databases.get(database).ok_or_else(|| unknown_database(database))?;
        tables.get(table).cloned().ok_or_else(|| unknown_table(databases, database, table))
    }

    /// Creates a database.
    pub(crate) fn create_database(&self, name: &str, if_not_exists: bool) -> Result<()> {
        let _held = self.lock_changes();
        if self.has_database(name) {
            if if_not_exists {
                return Ok(());
            }
            let message = format!("Database {name} already exists");
            return Err(Error::new(codes::DATABASE_ALREADY_EXISTS, message));
        }
        self.store.create_database(name, "")?;
        self.change(|databases| {
            databases.insert(name.into(), Arc::default());
        });
        Ok(())
    }

    /// Drops a database with its tables.
    pub(crate) fn drop_database(&self, name: &str, if_exists: bool) -> Result<()> {
        let _held = self.lock_changes();
        if !self.has_database(name) {
            return if if_exists { Ok(()) } else { Err(unknown_database(name)) };
        }
        refuse_system(name)?;
        // The list comes from the store, because it also has tables that have only a temporary
        // name.
        let tables = self.store.tables().into_iter().filter(|record| record.database == name);
        let mut ops: Vec<Op> = tables.map(|record| Op::DropTable { id: record.id }).collect();
        ops.push(Op::DropDatabase { name: name.to_string() });
        self.store.execute_all(ops)?;
        self.change(|databases| {
            databases.remove(name);
        });
        Ok(())
    }

    /// Adds the table that `make` creates, after checking that the name is free.
    pub(crate) fn create_table(
        &self,
        database: &str,
        name: &str,
        existing: Existing,
        make: impl FnOnce(&Arc<Store>) -> Result<Entry>,
    ) -> Result<()> {
        let _held = self.lock_changes();
        if database == SYSTEM && !self.store.databases().iter().any(|(name, _)| name == SYSTEM) {
            self.store.create_database(SYSTEM, "")?;
        }
        if let NameState::Taken = self.place(database, name, existing)? {
            return Ok(());
        }
        let entry = Arc::new(make(&self.store)?);
        self.put(database, name, entry);
        Ok(())
    }

    /// Creates a table with `make` under a temporary name that no statement can give, and fills it
    /// with `fill`. One commit then gives the table its own name and drops the table that it
    /// replaces. If anything fails, the new table is dropped and the old one stays as it was.
    pub(crate) fn create_aside(
        &self,
        database: &str,
        name: &str,
        existing: Existing,
        make: impl FnOnce(&Arc<Store>, &str) -> Result<Entry>,
        fill: impl FnOnce(&Entry) -> Result<()>,
    ) -> Result<()> {
        if let NameState::Taken = self.place(database, name, existing)? {
            return Ok(());
        }
        let number = self.aside.fetch_add(1, Ordering::Relaxed);
        let entry = Arc::new(make(&self.store, &format!("{ASIDE}{number}"))?);
        let done = fill(&entry).and_then(|()| self.publish(database, name, existing, &entry));
        if !matches!(done, Ok(true)) {
            // If the disk fails here, the table is dropped when the store is opened again.
            let _ = entry.id.map_or(Ok(()), |id| self.store.drop_table(id));
        }
        done.map(drop)
    }

    /// Gives a table with a temporary name its own name; answers whether that name was free.
    fn publish(
        &self,
        database: &str,
        name: &str,
        existing: Existing,
        entry: &Arc<Entry>,
    ) -> Result<bool> {
        let _held = self.lock_changes();
        let mut ops = Vec::new();
        match self.place(database, name, existing)? {
            NameState::Taken => return Ok(false),
            NameState::Replaces(old) => ops.extend(old.id.map(|id| Op::DropTable { id })),
            NameState::Free => {}
        }
        if let Some(view) = &entry.view {
            // Another view may have been created since this one was checked.
            let view_of = |(database, name): &Name| self.entry(database, name).ok()?.view.clone();
            view.refuse_cycle(&(database.to_string(), name.to_string()), view_of)?;
        }
        let (to, name_to) = (database.to_string(), name.to_string());
        ops.extend(entry.id.map(|id| Op::RenameTable { id, database: to, name: name_to }));
        self.store.execute_all(ops)?;
        self.put(database, name, Arc::clone(entry));
        Ok(true)
    }

    /// What stands at the name that a new table is to get.
    fn place(&self, database: &str, name: &str, existing: Existing) -> Result<NameState> {
        if is_information_schema(database) {
            refuse_system(database)?;
        }
        let databases = self.current();
        let tables = databases.get(database).ok_or_else(|| unknown_database(database))?;
        match (tables.get(name), existing) {
            (None, _) => Ok(NameState::Free),
            (Some(_), Existing::Kept) => Ok(NameState::Taken),
            (Some(old), Existing::Replaced) => Ok(NameState::Replaces(Arc::clone(old))),
            (Some(_), Existing::Refused) => {
                let message = format!("Table {database}.{name} already exists");
                Err(Error::new(codes::TABLE_ALREADY_EXISTS, message))
            }
        }
    }

    fn put(&self, database: &str, name: &str, entry: Arc<Entry>) {
        self.change(|databases| {
            let tables = databases.entry(database.into()).or_default();
            Arc::make_mut(tables).insert(name.into(), entry);
        });
    }

    /// Changes names: `plan` changes a copy of the map and answers the records for the commit log.
    pub(crate) fn change_names(
        &self,
        plan: impl FnOnce(&mut Databases) -> Result<Vec<Op>>,
    ) -> Result<()> {
        let _held = self.lock_changes();
        let mut databases = (*self.current()).clone();
        let ops = plan(&mut databases)?;
        if !ops.is_empty() {
            self.store.execute_all(ops)?;
        }
        self.change(|current| *current = databases);
        Ok(())
    }

    /// Replaces the definition of a table by the one that `change` answers, in one record of the
    /// log. If `change` also answers an [`Attach`], columns are altered, and the table that it
    /// makes replaces the old one.
    pub(crate) fn alter_table(
        &self,
        database: &str,
        name: &str,
        change: impl FnOnce(&Entry) -> Result<(TableDefinition, Option<Attach>)>,
    ) -> Result<()> {
        let _held = self.lock_changes();
        let entry = self.entry(database, name)?;
        self.check_usable(&entry)?;
        let (definition, attach) = change(&entry)?;
        let id = entry.id.ok_or_else(|| Error::not_implemented("ALTER of this table"))?;
        let text = definition.text(name);
        let table = match attach {
            None => {
                self.store.alter_table(id, text)?;
                Arc::clone(&entry.table)
            }
            Some(attach) => {
                let altered = Some(Altered { table: &*entry.table, definition: &text });
                attach(&engines::TableLocation { store: &self.store, id, altered })?
            }
        };
        let definition = Some(Arc::new(definition));
        self.put(database, name, Arc::new(Entry { table, definition, view: None, id: Some(id) }));
        Ok(())
    }

    /// Drops a table.
    pub(crate) fn drop_table(&self, database: &str, name: &str, if_exists: bool) -> Result<()> {
        let _held = self.lock_changes();
        let entry = match self.entry(database, name) {
            Ok(entry) => entry,
            Err(_) if if_exists => return Ok(()),
            Err(error) => return Err(error),
        };
        if entry.id.is_none() {
            refuse_system(database)?;
        }
        entry.id.map_or(Ok(()), |id| self.store.drop_table(id))?;
        self.change(|databases| {
            if let Some(tables) = databases.get_mut(database) {
                Arc::make_mut(tables).remove(name);
            }
        });
        Ok(())
    }
}

/// The database of the engine's own tables.
pub(crate) const SYSTEM: &str = "system";

/// The databases that show the catalog as the SQL standard says: one database under two names.
pub(crate) const INFORMATION_SCHEMA: [&str; 2] = ["INFORMATION_SCHEMA", "information_schema"];

/// Whether a database is one of the two names of `information_schema`.
pub(crate) fn is_information_schema(database: &str) -> bool {
    INFORMATION_SCHEMA.contains(&database)
}

pub(crate) fn refuse_system(database: &str) -> Result<()> {
    if database == SYSTEM || is_information_schema(database) {
        let message = format!("Database {database} cannot be changed");
        return Err(Error::new(codes::ACCESS_DENIED, message));
    }
    Ok(())
}

/// The engine's own tables.
pub(crate) struct OwnTables {
    /// Tables of the database `system`.
    pub system: Vec<(&'static str, Arc<dyn Table>)>,
    /// Tables of `information_schema`.
    pub information: Vec<(String, Arc<dyn Table>)>,
}

fn add_own(databases: &mut Databases, own: OwnTables) {
    // `system` may exist already: the log tables, which are in the store, are in it.
    let system = databases.entry(SYSTEM.into()).or_default();
    let entry = |(name, table): (&str, _)| (name.into(), Entry::without_definition(table));
    Arc::make_mut(system).extend(own.system.into_iter().map(entry));
    let entry = |(name, table): (String, _)| (name.into(), Entry::without_definition(table));
    let information: Arc<Tables> = Arc::new(own.information.into_iter().map(entry).collect());
    for name in INFORMATION_SCHEMA {
        databases.insert(name.into(), Arc::clone(&information));
    }
}

#[cold]
pub(crate) fn unknown_database(name: &str) -> Error {
    Error::new(codes::UNKNOWN_DATABASE, format!("Database {name} does not exist"))
}

#[cold]
pub(crate) fn unknown_table(databases: &Databases, database: &str, table: &str) -> Error {
    let mut message = format!("Table {database}.{table} does not exist");
    let all = databases.values().flat_map(|tables| tables.keys().map(|name| &**name));
    add_hint(&mut message, &near(table, all));
    Error::new(codes::UNKNOWN_TABLE, message)
}
