//! Collects, while a statement runs, what the logs will say about it.
//!
//! An entry does not hold the statement's memory accounts: rows that wait to be written must not
//! keep the account of a user among those of users with running statements.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use entasis_base::Error;
use entasis_base::alloc::{MemorySettings, MemoryWatch};
use entasis_base::clock::{Clock, SystemClock};
use entasis_base::events::{Counters, Event, Sampling, ThreadWork};
use entasis_base::sync::lock;

use super::Logs;
use super::query_log::{Done, QueryRow, Type};
use super::query_metric_log::{Periods, QueryMetricRow};
use super::query_thread_log::ThreadRow;
use super::query_views_log::{ViewRow, ViewWork};
use super::span_log::{Attributes, SpanRow, Trace};
use super::used::{self, Used};
use crate::process::client::Client;
use crate::process::{End, Process, Witness, random};
use crate::settings::{self, Settings};

/// What `system.query_log` will say about one statement.
pub(crate) struct QueryLogEntry {
    logs: Arc<Logs>,
    pub(super) query_id: String,
    pub(super) user: String,
    pub(super) address: String,
    pub(super) database: String,
    pub(super) query: String,
    pub(super) kind: &'static str,
    pub(super) client: Option<Arc<Client>>,
    /// Time since 1970.
    pub(super) began: Duration,
    since: Instant,
    started: AtomicBool,
    /// When the statement had been analysed and its execution began.
    execution: OnceLock<Instant>,
    /// The number by which the profiler knows the statement; 0 if it is not sampled.
    number: AtomicU64,
    trace: OnceLock<Trace>,
    pub(super) periods: Periods,
    gathered: Mutex<Gathered>,
    /// The names in its text; they are looked up only when its rows are written.
    pub(super) used: OnceLock<Arc<Used>>,
}

/// What becomes known while the statement runs.
#[derive(Default)]
pub(super) struct Gathered {
    pub settings: Settings,
    pub tables: Vec<(String, String)>,
    pub columns: Vec<String>,
    pub projections: Vec<String>,
    pub format: Option<String>,
    pub failure: Option<(u16, String)>,
    watch: Option<&'static MemoryWatch>,
    /// The probability of being traced with which the lot was last drawn.
    drawn: f64,
}

impl std::fmt::Debug for QueryLogEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Notes").field("query_id", &self.query_id).finish_non_exhaustive()
    }
}

impl Witness for QueryLogEntry {
    fn fail(&self, error: &Error) {
        let code = error.code().0;
        let text = || entasis_sql::mask_secrets(&error.to_string()).into_owned();
        self.gathered(|g| g.failure.get_or_insert_with(|| (code, text())).0);
    }

    fn threads(&self, counters: &Counters) -> Vec<ThreadWork> {
        let wanted = self.trace.get().is_some() || self.wants_threads();
        if wanted { counters.threads() } else { Vec::new() }
    }

    fn end(self: Arc<Self>, process: &Process, end: End<'_>) {
        self.ended(process, end);
    }
}

impl QueryLogEntry {
    /// The entry of a statement, if it is logged.
    pub(crate) fn of(process: &Process) -> Option<Arc<Self>> {
        let witness: Arc<dyn Any + Send + Sync> = Arc::clone(process.witness()?) as _;
        witness.downcast().ok()
    }

    /// The entry of a statement that begins now.
    pub(crate) fn new(
        logs: &Arc<Logs>,
        process: &Process,
        settings: &Settings,
        client: Option<Arc<Client>>,
    ) -> Arc<Self> {
        let gathered = Gathered { settings: settings.clone(), ..Gathered::default() };
        let log_entry = Self {
            logs: Arc::clone(logs),
            query_id: process.query_id.clone(),
            user: process.user.clone(),
            address: process.address.clone(),
            database: process.database.clone(),
            query: process.query.clone(),
            kind: process.kind.name(),
            client,
            began: SystemClock.now(),
            since: process.started,
            started: AtomicBool::new(false),
            execution: OnceLock::new(),
            number: AtomicU64::new(0),
            trace: OnceLock::new(),
            periods: Periods::default(),
            gathered: Mutex::new(gathered),
            used: OnceLock::new(),
        };
        let context = log_entry.client.as_ref().and_then(|client| client.trace.as_ref());
        if let Some(context) = context.filter(|context| context.sampled) {
            log_entry.traced(Some(context));
        }
        Arc::new(log_entry)
    }

    pub(super) fn gathered<T>(&self, f: impl FnOnce(&mut Gathered) -> T) -> T {
        f(&mut lock(&self.gathered))
    }

    /// The names in its text.
    pub(super) fn used(&self) -> &Used {
        self.used.get_or_init(|| Arc::new(used::of(&self.query)))
    }

    fn traced(&self, context: Option<&crate::TraceContext>) {
        if self.logs.keeps::<SpanRow>() {
            let _ = self.trace.set(Trace::new(context));
        }
    }

    /// Takes the settings that the statement runs with, and sets how its threads are sampled.
    pub(crate) fn settings(&self, settings: &Settings, counters: &Counters) {
        self.gathered(|g| g.settings = settings.clone());
        if !settings.is_default() {
            self.draw(settings.f64(settings::TRACE_PROBABILITY));
            if self.metrics_every().is_some_and(|every| !every.is_zero()) {
                self.logs.clock.ring();
            }
        }
        let cpu_period_ns = settings.u64(settings::PROFILER_CPU);
        let real_period_ns = settings.u64(settings::PROFILER_REAL);
        let memory = MemorySettings {
            step: settings.u64(settings::PROFILER_MEMORY_STEP),
            probability: settings.f64(settings::MEMORY_SAMPLE),
            sizes: [settings::MEMORY_SAMPLE_MIN, settings::MEMORY_SAMPLE_MAX]
                .map(|setting| settings.u64(setting)),
        };
        let record = settings.flag(settings::TRACE_EVENTS) || !memory.is_off();
        if cpu_period_ns | real_period_ns == 0 && !record {
            counters
                .sample(Sampling { counters: counters.sampling().counters, ..Sampling::default() });
            return;
        }
        if self.number.load(Ordering::Relaxed) == 0 {
            let number = self.logs.sampled.enter(&self.logs, &self.query_id);
            self.number.store(number, Ordering::Relaxed);
        }
        let query = self.number.load(Ordering::Relaxed);
        let memory = (!memory.is_off()).then(|| self.watch(&memory, query));
        // `counters` says how performance events are counted, which is set elsewhere and stays.
        let others = counters.sampling();
        let periods = Sampling { query, cpu_period_ns, real_period_ns, record, memory, ..others };
        counters.sample(periods);
    }

    /// Sets how its memory is watched from now on.
    fn watch(&self, settings: &MemorySettings, seed: u64) -> &'static MemoryWatch {
        self.gathered(|g| {
            let watch = g.watch.get_or_insert_with(|| MemoryWatch::take(settings, seed));
            watch.set(settings);
            *watch
        })
    }

    /// Traces the statement with a probability. If the probability is the same as before, the
    /// earlier draw stays.
    fn draw(&self, probability: f64) {
        let before = self.gathered(|g| std::mem::replace(&mut g.drawn, probability));
        let drawn = (random() >> 11) as f64 / (1u64 << 53) as f64;
        if probability != before && drawn < probability && self.trace.get().is_none() {
            self.traced(None);
        }
    }

    /// Time between the statement's rows in `system.query_metric_log`; zero means the server's
    /// usual interval, `None` no rows.
    pub(super) fn metrics_every(&self) -> Option<Duration> {
        if !self.logs.keeps::<QueryMetricRow>() {
            return None;
        }
        match self.gathered(|g| g.settings.i64(settings::QUERY_METRICS_MS)) {
            0 => None,
            millis => Some(Duration::from_millis(u64::try_from(millis).unwrap_or(0))),
        }
    }

    /// Notes that a phase has ended at `to` that began at `from`.
    pub(crate) fn phase(&self, name: &'static str, from: Instant, to: Instant) {
        if let Some(trace) = self.trace.get() {
            trace.phase(name, from, to);
        }
    }

    /// Notes a table that the statement names.
    pub(crate) fn table(&self, database: &str, table: &str) {
        self.gathered(|g| {
            if !g.tables.iter().any(|(d, t)| d == database && t == table) {
                g.tables.push((database.to_string(), table.to_string()));
            }
        });
    }

    /// Notes a projection that the statement reads.
    pub(crate) fn projection(&self, name: String) {
        self.gathered(|g| {
            if !g.projections.contains(&name) {
                g.projections.push(name);
            }
        });
    }

    /// Notes a column that the statement reads.
    pub(crate) fn column(&self, table: &str, column: &str) {
        self.gathered(|g| {
            let name = format!("{table}.{column}");
            if !g.columns.contains(&name) {
                g.columns.push(name);
            }
        });
    }

    /// Notes the format of the result.
    pub(crate) fn format(&self, name: &str) {
        self.gathered(|g| g.format = Some(name.to_string()));
    }

    /// Notes that the statement has been analysed and its execution begins.
    pub(crate) fn start(self: &Arc<Self>) {
        if !self.started.swap(true, Ordering::Relaxed) {
            let _ = self.execution.set(Instant::now());
            self.push(self.row(Type::QueryStart, Done::default()));
        }
    }

    fn wants_threads(&self) -> bool {
        self.logs.keeps::<ThreadRow>()
            && self.gathered(|g| {
                !g.settings.is_default() && g.settings.flag(settings::LOG_QUERY_THREADS)
            })
    }

    /// Whether each view that the statement fills gets a row in the log of views.
    pub(crate) fn wants_views(&self) -> bool {
        self.logs.keeps::<ViewRow>()
            && self.gathered(|g| g.settings.flag(settings::LOG_QUERY_VIEWS))
    }

    /// Adds a row about a view that the statement has filled.
    pub(crate) fn view(self: &Arc<Self>, work: ViewWork) {
        let (at, log_entry) = (SystemClock.now(), Arc::clone(self));
        self.logs.push(ViewRow { at, log_entry, work });
    }

    /// Makes the rows of a statement that has ended; none if it never began.
    fn ended(self: &Arc<Self>, process: &Process, end: End<'_>) {
        let End { counts, threads, begun } = end;
        match self.number.load(Ordering::Relaxed) {
            0 => {}
            number => {
                let watch = self.gathered(|g| g.watch.take());
                self.logs.sampled.leave(number, watch);
            }
        }
        if !begun {
            return;
        }
        let failure = self.gathered(|g| g.failure.clone());
        let kind = match (&failure, self.started.load(Ordering::Relaxed)) {
            (None, _) => Type::QueryFinish,
            (Some(_), false) => Type::ExceptionBeforeStart,
            (Some(_), true) => Type::ExceptionWhileProcessing,
        };
        let elapsed = self.since.elapsed();
        let (rows, bytes, _) = process.progress.get();
        let written = process.written.get();
        let result = match written {
            (0, _) => (counts.get(Event::ResultRows), counts.get(Event::ResultBytes)),
            written => written,
        };
        let (thread_ids, threads_peak) = match self.logs.keeps::<QueryRow>() {
            true => process.events().thread_ids(),
            false => Default::default(),
        };
        let done = Done {
            elapsed,
            read: (rows, bytes),
            written,
            result,
            memory: process.memory().1,
            events: counts.nonzero().collect(),
            thread_ids,
            threads_peak,
        };
        let at = self.began + elapsed;
        self.periods.end(&self.logs, process, counts, at);
        if let Some(trace) = self.trace.get() {
            self.spans(trace, kind, &done, &threads, failure.as_ref());
        }
        if self.wants_threads() {
            let master = threads.first().map_or(0, |work| work.id);
            for work in threads {
                let log_entry = Arc::clone(self);
                self.logs.push(ThreadRow { at, log_entry, work, master });
            }
        }
        self.push(self.row(kind, done));
    }

    fn spans(
        &self,
        trace: &Trace,
        kind: Type,
        done: &Done,
        threads: &[ThreadWork],
        failure: Option<&(u16, String)>,
    ) {
        if let Some(from) = self.execution.get() {
            trace.phase("execute", *from, self.since + done.elapsed);
        }
        let mut attributes: Attributes = vec![
            ("db.statement", self.query.clone()),
            ("clickhouse.query_id", self.query_id.clone()),
            ("clickhouse.query_status", format!("{kind:?}")),
            ("clickhouse.read_rows", done.read.0.to_string()),
            ("clickhouse.read_bytes", done.read.1.to_string()),
            ("clickhouse.written_rows", done.written.0.to_string()),
            ("clickhouse.written_bytes", done.written.1.to_string()),
            ("clickhouse.memory_usage", done.memory.to_string()),
        ];
        let mut outcome = Ok(());
        if let Some((code, message)) = failure {
            attributes.push(("clickhouse.exception", message.clone()));
            attributes.push(("clickhouse.exception_code", code.to_string()));
            outcome = Err(message.clone());
        }
        let clock = |at: Instant| match at.checked_duration_since(self.since) {
            Some(after) => self.began + after,
            None => self.began.saturating_sub(self.since - at),
        };
        let times = (self.began, self.began + done.elapsed);
        for span in trace.spans(times, clock, threads, outcome, attributes) {
            self.logs.push(span);
        }
    }

    fn row(self: &Arc<Self>, kind: Type, done: Done) -> QueryRow {
        QueryRow { kind, at: self.began + done.elapsed, done, log_entry: Arc::clone(self) }
    }

    fn push(&self, row: QueryRow) {
        let wanted = self.gathered(|g| {
            let s = &g.settings;
            if s.is_default() {
                return true;
            }
            let least = s.u64(settings::LOG_QUERIES_MIN_MS);
            let long = match row.kind {
                Type::QueryStart => least == 0,
                Type::ExceptionBeforeStart => true,
                _ => row.done.elapsed.as_millis() as u64 >= least,
            };
            let first = Type::named(&s.text(settings::LOG_QUERIES_MIN_TYPE));
            s.flag(settings::LOG_QUERIES) && long && row.kind >= first
        });
        if wanted {
            self.logs.push(row);
        }
    }
}
