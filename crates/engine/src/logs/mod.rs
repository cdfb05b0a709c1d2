//! Logs: tables of the database `system` that the engine writes itself.
//!
//! 1. A thread that has something to log pushes a row into the queue of its [`Log`](log::Log),
//!    which costs one lock. A full queue refuses the row and counts it as lost, so that no thread
//!    waits for a disk.
//! 2. One thread makes chunks of the queued rows, every few seconds or when a queue is half full,
//!    and inserts them into MergeTree tables ([`target`]), which are created for the first row.
//! 3. `SYSTEM FLUSH LOGS` wakes that thread and waits for it.
//! 4. Rows are kept for some days: tables are partitioned by day, and older partitions are dropped
//!    as a whole.
//!
//! Rows that cannot be written (the disk is full, or the table is dropped meanwhile) are lost. They
//! are counted, the next `SYSTEM FLUSH LOGS` fails with the error, and the server goes on.
//!
//! A log is defined by data: a row type, a table of columns, a line in [`all`]. Rows come from
//! statements ([`log_entry`]), the store ([`part_log`]), messages ([`text_log`]), the profiler
//! ([`trace_log`]), the server ([`session_log`]) and a periodic thread ([`periodic`]).

mod all;
pub(crate) mod async_insert_log;
mod asynchronous_metric_log;
mod backup_log;
mod bell;
mod common;
mod error_log;
mod log;
pub(crate) mod log_entry;
mod metric_log;
mod part_log;
mod periodic;
mod query_log;
mod query_metric_log;
mod query_thread_log;
pub(crate) mod query_views_log;
pub(crate) mod session_log;
mod span_log;
mod target;
mod text_log;
mod trace_log;
mod used;

use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use entasis_base::clock::{Clock, SystemClock};
use entasis_base::events::{self, Event};
use entasis_base::log::{Level, Listener};
use entasis_base::sync::{Signal, lock};
use entasis_base::{Error, Result, codes, message, scope};
use entasis_types::TimeZone;

use crate::catalog::EngineCatalog;
use crate::catalog::backups::Operation;
use crate::process::Processes;
use all::{Queues, Row};
use async_insert_log::Flushed;
use backup_log::BackupRow;
use bell::Bell;
use session_log::{Login, SessionKind, SessionRow};
use target::Target;
use trace_log::Sampled;

/// Logs with rows at regular intervals are written only once in this many rounds.
const ROUNDS_OF_CLOCK: u64 = 8;

const SECONDS_OF_A_DAY: u64 = 86_400;

/// How logs are kept.
#[derive(Clone, Debug)]
pub struct LogsConfig {
    /// Names of the logs to keep; `None` keeps the usual ones.
    pub only: Option<Vec<String>>,
    /// Time between two rounds of writing.
    pub interval: Duration,
    /// Days for which rows are kept; 0 keeps them for ever.
    pub days: u64,
    /// Most rows that wait to be written, per log.
    pub capacity: usize,
    /// Messages of this level and of graver ones go into `text_log`; `None` logs no messages.
    pub text_level: Option<Level>,
    /// Time between rows of the logs that have rows at regular intervals.
    pub metrics_every: Duration,
}

impl Default for LogsConfig {
    fn default() -> Self {
        Self {
            only: None,
            interval: Duration::from_millis(7500),
            days: 30,
            capacity: 65_536,
            text_level: Some(Level::Information),
            metrics_every: Duration::from_secs(1),
        }
    }
}

/// All logs of an engine.
pub(crate) struct Logs {
    queues: Queues,
    /// The statements whose threads are sampled.
    sampled: Sampled,
    /// Wakes the thread that adds rows at regular intervals.
    clock: Bell,
    /// The counts of errors that the log of errors has rows for.
    errors: error_log::Told,
    shared: Shared,
    config: LogsConfig,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Signal,
}

#[derive(Default)]
struct State {
    /// Number of flushes that were asked for so far; `done` is the number of those that are done.
    asked: u64,
    done: u64,
    /// The error of the last flush that was asked for, if it failed.
    failed: Option<Error>,
    /// Set when a queue is half full.
    hurry: bool,
    closed: bool,
}

impl Logs {
    /// Empty logs. Fails if the configuration names an unknown log.
    pub(crate) fn new(config: LogsConfig) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            queues: Queues::new(&config)?,
            sampled: Sampled::default(),
            clock: Bell::default(),
            errors: error_log::Told::default(),
            shared: Shared::default(),
            config,
        }))
    }

    /// Whether the log of such rows is kept. It is asked before a row is made that is costly to
    /// make.
    fn keeps<R: Row>(&self) -> bool {
        R::log(&self.queues).is_kept()
    }

    /// Adds a row to its log, if that is kept.
    fn push<R: Row>(&self, row: R) {
        if R::log(&self.queues).push(row) {
            self.lock().hurry = true;
            self.shared.changed.notify_all();
        }
    }

    /// Whether the log of logins is kept.
    pub(crate) fn keeps_sessions(&self) -> bool {
        self.keeps::<SessionRow>()
    }

    /// Logs that a user has logged in, was refused for a reason, or has left.
    pub(crate) fn session(&self, kind: SessionKind, login: Login, reason: &str) {
        self.push(SessionRow::new(kind, login, reason));
    }

    /// Adds a row about the data of an asynchronous INSERT, if that log is kept.
    pub(crate) fn async_insert(&self, row: impl FnOnce() -> Flushed) {
        if self.keeps::<Flushed>() {
            self.push(row());
        }
    }

    /// Logs how a BACKUP or a RESTORE stands.
    pub(crate) fn backup(&self, operation: Operation) {
        self.push(BackupRow::new(operation));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.shared.state)
    }

    /// Waits until all rows that are queued now have been written; fails if that failed. `name`
    /// must be a log, but all logs are written in any case.
    pub(crate) fn flush(&self, name: Option<&str>) -> Result<()> {
        let all = self.queues.all();
        if let Some(name) = name
            && !all.iter().any(|log| log.name() == name)
        {
            let names: Vec<_> = all.iter().map(|log| log.name()).collect();
            return Err(all::unknown_log(name, &names));
        }
        let mut state = self.lock();
        state.asked += 1;
        let ticket = state.asked;
        self.shared.changed.notify_all();
        while state.done < ticket && !state.closed {
            scope::check()?;
            state = self.shared.changed.wait_timeout(state, Duration::from_millis(20));
        }
        state.failed.as_ref().map_or(Ok(()), |error| Err(error.duplicate()))
    }

    /// The work of the thread that writes.
    fn run(&self, catalog: &Weak<EngineCatalog>, processes: &Weak<Processes>, time_zone: TimeZone) {
        let all = self.queues.all().into_iter();
        let mut targets: Vec<Target> =
            all.map(|log| Target::new(log.name(), log.definition())).collect();
        let (mut swept, mut round) = (None, 0);
        loop {
            let wake = self.wait();
            let (Some(catalog), Some(processes)) = (catalog.upgrade(), processes.upgrade()) else {
                return;
            };
            if wake.all {
                self.errors.tell(self, processes.errors(), SystemClock.now());
            }
            trace_log::drain(self);
            round += 1;
            let with_clock = wake.all || round % ROUNDS_OF_CLOCK == 0;
            let mut failed = self.write(&mut targets, &catalog, time_zone, with_clock);
            if wake.ticket > self.lock().done {
                // Whoever asks for a flush will read the tables, also those without rows.
                failed = failed.or(self.prepare(&mut targets, &catalog, time_zone));
            }
            let today = SystemClock.now().as_secs() / SECONDS_OF_A_DAY;
            if self.config.days > 0 && swept != Some(today) {
                swept = Some(today);
                let first = today.saturating_sub(self.config.days);
                for target in &targets {
                    // A partition that cannot be dropped now is tried again tomorrow.
                    let _ = target.sweep(&catalog, first);
                }
            }
            drop((catalog, processes));
            let mut state = self.lock();
            if wake.ticket > state.done {
                state.done = wake.ticket;
                state.failed = failed;
            }
            if wake.last {
                state.closed = true;
            }
            self.shared.changed.notify_all();
            if wake.last {
                return;
            }
        }
    }

    /// Writes the queued rows, those that come at regular intervals only if `with_clock`. Answers
    /// the last error.
    fn write(
        &self,
        targets: &mut [Target],
        catalog: &Arc<EngineCatalog>,
        time_zone: TimeZone,
        with_clock: bool,
    ) -> Option<Error> {
        let mut failed = None;
        for (log, target) in self.queues.all().into_iter().zip(targets) {
            if !with_clock && log.by_clock() {
                continue;
            }
            let Some((chunk, rows)) = log.take(catalog) else { continue };
            let written = scope::guard(|| target.insert(catalog, time_zone, chunk));
            if let Err(error) = written {
                events::one(Event::SystemLogErrorOnFlush);
                events::add(Event::SystemLogRowsLost, rows as u64);
                let name = log.name();
                message!(Error, "SystemLog", "Lost {} rows of system.{}: {}", rows, name, error);
                failed = Some(error.context(format!("Cannot write system.{name}")));
            }
        }
        failed
    }

    /// Creates the tables of all logs that are kept. Answers the last error.
    fn prepare(
        &self,
        targets: &mut [Target],
        catalog: &Arc<EngineCatalog>,
        time_zone: TimeZone,
    ) -> Option<Error> {
        let all = self.queues.all();
        let kept = all.into_iter().zip(targets).filter(|(log, _)| log.is_kept());
        let prepared = kept.map(|(_, target)| scope::guard(|| target.prepare(catalog, time_zone)));
        prepared.filter_map(Result::err).last()
    }

    /// Waits until rows are to be written.
    fn wait(&self) -> Wake {
        let until = Instant::now() + self.config.interval;
        let mut state = self.lock();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let asked = state.asked > state.done;
            if asked || state.hurry || left.is_zero() || state.closed {
                let hurry = std::mem::take(&mut state.hurry);
                let (ticket, last) = (state.asked, state.closed);
                return Wake { ticket, all: asked || hurry || last, last };
            }
            state = self.shared.changed.wait_timeout(state, left);
        }
    }
}

/// What the writing thread has to do when it wakes.
struct Wake {
    /// Number of flushes asked for so far; they are done after this round.
    ticket: u64,
    /// Whether all logs are to be written, also those with rows at regular intervals.
    all: bool,
    last: bool,
}

/// The threads of the logs. When this is dropped, they write what is queued and end.
pub(crate) struct Writer {
    logs: Arc<Logs>,
    threads: Vec<JoinHandle<()>>,
    _listener: Option<Listener>,
}

impl Writer {
    /// Starts the threads, and observes the store and the messages.
    pub(crate) fn start(
        config: LogsConfig,
        catalog: &Arc<EngineCatalog>,
        processes: &Arc<Processes>,
        time_zone: TimeZone,
    ) -> Result<Self> {
        let level = config.text_level;
        let logs = Logs::new(config)?;
        let of_store = Arc::clone(&logs);
        catalog.store().observe(move |commit| of_store.parts(commit));
        let of_thread = Arc::clone(&logs);
        let (weak_catalog, weak_processes) = (Arc::downgrade(catalog), Arc::downgrade(processes));
        let thread = std::thread::Builder::new()
            .name("logs".into())
            .spawn(move || of_thread.run(&weak_catalog, &weak_processes, time_zone))
            .map_err(|e| {
                Error::new(codes::CANNOT_SCHEDULE_TASK, "Cannot start the thread of the logs")
                    .with_cause(e)
            })?;
        let by_clock = periodic::start(&logs, catalog, processes);
        let threads = by_clock.into_iter().chain([thread]).collect();
        let listener = level.and_then(|level| text_log::listen(&logs, level));
        Ok(Self { _listener: listener, logs, threads })
    }

    /// The logs whose threads these are.
    pub(crate) fn logs(&self) -> &Arc<Logs> {
        &self.logs
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.logs.clock.close();
        self.logs.sampled.bell.close();
        self.logs.lock().closed = true;
        self.logs.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
