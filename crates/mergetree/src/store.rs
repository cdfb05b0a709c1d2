//! A store: a directory with a commit log, and the databases, tables and parts that it names.
//!
//! ```text
//! lock            one writer per directory
//! entasis.store   the directory is a store
//! commit.log      what exists
//! commit.copy     the same once more
//! tables/<id>/seg-<n>.ets
//! tables/<id>/data/          what the table's engine keeps itself, if it is not of MergeTree
//! lost/           what the log does not name and may have named
//! ```
//!
//! The engine asks which tables there are ([`Store::tables`]), binds their definitions, and
//! attaches the MergeTree ones. Invariants: a file is durable, with its name, before the log
//! names it; nothing is removed that a log might have named ([`crate::orphans`]).

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::time::{Duration, Instant};

use entasis_base::clock::{Clock, SystemClock};
use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes, message};
use entasis_disk::{Directory, Disk, DiskLock, join};

use crate::background::Merger;
use crate::config::TableConfig;
use crate::faults::Faults;
use crate::log::open::{Opened, Opening};
use crate::log::record::{Op, PartSummary, TableId, TableRecord};
use crate::log::state::{State, TableState};
use crate::log::{self, CommitError, Log, Origin, Publisher};
use crate::merge::at_work::{MergeAtWork, Merges};
use crate::part::{OWN_DATA, TABLES, TableDir, table_dir};
use crate::table::{ColumnSize, MergeTreeTable, TableCore};
use crate::version::attach_parts;
pub(crate) use crate::version::{TableParts, Version};
use crate::{orphans, place};

/// The lock file's name.
pub(crate) const LOCK: &str = "lock";

/// How a store is opened.
#[derive(Clone)]
pub struct StoreOptions {
    /// Nothing is written; another process may be the writer.
    pub read_only: bool,
    /// Merge parts in the background.
    pub merge: bool,
    /// Records after which the log is written anew.
    pub checkpoint_after: u64,
    /// A thread keeps the second copy of the log durable; else it is at the end.
    pub sync_copy: bool,
    /// Time of creation of parts.
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

/// A commit, for those who are told of it.
#[derive(Debug)]
pub struct Committed<'a> {
    /// What it did.
    pub ops: &'a [Op],
    /// The parts that it removed.
    pub removed: &'a [(TableId, Arc<PartSummary>)],
    /// The id of the statement that did it, if it was one.
    pub query_id: Option<&'a Arc<str>>,
    /// How long the work took that it is the end of.
    pub took: Duration,
}

/// Told of every record that is committed.
type Observer = Box<dyn Fn(&Committed<'_>) + Send + Sync>;

/// What tables and the store share.
pub(crate) struct StoreCore {
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) log: Log,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) read_only: bool,
    tables: Mutex<HashMap<TableId, Arc<TableParts>>>,
    attached: Mutex<HashMap<TableId, Weak<TableCore>>>,
    pub(crate) merger: Merger,
    /// The merges at work.
    pub(crate) merges: Merges,
    observer: OnceLock<Observer>,
    pub(crate) faults: Arc<Faults>,
    /// What was not as it should be when the store was opened.
    notes: Vec<String>,
    _lock: Option<DiskLock>,
}

impl Publisher for StoreCore {
    fn publish(&self, ops: &[Op], origin: &Origin) {
        let mut touched: HashSet<TableId> = HashSet::new();
        for op in ops {
            match op {
                Op::CreateTable(record) => {
                    let dir = TableDir::new(Arc::clone(&self.disk), record.id, &self.faults);
                    let parts = TableParts::new(dir, Arc::default(), 1);
                    self.tables().insert(record.id, Arc::new(parts));
                }
                Op::DropTable { id } => {
                    let Some(parts) = self.tables().remove(id) else { continue };
                    parts.dir.mark_dropped();
                    parts.version().parts.iter().for_each(|p| p.mark_removed());
                    parts.set(Arc::default());
                }
                Op::AddPart { table, .. } | Op::RemovePart { table, .. } => {
                    touched.insert(*table);
                }
                _ => {}
            }
        }
        let mut removed = Vec::new();
        for id in touched {
            let parts = self.tables().get(&id).cloned();
            if let Some(parts) = parts {
                removed.extend(parts.change(ops, id).into_iter().map(|part| (id, part)));
            }
        }
        if let Some(observer) = self.observer.get() {
            let (query_id, took) = (origin.query_id.as_ref(), origin.began.elapsed());
            observer(&Committed { ops, removed: &removed, query_id, took });
        }
    }
}

impl StoreCore {
    fn tables(&self) -> MutexGuard<'_, HashMap<TableId, Arc<TableParts>>> {
        lock(&self.tables)
    }

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

    /// Commits what is the end of work that began at `began`.
    pub(crate) fn commit(
        &self,
        began: Instant,
        prepare: impl FnOnce(&State) -> Result<Vec<Op>>,
    ) -> Result<(), CommitError> {
        self.log.commit(self, Origin::since(began), prepare)
    }

    /// Seconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        self.clock.now().as_secs()
    }
}

/// An open directory of databases.
pub struct Store {
    core: Arc<StoreCore>,
}

impl Store {
    /// Opens the store on `disk`, which is made one if it is empty.
    pub fn open(disk: Arc<dyn Disk>, read_only: bool) -> Result<Self> {
        Self::open_with(disk, StoreOptions { read_only, ..StoreOptions::default() })
    }

    /// As [`Self::open`], with all options.
    pub fn open_with(disk: Arc<dyn Disk>, options: StoreOptions) -> Result<Self> {
        let mut place = place::look(&*disk)?;
        let lock = if options.read_only { None } else { Some(disk.lock(LOCK)?) };
        if lock.is_some() {
            // Somebody may have made it a store meanwhile.
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
        let tables: HashMap<_, _> = log.with_state(|state| {
            let table =
                |(id, t): (&TableId, &TableState)| (*id, attach_parts(&disk, *id, t, &faults));
            state.tables.iter().map(table).collect()
        });
        if !options.read_only {
            let settled =
                log.with_state(|state| orphans::settle(&*disk, state, &faults, doubtful))?;
            for (id, last) in settled.last_segments {
                if let Some(table) = tables.get(&id) {
                    table.next_segment.fetch_max(last + 1, Ordering::Relaxed);
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
            clock: options.clock,
            read_only: options.read_only,
            tables: Mutex::new(tables),
            attached: Mutex::default(),
            merger: Merger::default(),
            merges: Merges::default(),
            observer: OnceLock::new(),
            faults,
            notes,
            _lock: lock,
        });
        if options.merge && !options.read_only {
            Merger::start(&core);
        }
        Ok(Self { core })
    }

    /// Fails if a folder is neither a store nor fit to become one; changes nothing.
    pub fn check_place(disk: &dyn Disk) -> Result<()> {
        place::look(disk).map(drop)
    }

    /// What is not as it should be: what was found when the store was opened, and the files that
    /// are damaged as far as is known.
    pub fn warnings(&self) -> Vec<String> {
        let faults = self.core.faults.list().into_iter();
        let damaged = faults.map(|(path, what)| {
            format!("A file of a table is damaged, `{path}`: {what}. The other tables work")
        });
        self.core.notes.iter().cloned().chain(damaged).collect()
    }

    /// Tells `observer` of every record that is committed from now on, under the log's lock: it is
    /// not to wait, nor to ask the store. The first one stays.
    pub fn observe(&self, observer: impl Fn(&Committed<'_>) + Send + Sync + 'static) {
        let _ = self.core.observer.set(Box::new(observer));
    }

    /// Databases with their definitions.
    pub fn databases(&self) -> Vec<(String, String)> {
        let copy = |(n, d): (&String, &String)| (n.clone(), d.clone());
        self.core.log.with_state(|state| state.databases.iter().map(copy).collect())
    }

    /// All tables, whatever their engine, by id.
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

    /// Records a table of any engine by its formatted definition, and answers its id.
    pub fn create_table(&self, database: &str, name: &str, definition: &str) -> Result<TableId> {
        let id = self.new_table_id()?;
        let record = TableRecord {
            id,
            database: database.to_owned(),
            name: name.to_owned(),
            version: 1,
            definition: definition.to_owned(),
        };
        self.execute(|_| Ok(vec![Op::CreateTable(record)]))?;
        Ok(id)
    }

    /// A table id with a durable directory, for [`Self::execute`].
    pub fn new_table_id(&self) -> Result<TableId> {
        let mut id = TableId(0);
        // Burns the number: a failed creation leaves a gap, not a directory that is used twice.
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

    /// Removes a table; its files go when its last reader does.
    pub fn drop_table(&self, id: TableId) -> Result<()> {
        self.execute(|_| Ok(vec![Op::DropTable { id }]))
    }

    /// Removes the parts of a table in those partitions of which `which` says so by their id, and
    /// answers how many there were.
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

    /// Replaces a table's definition.
    pub fn alter_table(&self, id: TableId, definition: &str) -> Result<()> {
        let definition = definition.to_owned();
        self.execute(|_| Ok(vec![Op::AlterTable { id, version: 1, definition }]))
    }

    /// Commits several operations as one: they happen together or not at all. `RenameTable` frees
    /// the old name first, so an exchange goes through a third name within the list.
    pub fn execute_all(&self, ops: Vec<Op>) -> Result<()> {
        self.execute(|_| Ok(ops))
    }

    fn execute(&self, prepare: impl FnOnce(&State) -> Result<Vec<Op>>) -> Result<()> {
        self.core.commit(Instant::now(), prepare).map_err(Error::from)
    }

    /// The handle of a MergeTree table. Fails with UNKNOWN_TABLE.
    pub fn attach(&self, id: TableId, config: TableConfig) -> Result<Arc<MergeTreeTable>> {
        let parts = self.parts_of(id)?;
        let table = TableCore::new(Arc::clone(&self.core), id, parts, config)?;
        self.core.attached().insert(id, Arc::downgrade(&table));
        self.core.merger.wake();
        Ok(Arc::new(MergeTreeTable(table)))
    }

    /// The directory for data that the engine of a table keeps itself; it may have to be made. It
    /// goes with the table, once nobody holds it. Fails with UNKNOWN_TABLE.
    pub fn own_data(&self, id: TableId) -> Result<Directory> {
        let dir = Arc::clone(&self.parts_of(id)?.dir);
        let path = join(&dir.path, OWN_DATA);
        Ok(Directory::new(Arc::clone(&self.core.disk), path, self.core.read_only, dir))
    }

    fn parts_of(&self, id: TableId) -> Result<Arc<TableParts>> {
        self.core.tables().get(&id).cloned().ok_or_else(|| {
            Error::new(codes::UNKNOWN_TABLE, format!("Table with id {} does not exist", id.0))
        })
    }

    /// The parts of a table, for system.parts.
    pub fn parts(&self, id: TableId) -> Vec<PartSummary> {
        let parts = self.core.tables().get(&id).cloned();
        let version = parts.map(|p| p.version()).unwrap_or_default();
        version.parts.iter().map(|p| (*p.summary).clone()).collect()
    }

    /// The merges at work.
    pub fn merges(&self) -> Vec<Arc<MergeAtWork>> {
        self.core.merges.list()
    }

    /// What each column of an attached table takes, in the schema's order; empty for a table that
    /// is not attached.
    pub fn column_sizes(&self, id: TableId) -> Result<Vec<ColumnSize>> {
        let table = self.core.attached().get(&id).and_then(Weak::upgrade);
        let Some(table) = table else { return Ok(Vec::new()) };
        let columns = table.config.schema.columns.len();
        let table = MergeTreeTable(table);
        (0..columns).map(|position| table.column_size(position)).collect()
    }

    /// Bytes that can still be written, if the disk knows.
    pub fn free_space(&self) -> Option<u64> {
        self.core.disk.free_space().ok()
    }

    /// SYSTEM STOP MERGES and START MERGES, of one table or of all that there are: those that come
    /// later merge. A merge at work is given up, or commits before this returns; OPTIMIZE fails
    /// with ABORTED. A store that is opened merges: nothing of this is stored.
    pub fn set_merges(&self, only: Option<TableId>, run: bool) {
        let is_meant = |id: &TableId| only.is_none_or(|only| only == *id);
        for (_, parts) in self.core.tables().iter().filter(|(id, _)| is_meant(id)) {
            parts.merges_stopped.store(!run, Ordering::Relaxed);
        }
        if run {
            self.core.merger.wake();
            return;
        }
        // A merge that was about to commit has done so when this returns.
        for table in self.core.attached_tables().iter().filter(|t| is_meant(&t.id())) {
            drop(table.lock_merges());
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
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({:?})", self.core.disk)
    }
}
