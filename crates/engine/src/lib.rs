//! The engine: text in, a stream of chunks out.
//!
//! [`Engine`] holds what the process has once: catalog, worker pool, memory account. A [`Session`]
//! holds what one user has: current database, settings. A statement goes through
//! `sql` -> `analyze` -> `plan` -> `exec`, or to `ddl`, `insert`, `show`.
//!
//! The rooms of the crate, each of which uses only those above it (`layers.toml` has the same list,
//! and `xtask layers` checks it):
//!
//! | room | what |
//! |---|---|
//! | `settings` | the settings: which there are, their values; what functions know of them |
//! | `process` | the statements that run; kinds of statements; errors that were counted |
//! | `definition` | what CREATE TABLE says: columns, keys, constraints, features of engines |
//! | `engines` | the table engines, one file each |
//! | `catalog` | databases and tables by name; making and opening tables |
//! | `system` | tables of the database `system` |
//! | `logs` | logs that are kept in tables |
//! | `session` | a user's state, and the catalog as that user sees it |
//! | `statement` | what statements do; `run` gives each to the method of [`Session`] that does it |
//! | `ddl` | statements that change which tables there are, and what they look like |
//! | `compare` | the statement COMPARE |
//!
//! Absent on purpose: sockets, terminals, formats' bytes on their way to a client.
#![forbid(unsafe_code)]

mod catalog;
mod compare;
mod ddl;
mod definition;
mod engines;
mod logs;
mod process;
mod session;
pub mod settings;
mod statement;
pub mod storage;
mod system;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};

use entasis_base::clock::{Clock, SystemClock};
use entasis_base::{Error, MachineMemory, MemoryAccount, Result};
use entasis_disk::{Disk, LocalDisk, MemoryDisk, Temporary, UserFiles};
use entasis_exec::Spill;
use entasis_mergetree::{Store, StoreOptions};
use entasis_pipeline::Scheduler;
use entasis_types::TimeZone;

use logs::{Logs, Writer};

pub use catalog::EngineCatalog;
pub use entasis_analyze::names::near;
pub use entasis_column::Chunk;
pub use entasis_pipeline::Progress;
pub use entasis_sql::{
    Parsed, StatementClass, Token, TokenKind, is_complete, lex, next_statement, statement_kind,
};
pub use logs::LogsConfig;
pub use logs::session_log::{AuthKind, Login, SessionKind};
pub use process::client::{Client, Method, TraceContext};
pub use process::kind::QueryKind;
pub use process::{Process, Processes, new_query_id};
pub use session::{QueryOptions, Session};
pub use settings::{SETTINGS, SettingDef, Settings};
pub use statement::infile::{InFile, takes_any_bytes};
pub use statement::outfile::OutFile;
pub use statement::profiles::ProfileKind;
pub use statement::result::{QueryResult, RowStream};
pub use system::metrics::Metric;

/// How an engine is set up. Components, not settings: what a query cannot change.
pub struct EngineConfig {
    /// Where tables live; in memory if `None`.
    pub disk: Option<Arc<dyn Disk>>,
    /// Open the tables without writing.
    pub read_only: bool,
    /// Merge parts in the background; OPTIMIZE merges in any case.
    pub merges: bool,
    /// The way to users' files.
    pub files: UserFiles,
    /// Workers of the pool; the machine's cores if 0.
    pub threads: usize,
    /// Most bytes that all queries together may use; unlimited if 0. One query may use half of it,
    /// unless its settings say otherwise.
    pub max_memory: u64,
    /// Zone of DateTime without a zone of its own.
    pub time_zone: TimeZone,
    /// The time of day.
    pub clock: Arc<dyn Clock>,
    /// How logs are kept in tables of the database `system`; they are not if `None`.
    pub logs: Option<LogsConfig>,
}

impl EngineConfig {
    /// For one process on one machine: tables under `path`, or in memory; files anywhere; UTC.
    pub fn local(path: Option<&str>) -> Result<Self> {
        let disk = match path {
            Some(path) => Some(Arc::new(LocalDisk::new(path)?) as Arc<dyn Disk>),
            None => None,
        };
        Ok(Self {
            disk,
            read_only: false,
            merges: true,
            files: UserFiles::free("."),
            threads: 0,
            max_memory: memory_limit(0, MEMORY_RATIO),
            time_zone: TimeZone::utc(),
            clock: Arc::new(SystemClock),
            logs: None,
        })
    }

    /// As [`Self::local`], for a folder that is there and is not written to: another process may
    /// be using it.
    pub fn local_read_only(path: &str) -> Result<Self> {
        let disk = Arc::new(LocalDisk::existing(path)?) as Arc<dyn Disk>;
        Ok(Self { disk: Some(disk), read_only: true, merges: false, ..Self::local(None)? })
    }

    /// For a server: tables under `path`, logs, and no file of the machine but those beneath
    /// `path/user_files`.
    pub fn server(path: &str) -> Result<Self> {
        let user_files = std::path::Path::new(path).join("user_files");
        let disk = LocalDisk::new(path)?;
        // Before anything is made in there.
        Store::check_place(&disk)?;
        disk.create_dir_all("user_files").map_err(|e| e.context("Choose another --path"))?;
        Ok(Self {
            files: UserFiles::confined(&user_files)?,
            logs: Some(LogsConfig::default()),
            ..Self::local(Some(path))?
        })
    }
}

/// The share of the machine's memory that a process takes at most, unless it is told otherwise.
pub const MEMORY_RATIO: f64 = 0.8;

/// The limit of a process's memory: `wanted` bytes, or if that is 0 what `ratio` of the machine's
/// memory (or of the control group's, if that is less) comes to, which is the most in any case.
/// A ratio of 0 bounds nothing, and 0 is no limit.
pub fn memory_limit(wanted: u64, ratio: f64) -> u64 {
    let whole = MachineMemory::find().total().filter(|_| ratio > 0.0);
    let most = whole.map_or(u64::MAX, |whole| (whole as f64 * ratio) as u64);
    match wanted {
        0 if most == u64::MAX => 0,
        0 => most,
        wanted => wanted.min(most),
    }
}

/// What a process has once.
pub struct Engine {
    /// First, so that what is queued is written while there is a catalog.
    logs: Option<Writer>,
    catalog: Arc<EngineCatalog>,
    scheduler: Arc<Scheduler>,
    files: Arc<UserFiles>,
    threads: usize,
    time_zone: TimeZone,
    clock: Arc<dyn Clock>,
    queries: AtomicU64,
    processes: Arc<Processes>,
    /// Where statements put what does not fit into memory, and what those use that never do.
    temporary: Arc<Temporary>,
    no_spill: Arc<Spill>,
}

impl Engine {
    /// Opens the tables and starts nothing else: workers start with the first query that wants
    /// more than one.
    pub fn open(config: EngineConfig) -> Result<Arc<Self>> {
        if !entasis_function::registry::is_registered() {
            let message = "call entasis_functions::register() before an engine is opened";
            return Err(Error::logical(message));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if config.threads == 0 { cores } else { config.threads };
        let temporary = match &config.disk {
            Some(disk) if !config.read_only => Temporary::on(Arc::clone(disk), "tmp"),
            _ => Temporary::system(),
        };
        let disk = config.disk.unwrap_or_else(|| Arc::new(MemoryDisk::new()));
        let facts = settings::facts::QueryFacts::of_engine(config.time_zone, config.clock.as_ref());
        let account = MemoryAccount::server(config.max_memory, MachineMemory::find());
        let processes = Arc::new(Processes::new(account));
        let (read_only, merge) = (config.read_only, config.merges);
        let store = StoreOptions { read_only, merge, ..StoreOptions::default() };
        let own_tables = |catalog: &Weak<EngineCatalog>| system::own_tables(catalog, &processes);
        let memory = processes.statement_memory();
        let catalog = EngineCatalog::open(disk, store, &facts, memory, own_tables)?;
        // The catalog has the lock: nobody else's files are there.
        temporary.clean()?;
        let logs = config.logs.filter(|_| !config.read_only);
        let start = |logs| Writer::start(logs, &catalog, &processes, config.time_zone);
        let logs = logs.map(start).transpose()?;
        Ok(Arc::new(Self {
            logs,
            catalog,
            scheduler: Scheduler::new(threads),
            files: Arc::new(config.files),
            threads,
            time_zone: config.time_zone,
            clock: config.clock,
            queries: AtomicU64::new(process::random()),
            processes,
            temporary: Arc::new(temporary),
            no_spill: Spill::never(),
        }))
    }

    /// A session in the database `default`.
    pub fn session(self: &Arc<Self>) -> Session {
        Session::new(Arc::clone(self))
    }

    /// The statements that run now.
    pub fn processes(&self) -> &Processes {
        &self.processes
    }

    /// The logs, if any are kept.
    pub(crate) fn logs(&self) -> Option<&Arc<Logs>> {
        self.logs.as_ref().map(Writer::logs)
    }

    /// What is not as it should be in the folder of tables: also in `system.warnings`.
    pub fn storage_warnings(&self) -> Vec<String> {
        self.catalog.warnings()
    }

    /// Whether logs are kept: else nobody wants to know of a statement's [`Client`].
    pub fn keeps_logs(&self) -> bool {
        self.logs.is_some()
    }

    /// Whether somebody wants to know who logs in: see [`Self::log_session`].
    pub fn logs_sessions(&self) -> bool {
        self.logs().is_some_and(|logs| logs.keeps_sessions())
    }

    /// Says for `system.session_log` that somebody has logged in, was refused for a reason, or has
    /// gone.
    pub fn log_session(&self, kind: SessionKind, login: Login, reason: &str) {
        if let Some(logs) = self.logs() {
            logs.session(kind, login, reason);
        }
    }

    /// Counts an error that no statement has ended with: `system.errors`.
    pub fn count_error(&self, error: &Error) {
        self.processes.errors().add(error, "");
    }

    /// How many there are now of statements, connections, files: `system.metrics`.
    pub fn metrics(&self) -> Result<Vec<Metric>> {
        system::metrics::current_metrics(&self.catalog, &self.processes)
    }

    /// What the machine, the allocator and the catalog say: `system.asynchronous_metrics`.
    pub fn asynchronous_metrics(&self) -> Result<Vec<Metric>> {
        system::metrics::asynchronous(&self.catalog, &self.processes)
    }

    /// The zone of DateTime without a zone of its own.
    pub fn time_zone(&self) -> TimeZone {
        self.time_zone
    }

    /// The catalog.
    pub fn catalog(&self) -> &Arc<EngineCatalog> {
        &self.catalog
    }
}

/// Whether this CPU has the instructions that the build was compiled for; the first missing one
/// otherwise.
pub fn cpu_is_enough() -> std::result::Result<(), &'static str> {
    entasis_simd::cpu_is_enough()
}

/// CREATE TABLE IF NOT EXISTS of the demo's table under a name.
pub fn demo_table(name: &str) -> String {
    entasis_tables::hits::create_table(name)
}
