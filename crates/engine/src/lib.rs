//! The engine: it takes the text of a statement and answers a stream of chunks.
//!
//! [`Engine`] holds what exists once per process: catalog, worker pool, memory account. A
//! [`Session`] holds the state of one user: current database, settings. A statement goes through
//! `sql` -> `analyze` -> `plan` -> `exec`, or to `ddl`, `insert`, `show`.
//!
//! The layers of the crate; each uses only those above it in this list (`layers.toml` has the same
//! list, and `xtask layers` checks it):
//!
//! | layer | contents |
//! |---|---|
//! | `settings` | the list of settings, their values, and what functions know of them |
//! | `process` | running statements; kinds of statements; counts of errors |
//! | `definition` | definitions of tables and views: columns, keys, constraints, features |
//! | `dictionary` | dictionaries: definitions, sources, loading |
//! | `engines` | the table engines, one file each |
//! | `catalog` | databases and tables by name; making and opening tables |
//! | `system` | tables of the database `system` |
//! | `logs` | logs of the server, which are kept in tables |
//! | `session` | a user's state, and the catalog as that user sees it |
//! | `statement` | execution of statements; `run` calls the method of [`Session`] for each kind |
//! | `ddl` | statements that create, change and drop databases, tables and views |
//! | `backup` | BACKUP and RESTORE |
//! | `compare` | the statement COMPARE |
//!
//! Not in this crate, on purpose: sockets, terminals, and the formats' bytes on their way to a
//! client.
#![forbid(unsafe_code)]

mod backup;
mod catalog;
mod compare;
mod ddl;
mod definition;
mod dictionary;
mod engines;
mod logs;
mod process;
mod session;
pub mod settings;
mod statement;
pub mod storage;
mod system;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, Weak};

use entasis_base::clock::{Clock, SystemClock};
use entasis_base::{Error, MachineMemory, MemoryAccount, Result};
use entasis_disk::{Disk, LocalDisk, MemoryDisk, Temporary, UserFiles};
use entasis_exec::Spill;
use entasis_mergetree::{Store, StoreOptions};
use entasis_pipeline::Scheduler;
use entasis_table_api::FindTable;
use entasis_tables::web::Web;
use entasis_types::TimeZone;

use logs::{Logs, Writer};
use settings::dictionaries::Dictionaries;
use settings::function_context::{ServerContext, StatementContext, TableFinder};
use settings::rollups::AllRollups;
use settings::web::HttpWeb;

pub use backup::BackupAccess;
pub use catalog::EngineCatalog;
pub use entasis_analyze::names::near;
pub use entasis_column::Chunk;
pub use entasis_pipeline::{Progress, Step, WorkHook};
pub use entasis_sql::{
    Parsed, StatementClass, Token, TokenKind, is_complete, lex, next_statement, statement_kind,
};
pub use logs::LogsConfig;
pub use logs::session_log::{AuthKind, Login, SessionKind};
pub use process::client::{Client, Method, TraceContext};
pub use process::kind::QueryKind;
pub use process::{Process, Processes, new_query_id};
pub use session::{QueryOptions, Session};
pub use settings::rollups::{RollupRule, Rollups};
pub use settings::web::WebHosts;
pub use settings::{SETTINGS, SettingDef, Settings};
pub use statement::infile::{InFile, takes_any_bytes};
pub use statement::outfile::OutFile;
pub use statement::profiles::ProfileKind;
pub use statement::result::{QueryResult, RowStream};
pub use statement::short::Begun;
pub use system::metrics::Metric;

/// How an engine is set up: components that a query cannot change, unlike settings.
pub struct EngineConfig {
    /// Where tables are kept; `None` keeps them in memory.
    pub disk: Option<Arc<dyn Disk>>,
    /// Whether the tables are only read; nothing is written to the disk then.
    pub read_only: bool,
    /// Whether parts are merged in the background. OPTIMIZE merges in any case.
    pub merges: bool,
    /// Access to users' files, for the table function `file`.
    pub files: UserFiles,
    /// Where statements may write and read backups.
    pub backups: BackupAccess,
    /// The hosts that the table function `url` may reach.
    pub web_hosts: WebHosts,
    /// Number of workers in the pool; 0 means one per core of the machine.
    pub threads: usize,
    /// Most bytes that all queries together may use; 0 means unlimited. One query may use half of
    /// it, unless its settings say otherwise.
    pub max_memory: u64,
    /// Time zone of DateTime values whose type names no zone.
    pub time_zone: TimeZone,
    /// The source of the time of day.
    pub clock: Arc<dyn Clock>,
    /// How logs are kept in tables of the database `system`; `None` keeps none.
    pub logs: Option<LogsConfig>,
    /// The rules of GraphiteMergeTree tables.
    pub rollups: Vec<Rollups>,
    /// Gives the hook that is called about the work of a statement, if there is one.
    pub hook: Option<HookOf>,
}

/// Answers the hook of a statement from its setting `log_comment`; `None` for most statements.
pub type HookOf = fn(&str) -> Option<Arc<dyn WorkHook>>;

impl EngineConfig {
    /// For one process on one machine: tables under `path`, or in memory; all files of the
    /// machine and all hosts can be used; the time zone is UTC.
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
            backups: BackupAccess { own: path.is_some(), allowed: None },
            web_hosts: WebHosts::Any,
            threads: 0,
            max_memory: memory_limit(0, MEMORY_RATIO),
            time_zone: TimeZone::utc(),
            clock: Arc::new(SystemClock),
            logs: None,
            rollups: Vec::new(),
            hook: None,
        })
    }

    /// As [`Self::local`], for an existing folder that is only read, as another process may be
    /// using it.
    pub fn local_read_only(path: &str) -> Result<Self> {
        let disk = Arc::new(LocalDisk::existing(path)?) as Arc<dyn Disk>;
        Ok(Self { disk: Some(disk), read_only: true, merges: false, ..Self::local(None)? })
    }

    /// For a server: tables under `path`, logs are kept, and of the machine's files only those
    /// beneath `path/user_files` can be used, and no host.
    pub fn server(path: &str) -> Result<Self> {
        let user_files = std::path::Path::new(path).join("user_files");
        let disk = LocalDisk::new(path)?;
        // Checked before anything is created there.
        Store::check_place(&disk)?;
        disk.create_dir_all("user_files").map_err(|e| e.context("Choose another --path"))?;
        Ok(Self {
            files: UserFiles::confined(&user_files)?,
            backups: BackupAccess { own: true, allowed: Some(Vec::new()) },
            web_hosts: WebHosts::Only(Vec::new()),
            logs: Some(LogsConfig::default()),
            ..Self::local(Some(path))?
        })
    }
}

/// Default of the share of the machine's memory that a process may use.
pub const MEMORY_RATIO: f64 = 0.8;

/// One part in so many of the memory may be hash tables that are kept with tables for lookups.
const KEPT_SHARE: u64 = 8;

/// The memory limit of a process in bytes. It is `wanted`, but at most the share `ratio` of the
/// machine's memory (or of the control group's, if that is less). If `wanted` is 0, it is that
/// share. A ratio of 0 means that there is no share to keep to. The result 0 means no limit.
pub fn memory_limit(wanted: u64, ratio: f64) -> u64 {
    let whole = MachineMemory::find().total().filter(|_| ratio > 0.0);
    let most = whole.map_or(u64::MAX, |whole| (whole as f64 * ratio) as u64);
    match wanted {
        0 if most == u64::MAX => 0,
        0 => most,
        wanted => wanted.min(most),
    }
}

/// What exists once per process.
pub struct Engine {
    /// The first field, so that it is dropped first: queued rows are written while the catalog
    /// exists.
    logs: Option<Writer>,
    /// Dropped second: tables pass on the rows that are only in memory.
    _closing: Closing,
    catalog: Arc<EngineCatalog>,
    /// How functions find dictionaries.
    dictionaries: Dictionaries,
    /// Finds tables of the catalog.
    tables: TableFinder,
    /// The rules of GraphiteMergeTree tables.
    rollups: AllRollups,
    /// The way to addresses of the web.
    web: Arc<dyn Web>,
    scheduler: Arc<Scheduler>,
    files: Arc<UserFiles>,
    backups: BackupAccess,
    threads: usize,
    time_zone: TimeZone,
    clock: Arc<dyn Clock>,
    queries: AtomicU64,
    processes: Arc<Processes>,
    /// Where statements spill what does not fit into memory.
    temporary: Arc<Temporary>,
    no_spill: Arc<Spill>,
    hook: Option<HookOf>,
    /// The thread that refreshes views; `None` as long as there are none.
    refresher: Mutex<ddl::refresher::Thread>,
}

impl Drop for Engine {
    fn drop(&mut self) {
        ddl::refresher::stop(self);
    }
}

/// Closes the tables when it is dropped.
struct Closing(Arc<EngineCatalog>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Engine {
    /// Opens the tables and starts the threads of the logs, if logs are kept. Workers start with
    /// the first query that wants more than one.
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
        let (time_zone, clock) = (config.time_zone, Arc::clone(&config.clock));
        let (dictionaries, tables) = (Dictionaries::default(), TableFinder::default());
        let rollups = AllRollups(config.rollups.into());
        let web: Arc<dyn Web> = Arc::new(HttpWeb(config.web_hosts));
        let server = ServerContext {
            time_zone,
            clock,
            dictionaries: dictionaries.clone(),
            tables: tables.clone(),
            rollups: rollups.clone(),
            web: Arc::clone(&web),
        };
        let function_context = StatementContext::of_engine(&server);
        if config.max_memory > 0 {
            entasis_table_api::limit_kept(config.max_memory / KEPT_SHARE);
        }
        let account = MemoryAccount::server(config.max_memory, MachineMemory::find());
        let processes = Arc::new(Processes::new(account));
        let (read_only, merge) = (config.read_only, config.merges);
        let clock = Arc::clone(&config.clock);
        let store = StoreOptions { read_only, merge, clock, ..StoreOptions::default() };
        let own_tables = |catalog: &Weak<EngineCatalog>| system::own_tables(catalog, &processes);
        let memory = processes.statement_memory();
        let catalog = EngineCatalog::open(disk, store, &function_context, memory, own_tables)?;
        let finder: Weak<dyn FindTable> = Arc::downgrade(&catalog) as Weak<dyn FindTable>;
        tables.set(finder);
        // The catalog has locked the folder, so no other process has files there.
        temporary.clean()?;
        let logs = config.logs.filter(|_| !config.read_only);
        let start = |logs| Writer::start(logs, &catalog, &processes, config.time_zone);
        let logs = logs.map(start).transpose()?;
        let engine = Arc::new(Self {
            refresher: Mutex::default(),
            logs,
            _closing: Closing(Arc::clone(&catalog)),
            catalog,
            dictionaries,
            scheduler: Scheduler::new(threads),
            files: Arc::new(config.files),
            backups: config.backups,
            threads,
            hook: config.hook,
            time_zone: config.time_zone,
            clock: config.clock,
            tables,
            rollups,
            web,
            queries: AtomicU64::new(process::random()),
            processes,
            temporary: Arc::new(temporary),
            no_spill: Spill::never(),
        });
        engine.dictionaries.set(statement::dictionary::link(&engine));
        ddl::refresher::look_again(&engine);
        Ok(engine)
    }

    /// Inserts what asynchronous INSERTs have left in the queue, and lets tables pass on the rows
    /// that are only in memory, through the views of other tables. Programs call it before they
    /// drop the engine; without it, such rows reach no view.
    pub fn hand_rows_on(&self) {
        self.finish_async_inserts();
        self.catalog.close();
    }

    /// A new session; its current database is `default`.
    pub fn session(self: &Arc<Self>) -> Session {
        Session::new(Arc::clone(self))
    }

    /// The list of running statements.
    pub fn processes(&self) -> &Processes {
        &self.processes
    }

    /// The logs; `None` if none are kept.
    pub(crate) fn logs(&self) -> Option<&Arc<Logs>> {
        self.logs.as_ref().map(Writer::logs)
    }

    /// What is wrong in the folder of tables, as messages; also in `system.warnings`.
    pub fn storage_warnings(&self) -> Vec<String> {
        self.catalog.warnings()
    }

    /// Whether logs are kept. If not, a statement's [`Client`] need not be collected.
    pub fn keeps_logs(&self) -> bool {
        self.logs.is_some()
    }

    /// Whether the log of logins is kept: see [`Self::log_session`].
    pub fn logs_sessions(&self) -> bool {
        self.logs().is_some_and(|logs| logs.keeps_sessions())
    }

    /// Adds a row to `system.session_log`: a user has logged in, was refused for `reason`, or has
    /// left.
    pub fn log_session(&self, kind: SessionKind, login: Login, reason: &str) {
        if let Some(logs) = self.logs() {
            logs.session(kind, login, reason);
        }
    }

    /// Counts an error outside statements in `system.errors`.
    pub fn count_error(&self, error: &Error) {
        self.processes.errors().add(error, "");
    }

    /// Current numbers of statements, connections, files and so on: `system.metrics`.
    pub fn metrics(&self) -> Result<Vec<Metric>> {
        system::metrics::current_metrics(&self.catalog, &self.processes)
    }

    /// Figures of the machine, the allocator and the catalog: `system.asynchronous_metrics`.
    pub fn asynchronous_metrics(&self) -> Result<Vec<Metric>> {
        system::metrics::asynchronous(&self.catalog, &self.processes)
    }

    /// Time zone of DateTime values whose type names no zone.
    pub fn time_zone(&self) -> TimeZone {
        self.time_zone
    }

    /// The catalog of databases and tables.
    pub fn catalog(&self) -> &Arc<EngineCatalog> {
        &self.catalog
    }
}

/// Checks that this CPU has the instructions that the build was compiled for; fails with the first
/// one that is missing.
pub fn cpu_is_enough() -> std::result::Result<(), &'static str> {
    entasis_simd::cpu_is_enough()
}
