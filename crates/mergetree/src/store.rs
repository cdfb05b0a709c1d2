//! A store: a directory with a commit log, and the databases, tables and parts that it names.
//!
//! ```text
//! lock            held by the one writer of the directory
//! entasis.store   the marker of a store
//! commit.log      the record of all databases, tables and parts
//! commit.copy     its second copy
//! tables/<id>/seg-<n>.ets
//! tables/<id>/data/          data of other table engines than MergeTree
//! lost/           files that the log does not name but may have named
//! ```
//!
//! The engine lists the tables ([`Store::tables`]), binds their definitions, and attaches the
//! MergeTree ones. Invariants: a file and its name are durable before the log names it; no file is
//! removed that a log might have named ([`crate::orphans`]).

mod commits;
pub(crate) mod figures;
mod ttl;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, RwLock, Weak};
use std::time::{Duration, Instant};

use entasis_base::clock::{Clock, SystemClock};
use entasis_base::sync::{self, lock};
use entasis_base::{Error, Result, codes, message};
use entasis_disk::{Directory, Disk, DiskLock, join};
use entasis_table_api::WorkLock;

use crate::background::Merger;
use crate::config::TableConfig;
use crate::faults::Faults;
use crate::log::open::{Opened, Opening};
use crate::log::record::{DefinitionText, MutationRecord, Op, PartSummary, TableId, TableRecord};
use crate::log::state::{State, TableState};
use crate::log::{self, Log};
use crate::merge::at_work::{MergeAtWork, MergeReason, Merges};
use crate::mutate::at_work::{MutationAtWork, Mutations};
use crate::part::{OWN_DATA, TABLES, table_dir};
use crate::schema::SchemaVersion;
use crate::statistics::ColumnSize;
use crate::table::{MergeTreeTable, TableCore};
use crate::version::{StoreState, Tables, attach_parts};
pub(crate) use crate::version::{TableParts, Version};
use crate::{orphans, place};

/// The name of the lock file.
pub(crate) const LOCK: &str = "lock";

/// Options for opening a store.
#[derive(Clone)]
pub struct StoreOptions {
    /// Nothing is written, so another process may be the writer at the same time.
    pub read_only: bool,
    /// Whether parts are merged in the background.
    pub merge: bool,
    /// The log is rewritten from the state after this many records.
    pub checkpoint_after: u64,
    /// A background thread syncs the second copy of the log; if unset, it is synced only at
    /// checkpoints and when the store is closed.
    pub sync_copy: bool,
    /// Supplies the creation time of parts.
    pub clock: Arc<dyn Clock>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            read_only: false,
            merge: true,
            checkpoint_after: 10_000,
            sync_copy: true,
            clock: Arc::new(SystemClock),
        }
    }
}

/// A commit, as passed to the observer of a store.
#[derive(Debug)]
pub struct Committed<'a> {
    /// The operations of the commit.
    pub ops: &'a [Op],
    /// The parts that the commit removed.
    pub removed: &'a [(TableId, Arc<PartSummary>)],
    /// The id of the statement that committed; `None` for background work.
    pub query_id: Option<&'a Arc<str>>,
    /// How long the work took that this commit ends.
    pub took: Duration,
    /// Why parts were merged, if the commit is that of a merge.
    pub reason: MergeReason,
}

/// Called for every record that is committed.
type Observer = Box<dyn Fn(&Committed<'_>) + Send + Sync>;

/// The state that the store shares with its tables.
pub(crate) struct StoreCore {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) log: Log,
    /// Held for reading by every commit until its parts are published, and for writing by a
    /// statement that must know all parts.
    commits: RwLock<()>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) read_only: bool,
    pub(crate) tables: Tables,
    attached: Mutex<HashMap<TableId, Weak<TableCore>>>,
    pub(crate) merger: Merger,
    /// Merges parts in memory, and writes them to files.
    pub(crate) gatherer: Merger,
    /// About how many bytes the parts in memory have.
    pub(crate) bytes_in_memory: AtomicU64,
    /// The merges that are running.
    pub(crate) merges: Merges,
    /// The mutations that are running.
    pub(crate) mutations: Mutations,
    observer: OnceLock<Observer>,
    pub(crate) faults: Arc<Faults>,
    /// Problems that were found when the store was opened.
    notes: Vec<String>,
    _lock: Option<DiskLock>,
}

impl StoreCore {
    fn attached(&self) -> MutexGuard<'_, HashMap<TableId, Weak<TableCore>>> {
        lock(&self.attached)
    }

    /// All attached tables that are still in use.
    pub(crate) fn attached_tables(&self) -> Vec<Arc<TableCore>> {
        let mut attached = self.attached();
        attached.retain(|_, table| table.strong_count() > 0);
        let mut tables: Vec<_> = attached.values().filter_map(Weak::upgrade).collect();
        tables.sort_by_key(|t| t.id());
        tables
    }

    /// The current time, in seconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        self.clock.now().as_secs()
    }
}

/// An open store: a directory with databases and tables.
pub struct Store {
    pub(crate) core: Arc<StoreCore>,
}

impl Store {
    /// Opens the store on `disk`. An empty disk becomes a new store.
    pub fn open(disk: Arc<dyn Disk>, read_only: bool) -> Result<Self> {
        Self::open_with(disk, StoreOptions { read_only, ..StoreOptions::default() })
    }

    /// Opens the store like [`Self::open`], with all options.
    pub fn open_with(disk: Arc<dyn Disk>, options: StoreOptions) -> Result<Self> {
        let mut place = place::look(&*disk)?;
        let lock = if options.read_only { None } else { Some(disk.lock(LOCK)?) };
        if lock.is_some() {
            // Another process may have created the store before this one got the lock.
            place = place::look(&*disk)?;
        }
        let opening = Opening {
            read_only: options.read_only,
            checkpoint_after: options.checkpoint_after.max(2),
            in_background: options.sync_copy,
            place,
        };
        let Opened { log, mut notes, doubtful } = log::open::open(Arc::clone(&disk), &opening)?;
        let faults = Arc::new(Faults::default());
        let tables: StoreState = log.with_state(|state| {
            let table =
                |(id, t): (&TableId, &TableState)| (*id, attach_parts(&disk, *id, t, &faults));
            state.tables.iter().map(table).collect()
        });
        if !options.read_only {
            let settled =
                log.with_state(|state| orphans::settle(&*disk, state, &faults, doubtful))?;
            for (id, last) in settled.last_segments {
                if let Some(table) = tables.get(&id) {
                    table.parts.next_segment.fetch_max(last + 1, Ordering::Relaxed);
                }
            }
            let moved = settled.moved.into_iter();
            notes.extend(moved.map(|(from, to)| {
                format!("`{from}`, which the commit log does not name, was moved to `{to}`")
            }));
        }
        for note in &notes {
            message!(Warning, "Store", "{}", note);
        }
        let core = Arc::new(StoreCore {
            disk,
            log,
            commits: RwLock::default(),
            clock: options.clock,
            read_only: options.read_only,
            tables: Tables::new(tables),
            attached: Mutex::default(),
            merger: Merger::default(),
            gatherer: Merger::default(),
            bytes_in_memory: AtomicU64::new(0),
            merges: Merges::default(),
            mutations: Mutations::default(),
            observer: OnceLock::new(),
            faults,
            notes,
            _lock: lock,
        });
        core.count_bytes_in_memory();
        if options.merge && !options.read_only {
            Merger::start(&core);
            Merger::start_gathering(&core);
        }
        Ok(Self { core })
    }

    /// Fails if the folder is neither a store nor empty enough to become one. Changes nothing.
    pub fn check_place(disk: &dyn Disk) -> Result<()> {
        place::look(disk).map(drop)
    }

    /// Problems of the store: those found when it was opened, and the files that are known to be
    /// damaged.
    pub fn warnings(&self) -> Vec<String> {
        let faults = self.core.faults.list().into_iter();
        let damaged = faults.map(|(path, what)| {
            format!("A file of a table is damaged, `{path}`: {what}. The other tables work")
        });
        self.core.notes.iter().cloned().chain(damaged).collect()
    }

    /// Calls `observer` for every record that is committed from now on. It runs under the log's
    /// lock, so it must neither block nor call the store. Only the first observer is kept.
    pub fn observe(&self, observer: impl Fn(&Committed<'_>) + Send + Sync + 'static) {
        let _ = self.core.observer.set(Box::new(observer));
    }

    /// The databases: name and definition.
    pub fn databases(&self) -> Vec<(String, String)> {
        let copy = |(n, d): (&String, &String)| (n.clone(), d.clone());
        self.core.log.with_state(|state| state.databases.iter().map(copy).collect())
    }

    /// All tables of any engine, by id.
    pub fn tables(&self) -> Vec<TableRecord> {
        self.core
            .log
            .with_state(|state| state.tables.values().map(|table| table.record.clone()).collect())
    }

    /// Records a database. Fails with DATABASE_ALREADY_EXISTS.
    pub fn create_database(&self, name: &str, definition: &str) -> Result<()> {
        let (name, definition) = (name.to_owned(), definition.to_owned());
        self.execute(|_| Ok(vec![Op::CreateDatabase { name, definition }]))
    }

    /// Removes an empty database. Fails with UNKNOWN_DATABASE or DATABASE_NOT_EMPTY.
    pub fn drop_database(&self, name: &str) -> Result<()> {
        let name = name.to_owned();
        self.execute(|_| Ok(vec![Op::DropDatabase { name }]))
    }

    /// Records a table of any engine with its formatted definition, and returns its id.
    pub fn create_table(
        &self,
        database: &str,
        name: &str,
        definition: impl Into<DefinitionText>,
    ) -> Result<TableId> {
        let (id, definition) = (self.new_table_id()?, definition.into());
        let record = TableRecord {
            id,
            database: database.to_owned(),
            name: name.to_owned(),
            version: definition.version,
            definition: definition.text,
        };
        self.execute(|_| Ok(vec![Op::CreateTable(record)]))?;
        Ok(id)
    }

    /// Allocates a table id and creates its directory durably, for [`Self::execute`].
    pub fn new_table_id(&self) -> Result<TableId> {
        let mut id = TableId(0);
        // The number is used up here: a failed creation leaves a gap in the ids instead of a
        // directory that a second table would share.
        self.execute(|state| {
            id = TableId(state.next_table.max(1));
            Ok(vec![Op::NextTable(TableId(id.0 + 1))])
        })?;
        let disk = &self.core.disk;
        disk.create_dir_all(&table_dir(id))?;
        disk.sync_dir("")?;
        disk.sync_dir(TABLES)?;
        Ok(id)
    }

    /// Removes a table; its files are deleted when its last reader ends.
    pub fn drop_table(&self, id: TableId) -> Result<()> {
        self.execute(|_| Ok(vec![Op::DropTable { id }]))
    }

    /// Removes those parts of a table whose partition id `which` accepts, and returns how many
    /// there were.
    pub fn drop_partitions(&self, id: TableId, which: impl Fn(&str) -> bool) -> Result<usize> {
        let gone = |part: &PartSummary| which(&part.partition);
        if !self.parts(id).iter().any(gone) {
            return Ok(0);
        }
        let mut count = 0;
        self.execute(|state| {
            let parts = state.table(id)?.parts.values().filter(|part| gone(part));
            let remove =
                |part: &Arc<PartSummary>| Op::RemovePart { table: id, file: part.file.clone() };
            let ops: Vec<Op> = parts.map(remove).collect();
            count = ops.len();
            Ok(ops)
        })?;
        Ok(count)
    }

    /// Renames a table. Fails with TABLE_ALREADY_EXISTS or UNKNOWN_DATABASE.
    pub fn rename_table(&self, id: TableId, database: &str, name: &str) -> Result<()> {
        let (database, name) = (database.to_owned(), name.to_owned());
        self.execute(|_| Ok(vec![Op::RenameTable { id, database, name }]))
    }

    /// Replaces the definition of a table whose columns do not change. The columns of MergeTree
    /// tables are altered by [`MergeTreeTable::alter`].
    pub fn alter_table(&self, id: TableId, definition: impl Into<DefinitionText>) -> Result<()> {
        let DefinitionText { version, text: definition } = definition.into();
        self.execute(|_| Ok(vec![Op::AlterTable { id, version, definition }]))
    }

    /// Commits several operations as one, all or none. `RenameTable` releases the old name first,
    /// so an exchange of two names goes through a third name within the list.
    pub fn execute_all(&self, ops: Vec<Op>) -> Result<()> {
        self.execute(|_| Ok(ops))
    }

    fn execute(&self, prepare: impl FnOnce(&State) -> Result<Vec<Op>>) -> Result<()> {
        self.core.commit(Instant::now(), prepare).map_err(Error::from)
    }

    /// The handle of a MergeTree table. Fails with UNKNOWN_TABLE.
    /// A table that was detached while something still works on it is the same table again, with
    /// the same locks.
    pub fn attach(&self, id: TableId, config: TableConfig) -> Result<Arc<MergeTreeTable>> {
        let parts = self.parts_of(id)?;
        let columns =
            self.core.log.with_state(|state| state.table(id).map(|t| t.columns.clone()))?;
        let columns = columns.unwrap_or_else(|| SchemaVersion::first_ids(&config));
        let schema = SchemaVersion::new(config, columns)?;
        let working = self.core.attached().get(&id).and_then(Weak::upgrade);
        if let Some(table) = working {
            *sync::write(&table.current) = Arc::new(schema);
            return Ok(Arc::new(table.handle()));
        }
        let table = TableCore::new(Arc::clone(&self.core), id, parts, schema);
        self.core.attached().insert(id, Arc::downgrade(&table));
        self.core.merger.wake();
        Ok(Arc::new(table.handle()))
    }

    /// The handle of an attached table with the newest version of its schema.
    pub fn table(&self, id: TableId) -> Result<MergeTreeTable> {
        let table = self.core.attached().get(&id).and_then(Weak::upgrade);
        let table = table.ok_or_else(|| Error::logical("A table is altered that is not attached"));
        table.map(|table| table.handle())
    }

    /// The directory for data that the engine of a table keeps itself. The caller may have to
    /// create it. It is removed with the table, once nobody holds it. Fails with UNKNOWN_TABLE.
    pub fn own_data(&self, id: TableId) -> Result<Directory> {
        let dir = Arc::clone(&self.parts_of(id)?.dir);
        let path = join(&dir.path, OWN_DATA);
        Ok(Directory::new(Arc::clone(&self.core.disk), path, self.core.read_only, dir))
    }

    fn parts_of(&self, id: TableId) -> Result<Arc<TableParts>> {
        let found = self.core.tables.get(id).ok_or_else(|| {
            Error::new(codes::UNKNOWN_TABLE, format!("Table with id {} does not exist", id.0))
        })?;
        Ok(found.parts)
    }

    /// The parts of a table, for system.parts.
    pub fn parts(&self, id: TableId) -> Vec<PartSummary> {
        let version = self.core.tables.get(id).map(|table| table.version).unwrap_or_default();
        version.parts.iter().map(|p| (*p.summary).clone()).collect()
    }

    /// The disk on which the store lies.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.core.disk
    }

    /// The detached parts of a table.
    pub fn detached_parts(&self, id: TableId) -> Vec<PartSummary> {
        let detached = self.core.tables.get(id).map(|table| table.detached).unwrap_or_default();
        detached.iter().map(|part| (*part.summary).clone()).collect()
    }

    /// The merges that are running.
    pub fn merges(&self) -> Vec<Arc<MergeAtWork>> {
        self.core.merges.list()
    }

    /// The mutations that are running.
    pub fn running_mutations(&self) -> Vec<Arc<MutationAtWork>> {
        self.core.mutations.list()
    }

    /// The latest finished mutations of a table, oldest first.
    pub fn finished_mutations(&self, id: TableId) -> Vec<MutationRecord> {
        let of = |state: &State| state.table(id).map(|table| table.mutations.clone());
        self.core.log.with_state(of).unwrap_or_default()
    }

    /// The size of each column of an attached table, in the schema's order; empty for a table that
    /// is not attached.
    pub fn column_sizes(&self, id: TableId) -> Result<Vec<ColumnSize>> {
        let table = self.core.attached().get(&id).and_then(Weak::upgrade);
        let Some(table) = table else { return Ok(Vec::new()) };
        let table = table.handle();
        let columns = table.config().schema.columns.len();
        (0..columns).map(|position| table.column_size(position)).collect()
    }

    /// Positions of the stored columns that a part of an attached table lacks; empty for a part
    /// that does not exist or cannot be read.
    pub fn lacking(&self, id: TableId, file: &str) -> Vec<usize> {
        let table = self.core.attached().get(&id).and_then(Weak::upgrade);
        table.map(|table| table.handle().lacking(file)).unwrap_or_default()
    }

    /// Bytes that can still be written; `None` if the disk cannot tell.
    pub fn free_space(&self) -> Option<u64> {
        self.core.disk.free_space().ok()
    }

    /// SYSTEM STOP MERGES and START MERGES, for one table or for all existing ones; tables that are
    /// created later do merge. When this returns, a running merge has committed or will be
    /// abandoned, and OPTIMIZE fails with ABORTED. The setting is not stored: a store that is
    /// opened merges.
    pub fn set_merges(&self, only: Option<TableId>, run: bool) {
        let is_meant = |id: &TableId| only.is_none_or(|only| only == *id);
        for (_, table) in self.core.tables.pin().iter().filter(|(id, _)| is_meant(id)) {
            table.parts.merges_stopped.store(!run, Ordering::Relaxed);
        }
        if run {
            self.core.merger.wake();
            self.core.gatherer.wake();
            return;
        }
        // Waiting for the lock ensures that a merge that was about to commit has done so.
        for table in self.core.attached_tables().iter().filter(|t| is_meant(&t.id())) {
            drop(WorkLock::hold(&table.merging, &mut || Ok(())));
            table.memory.wait_for_gathering();
        }
    }

    /// Whether the store was opened read-only.
    pub fn is_read_only(&self) -> bool {
        self.core.read_only
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.core.merger.stop();
        self.core.gatherer.stop();
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({:?})", self.core.disk)
    }
}
