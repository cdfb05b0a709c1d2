//! Tables of the database `system` that the engine writes itself: logs.
//!
//! 1. Whoever has something to tell moves a row into the queue of its [`Log`]: one lock, one push.
//!    A full queue refuses the row, and the loss is counted: nobody waits for a disk.
//! 2. One thread makes chunks of what is queued, every few seconds or when a queue is half full,
//!    and inserts them into MergeTree tables ([`target`]), made when there is a first row.
//! 3. `SYSTEM FLUSH LOGS` asks that thread and waits for it.
//! 4. Rows are kept for some days: tables are partitioned by day, and partitions that are older are
//!    dropped whole.
//!
//! What cannot be written (the disk is full, somebody drops the table meanwhile) is lost, counted,
//! and told to the next `SYSTEM FLUSH LOGS`; the server goes on.

mod log;
mod part_log;
pub mod profiles;
pub(crate) mod query_log;
mod target;
mod trace_log;
mod used;

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use entasis_base::events::{self, Event};
use entasis_base::scope;
use entasis_base::{Error, Result, codes};
use entasis_types::TimeZone;

use crate::catalog::EngineCatalog;
use log::{AnyLog, Log};
use part_log::PartRow;
use query_log::QueryRow;
use target::Target;
use trace_log::{Sampled, TraceRow};

/// Days between 1970-01-01 and now.
fn today() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs() / 86_400)
}

/// The machine's name.
fn host_name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
        name.map_or_else(|_| "localhost".into(), |name| name.trim().to_string())
    })
}

/// How logs are kept.
#[derive(Clone, Copy, Debug)]
pub struct LogsConfig {
    /// Time between writes.
    pub interval: Duration,
    /// Days for which rows are kept; 0 means for ever.
    pub days: u64,
    /// Most rows that wait for being written, per log.
    pub capacity: usize,
}

impl Default for LogsConfig {
    fn default() -> Self {
        Self { interval: Duration::from_millis(7500), days: 30, capacity: 65_536 }
    }
}

/// All logs of an engine.
pub(crate) struct Logs {
    /// Statements.
    queries: Log<QueryRow>,
    /// Stacks of their threads.
    traces: Log<TraceRow>,
    /// Parts that come and go.
    parts: Log<PartRow>,
    /// Statements whose threads are sampled.
    sampled: Sampled,
    shared: Shared,
    config: LogsConfig,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Flushes asked for, begun and done so far.
    asked: u64,
    done: u64,
    /// What went wrong in the last one that was asked for.
    failed: Option<Error>,
    /// A queue is half full.
    hurry: bool,
    closed: bool,
}

impl Logs {
    /// Empty logs.
    pub(crate) fn new(config: LogsConfig) -> Arc<Self> {
        Arc::new(Self {
            queries: query_log::log(config.capacity),
            traces: trace_log::log(config.capacity),
            parts: part_log::log(config.capacity),
            sampled: Sampled::default(),
            shared: Shared::default(),
            config,
        })
    }

    fn all(&self) -> [&dyn AnyLog; 3] {
        [&self.queries, &self.traces, &self.parts]
    }

    /// Adds a row to the log of statements.
    pub(crate) fn query(&self, row: QueryRow) {
        self.pushed(self.queries.push(row));
    }

    fn trace(&self, row: TraceRow) {
        self.pushed(self.traces.push(row));
    }

    fn part(&self, row: PartRow) {
        self.pushed(self.parts.push(row));
    }

    fn pushed(&self, many: bool) {
        if many {
            self.lock().hurry = true;
            self.shared.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until what is queued now has been written. Fails with what stood against it.
    pub(crate) fn flush(&self, name: Option<&str>) -> Result<()> {
        if let Some(name) = name
            && !self.all().iter().any(|log| log.name() == name)
        {
            let names: Vec<_> = self.all().iter().map(|log| log.name()).collect();
            let message =
                format!("There is no log `{name}`: those that are kept are {}", names.join(", "));
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let mut state = self.lock();
        state.asked += 1;
        let ticket = state.asked;
        self.shared.changed.notify_all();
        while state.done < ticket && !state.closed {
            scope::check()?;
            let waited = self.shared.changed.wait_timeout(state, Duration::from_millis(20));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.failed.as_ref().map_or(Ok(()), |error| Err(error.duplicate()))
    }

    /// The thread that writes.
    fn run(&self, catalog: &Weak<EngineCatalog>, time_zone: TimeZone) {
        let mut targets: Vec<Target> =
            self.all().iter().map(|log| Target::new(log.name(), log.definition())).collect();
        let mut swept = None;
        loop {
            let (ticket, last) = self.wait();
            trace_log::collect(self);
            let Some(catalog) = catalog.upgrade() else { return };
            let mut failed = None;
            for (log, target) in self.all().into_iter().zip(&mut targets) {
                let Some((chunk, rows)) = log.take(&catalog) else { continue };
                let written = scope::guard(|| target.insert(&catalog, time_zone, chunk));
                if let Err(error) = written {
                    events::one(Event::SystemLogErrorOnFlush);
                    events::add(Event::SystemLogRowsLost, rows as u64);
                    failed = Some(error.context(format!("Cannot write system.{}", log.name())));
                }
            }
            let today = today();
            if self.config.days > 0 && swept != Some(today) {
                swept = Some(today);
                let first = today.saturating_sub(self.config.days);
                for target in &targets {
                    // What cannot be dropped today can be tomorrow.
                    let _ = target.sweep(&catalog, first);
                }
            }
            drop(catalog);
            let mut state = self.lock();
            if ticket > state.done {
                state.done = ticket;
                state.failed = failed;
            }
            if last {
                state.closed = true;
            }
            self.shared.changed.notify_all();
            if last {
                return;
            }
        }
    }

    /// Waits for the next time to write: the flushes asked for by then, and whether it is the last.
    fn wait(&self) -> (u64, bool) {
        let until = Instant::now() + self.config.interval;
        let mut state = self.lock();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let due = state.asked > state.done || state.hurry || left.is_zero();
            if due || state.closed {
                state.hurry = false;
                return (state.asked, state.closed);
            }
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The thread that writes, ended with what is queued when this is dropped.
pub(crate) struct Writer {
    logs: Arc<Logs>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(
        config: LogsConfig,
        catalog: &Arc<EngineCatalog>,
        time_zone: TimeZone,
    ) -> Result<Self> {
        let logs = Logs::new(config);
        let of_store = Arc::clone(&logs);
        catalog.store().observe(move |ops| of_store.parts(ops));
        let (of_thread, catalog) = (Arc::clone(&logs), Arc::downgrade(catalog));
        let thread = std::thread::Builder::new()
            .name("logs".into())
            .spawn(move || of_thread.run(&catalog, time_zone))
            .map_err(|e| {
                Error::new(codes::CANNOT_SCHEDULE_TASK, "Cannot start the thread of the logs")
                    .with_cause(e)
            })?;
        Ok(Self { logs, thread: Some(thread) })
    }

    /// The logs that it writes.
    pub(crate) fn logs(&self) -> &Arc<Logs> {
        &self.logs
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.logs.lock().closed = true;
        self.logs.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
