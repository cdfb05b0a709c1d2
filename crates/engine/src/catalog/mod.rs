//! Databases and tables by name, kept in step with the store's commit log.
//!
//! The map is replaced as a whole by every change, so that a query looks names up without holding a
//! lock. The store keeps definitions as text; [`make`] parses and binds them once, when a table is
//! made or the store is opened.

mod alter;
pub(crate) mod backups;
pub(crate) mod databases;
pub(crate) mod dictionary;
pub(crate) mod functions;
mod handed_on;
pub(crate) mod hidden;
pub(crate) mod make;
pub(crate) mod own_rows;
pub(crate) mod pinned;
pub(crate) mod refreshes;
pub(crate) mod restored;
pub(crate) mod target_columns;
mod together;
pub(crate) mod triggers;
mod unusable;
mod view;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, RwLock, Weak};

use entasis_analyze::names::{add_hint, near};
use entasis_base::sync::{self, lock};
use entasis_base::{Error, Result, codes, message};
use entasis_disk::Disk;
use entasis_mergetree::{Op, Store, StoreOptions, TableId};
use entasis_table_api::{PinnedStores, Table};

use crate::definition::TableDefinition;
use crate::definition::constraints::Check;
use crate::definition::family;
use crate::definition::features::Features;
use crate::definition::view::ViewDefinition;
use crate::engines;
use crate::settings::function_context::StatementContext;
pub(crate) use alter::Alteration;
use backups::Backups;
use handed_on::close;
use refreshes::Refreshes;
pub(crate) use together::NewTable;
use triggers::Triggers;

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
    /// The materialised views of each table.
    triggers: RwLock<Triggers>,
    /// The states of views that are refreshed.
    refreshes: Arc<Refreshes>,
    /// What is known of backups.
    backups: Backups,
    /// Held during a change of the map, from the check of the name to the change itself.
    changes: Mutex<()>,
    /// How many tables have been made under a temporary name so far; makes these names unique.
    aside: AtomicU64,
    /// Bytes of memory that a statement may use by default.
    pub(crate) statement_memory: u64,
    /// Tables that could not be opened, with the error of each.
    unusable: BTreeMap<TableId, Error>,
    /// The entries of detached tables, for as long as statements use them.
    detached: Mutex<HashMap<TableId, Weak<Entry>>>,
    /// Functions that users have defined.
    functions: RwLock<Arc<functions::SqlFunctions>>,
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
    /// The new table replaces the old one, and there must be one.
    Needed,
}

/// The record that drops a table.
fn drop_op(id: TableId) -> Op {
    Op::DropTable { id }
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
            if hidden::Hidden::of(&record.name).is_some() {
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
            let triggers = RwLock::new(triggers::of(&databases));
            let databases = RwLock::new(Arc::new(databases));
            let (changes, aside) = (Mutex::default(), AtomicU64::new(0));
            let functions = RwLock::new(Arc::new(functions::stored(&store)));
            let (unusable, detached) = (failed_tables, Mutex::default());
            let refreshes = Arc::default();
            Self {
                store,
                databases,
                triggers,
                refreshes,
                backups: Backups::default(),
                changes,
                aside,
                statement_memory,
                unusable,
                detached,
                functions,
            }
        });
        catalog.purge_dropped();
        if !catalog.current().contains_key("default") && !read_only {
            catalog.create_database("default", true, "")?;
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
        let mut all: Vec<String> = self.store.warnings().into_iter().chain(unusable).collect();
        let engines = there.values().flat_map(|tables| tables.values()).filter(|entry| {
            let engine = entry.definition.as_ref().map(|definition| &definition.engine.name);
            engine.is_some_and(|engine| family::is_replicated(engine))
        });
        match engines.count() {
            0 => {}
            tables => all.push(format!(
                "{tables} tables have a Replicated or Shared engine, but this server has no other \
                 replicas: they behave as the engines without the prefix"
            )),
        }
        all
    }

    /// Fails if a table could not be opened.
    pub(crate) fn check_usable(&self, entry: &Entry) -> Result<()> {
        match entry.id.and_then(|id| self.unusable.get(&id)) {
            Some(error) => Err(error.duplicate()),
            None => Ok(()),
        }
    }

    /// The store, which keeps MergeTree tables and all definitions.
    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The states of views that are refreshed.
    pub(crate) fn refreshes(&self) -> &Arc<Refreshes> {
        &self.refreshes
    }

    /// What is known of backups.
    pub(crate) fn backups(&self) -> &Backups {
        &self.backups
    }

    /// Whether nothing may be written.
    pub(crate) fn is_read_only(&self) -> bool {
        self.store.is_read_only()
    }

    fn current(&self) -> Arc<Databases> {
        Arc::clone(&sync::read(&self.databases))
    }

    fn change(&self, f: impl FnOnce(&mut Databases)) {
        let mut databases = sync::write(&self.databases);
        f(Arc::make_mut(&mut databases));
        *sync::write(&self.triggers) = triggers::of(&databases);
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
        entry_in(&self.current(), database, table)
    }

    /// What a statement that begins now sees.
    pub(crate) fn statement_state(&self) -> StatementState {
        // A table gets its name after it was filled. If the catalog has not changed while the store
        // was pinned, the pinned state contains what its tables were filled with.
        let mut databases = self.current();
        loop {
            let stores = PinnedStores::default();
            self.store.pin(&stores);
            let now = self.current();
            if Arc::ptr_eq(&databases, &now) {
                return StatementState { databases, stores };
            }
            databases = now;
        }
    }

    /// Creates a database.
    pub(crate) fn create_database(
        &self,
        name: &str,
        if_not_exists: bool,
        definition: &str,
    ) -> Result<()> {
        let _held = self.lock_changes();
        if self.has_database(name) {
            if if_not_exists {
                return Ok(());
            }
            let message = format!("Database {name} already exists");
            return Err(Error::new(codes::DATABASE_ALREADY_EXISTS, message));
        }
        self.store.create_database(name, definition)?;
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
        for entry in self.current().get(name).iter().flat_map(|tables| tables.values()) {
            close(entry);
        }
        // The list comes from the store, because it also has tables that have only a temporary
        // name.
        let tables = self.store.tables().into_iter().filter(|record| record.database == name);
        let mut ops: Vec<Op> = tables.map(|record| drop_op(record.id)).collect();
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

    /// What stands at the name that a new table is to get.
    fn place(&self, database: &str, name: &str, existing: Existing) -> Result<NameState> {
        if is_information_schema(database) {
            refuse_system(database)?;
        }
        let databases = self.current();
        let tables = databases.get(database).ok_or_else(|| unknown_database(database))?;
        match (tables.get(name), existing) {
            (None, Existing::Needed) => Err(unknown_table(&databases, database, name)),
            (None, _) => self.free_or_detached(database, name, existing == Existing::Kept),
            (Some(_), Existing::Kept) => Ok(NameState::Taken),
            (Some(old), Existing::Replaced | Existing::Needed) => {
                Ok(NameState::Replaces(Arc::clone(old)))
            }
            (Some(old), Existing::Refused) if old.dictionary().is_some() => {
                let message = format!("Dictionary {database}.{name} already exists");
                Err(Error::new(codes::DICTIONARY_ALREADY_EXISTS, message))
            }
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

/// The state that a statement sees. A statement that names a table twice finds one version of it,
/// even if the table is altered meanwhile.
pub(crate) struct StatementState {
    databases: Arc<Databases>,
    /// The state of the store.
    pub(crate) stores: PinnedStores,
}

impl StatementState {
    /// The entry of a table. Fails if the database or the table does not exist.
    pub(crate) fn entry(&self, database: &str, table: &str) -> Result<Arc<Entry>> {
        entry_in(&self.databases, database, table)
    }
}

fn entry_in(databases: &Databases, database: &str, table: &str) -> Result<Arc<Entry>> {
    let tables = databases.get(database).ok_or_else(|| unknown_database(database))?;
    tables.get(table).cloned().ok_or_else(|| unknown_table(databases, database, table))
}

#[cold]
pub(crate) fn unknown_table(databases: &Databases, database: &str, table: &str) -> Error {
    let mut message = format!("Table {database}.{table} does not exist");
    let all = databases.values().flat_map(|tables| tables.keys().map(|name| &**name));
    add_hint(&mut message, &near(table, all));
    Error::new(codes::UNKNOWN_TABLE, message)
}
