//! `system.query_log`: a row when a statement starts, and one when it has ended.
//!
//! Names and types are the reference's, but addresses are text, since there is no type IPv6 yet.
//! Columns of what this engine has not (roles, dictionaries, shards) have their defaults.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use entasis_base::Error;
use entasis_base::alloc::{MemorySettings, MemoryWatch};
use entasis_base::clock::{Clock, SystemClock};
use entasis_base::events::{Counters, Counts, Event, Sampling};
use entasis_types::Value;

use super::log::Log;
use super::used::{self, Used};
use super::{Logs, host_name};
use crate::catalog::EngineCatalog;
use crate::processes::Process;
use crate::system::ColumnOf;
use crate::{Settings, settings};

/// What a row tells of; the numbers are those of the column `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Type {
    QueryStart = 1,
    QueryFinish = 2,
    ExceptionBeforeStart = 3,
    ExceptionWhileProcessing = 4,
}

impl Type {
    /// As `log_queries_min_type` names it.
    fn named(name: &str) -> Self {
        match name {
            "QUERY_FINISH" => Self::QueryFinish,
            "EXCEPTION_BEFORE_START" => Self::ExceptionBeforeStart,
            "EXCEPTION_WHILE_PROCESSING" => Self::ExceptionWhileProcessing,
            _ => Self::QueryStart,
        }
    }
}

/// What the log will say of a statement, gathered while it runs. It does not hold the statement's
/// accounts: rows that wait must not keep a user's among those of users at work.
pub(crate) struct Notes {
    logs: Arc<Logs>,
    query_id: String,
    user: String,
    address: String,
    database: String,
    query: String,
    kind: &'static str,
    /// Since 1970.
    began: Duration,
    since: Instant,
    started: AtomicBool,
    /// What the profiler knows it by; 0: it is not sampled.
    number: AtomicU64,
    gathered: Mutex<Gathered>,
}

#[derive(Default)]
struct Gathered {
    settings: Settings,
    tables: Vec<(String, String)>,
    columns: Vec<String>,
    format: Option<String>,
    failure: Option<(u16, String)>,
    watch: Option<&'static MemoryWatch>,
}

impl std::fmt::Debug for Notes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Notes").field("query_id", &self.query_id).finish_non_exhaustive()
    }
}

/// A row of the log.
pub(crate) struct QueryRow {
    kind: Type,
    /// Since 1970.
    at: Duration,
    elapsed: Duration,
    read: (u64, u64),
    written: (u64, u64),
    result: (u64, u64),
    memory: u64,
    events: Vec<(&'static str, u64)>,
    notes: Arc<Notes>,
    used: Option<Arc<Used>>,
}

impl Notes {
    /// For a statement that begins now.
    pub(crate) fn new(logs: &Arc<Logs>, process: &Process, settings: &Settings) -> Arc<Self> {
        let gathered = Gathered { settings: settings.clone(), ..Gathered::default() };
        Arc::new(Self {
            logs: Arc::clone(logs),
            query_id: process.query_id.clone(),
            user: process.user.clone(),
            address: process.address.clone(),
            database: process.database.clone(),
            query: process.query.clone(),
            kind: process.kind,
            began: SystemClock.now(),
            since: process.started,
            started: AtomicBool::new(false),
            number: AtomicU64::new(0),
            gathered: Mutex::new(gathered),
        })
    }

    fn gathered<T>(&self, f: impl FnOnce(&mut Gathered) -> T) -> T {
        f(&mut self.gathered.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The settings that the statement runs with, and how its threads are to be sampled.
    pub(crate) fn settings(&self, settings: &Settings, counters: &Counters) {
        self.gathered(|g| g.settings = settings.clone());
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
        // What is counted for it is not the logs' affair.
        let others = counters.sampling();
        let periods = Sampling { query, cpu_period_ns, real_period_ns, record, memory, ..others };
        counters.sample(periods);
    }

    /// What is to be seen of its memory, from now on.
    fn watch(&self, settings: &MemorySettings, seed: u64) -> &'static MemoryWatch {
        self.gathered(|g| {
            let watch = g.watch.get_or_insert_with(|| MemoryWatch::take(settings, seed));
            watch.set(settings);
            *watch
        })
    }

    /// A table that it names.
    pub(crate) fn table(&self, database: &str, table: &str) {
        self.gathered(|g| {
            if !g.tables.iter().any(|(d, t)| d == database && t == table) {
                g.tables.push((database.to_string(), table.to_string()));
            }
        });
    }

    /// A column that it reads.
    pub(crate) fn column(&self, table: &str, column: &str) {
        self.gathered(|g| {
            let name = format!("{table}.{column}");
            if !g.columns.contains(&name) {
                g.columns.push(name);
            }
        });
    }

    /// The format of its result.
    pub(crate) fn format(&self, name: &str) {
        self.gathered(|g| g.format = Some(name.to_string()));
    }

    /// It fails.
    pub(crate) fn fail(&self, error: &Error) {
        let code = error.code().0;
        self.gathered(|g| g.failure.get_or_insert_with(|| (code, error.to_string())).0);
    }

    /// It has been understood and starts to work.
    pub(crate) fn start(self: &Arc<Self>) {
        if !self.started.swap(true, Ordering::Relaxed) {
            self.push(self.row(Type::QueryStart));
        }
    }

    /// It has ended; one that has not begun was somebody's try only.
    pub(crate) fn end(self: &Arc<Self>, process: &Process, counts: &Counts, begun: bool) {
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
        let failed = self.gathered(|g| g.failure.is_some());
        let kind = match (failed, self.started.load(Ordering::Relaxed)) {
            (false, _) => Type::QueryFinish,
            (true, false) => Type::ExceptionBeforeStart,
            (true, true) => Type::ExceptionWhileProcessing,
        };
        let (rows, bytes, _) = process.progress.get();
        let written = process.written.get();
        let result = match written {
            (0, _) => (counts.get(Event::ResultRows), counts.get(Event::ResultBytes)),
            written => written,
        };
        self.push(QueryRow {
            read: (rows, bytes),
            written,
            result,
            memory: process.memory().1,
            events: counts.nonzero().collect(),
            ..self.row(kind)
        });
    }

    fn row(self: &Arc<Self>, kind: Type) -> QueryRow {
        let start = kind == Type::QueryStart;
        let elapsed = if start { Duration::ZERO } else { self.since.elapsed() };
        QueryRow {
            kind,
            at: if start { self.began } else { self.began + elapsed },
            elapsed,
            read: (0, 0),
            written: (0, 0),
            result: (0, 0),
            memory: 0,
            events: Vec::new(),
            notes: Arc::clone(self),
            used: None,
        }
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
                _ => row.elapsed.as_millis() as u64 >= least,
            };
            let first = Type::named(&s.text(settings::LOG_QUERIES_MIN_TYPE));
            s.flag(settings::LOG_QUERIES) && long && row.kind >= first
        });
        if wanted {
            self.logs.query(row);
        }
    }
}

fn micros(time: Duration) -> Value {
    Value::Int(time.as_micros() as i64)
}

fn list<'a>(items: impl Iterator<Item = &'a str>) -> Value {
    Value::Array(items.map(Value::from).collect())
}

fn used<'a>(row: &'a QueryRow, of: impl Fn(&'a Used) -> &'a [String]) -> Value {
    list(row.used.iter().flat_map(|used| of(used)).map(String::as_str))
}

fn databases(row: &QueryRow) -> Value {
    row.notes.gathered(|g| {
        let mut names: Vec<&str> = g.tables.iter().map(|(database, _)| database.as_str()).collect();
        names.dedup();
        list(names.into_iter())
    })
}

fn tables(row: &QueryRow) -> Value {
    let name = |(database, table): &(String, String)| Value::from(&*format!("{database}.{table}"));
    row.notes.gathered(|g| Value::Array(g.tables.iter().map(name).collect()))
}

fn text_of_query(row: &QueryRow) -> Value {
    let query = &row.notes.query;
    let most = row.notes.gathered(|g| g.settings.u64(settings::LOG_QUERIES_CUT)) as usize;
    Value::string(&query.as_bytes()[..query.floor_char_boundary(most)])
}

fn address(row: &QueryRow) -> Value {
    let host = row.notes.address.rsplit_once(':').map_or("", |(host, _)| host);
    Value::from(host.trim_matches(['[', ']']))
}

fn port(row: &QueryRow) -> Value {
    let port = row.notes.address.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
    Value::UInt(port.unwrap_or(0))
}

fn interface(row: &QueryRow) -> Value {
    Value::Int(if row.notes.address.is_empty() { 6 } else { 2 })
}

fn failure<T: Default>(row: &QueryRow, of: impl FnOnce(&(u16, String)) -> T) -> T {
    if row.kind < Type::ExceptionBeforeStart {
        return T::default();
    }
    row.notes.gathered(|g| g.failure.as_ref().map(of).unwrap_or_default())
}

fn format_used(row: &QueryRow) -> Value {
    row.notes.gathered(|g| list(g.format.iter().map(String::as_str)))
}

fn event_map(row: &QueryRow) -> Value {
    let pair = |(name, count): &(&'static str, u64)| {
        Value::Tuple([Value::from(*name), Value::UInt(*count)].into())
    };
    Value::Array(row.events.iter().map(pair).collect())
}

fn settings_map(row: &QueryRow) -> Value {
    let changed = row.notes.gathered(|g| match g.settings.flag(settings::LOG_QUERY_SETTINGS) {
        true => g.settings.changed(),
        false => Vec::new(),
    });
    let pair = |(name, value): &(&str, String)| {
        Value::Tuple([Value::from(*name), Value::from(value.as_str())].into())
    };
    Value::Array(changed.iter().map(pair).collect())
}

fn comment(row: &QueryRow) -> Value {
    Value::from(&*row.notes.gathered(|g| g.settings.text(settings::LOG_COMMENT)))
}

const TEXT: &str = "LowCardinality(String)";
const TEXTS: &str = "Array(LowCardinality(String))";
const TYPES: &str = "Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, \
                     'ExceptionWhileProcessing' = 4)";
const INTERFACES: &str = "Enum8('Unknown' = 0, 'TCP' = 1, 'HTTP' = 2, 'gRPC' = 3, 'MySQL' = 4, \
                          'PostgreSQL' = 5, 'Local' = 6, 'TCP_Interserver' = 7, \
                          'Prometheus' = 8, 'Background' = 9, 'ArrowFlight' = 10)";

const COLUMNS: &[ColumnOf<QueryRow>] = &[
    ("hostname", TEXT, Some(|_| Value::from(host_name()))),
    ("type", TYPES, Some(|r| Value::Int(r.kind as i64))),
    ("event_date", "Date", Some(|r| Value::UInt(r.at.as_secs() / 86_400))),
    ("event_time", "DateTime", Some(|r| Value::UInt(r.at.as_secs()))),
    ("event_time_microseconds", "DateTime64(6)", Some(|r| micros(r.at))),
    ("query_start_time", "DateTime", Some(|r| Value::UInt(r.notes.began.as_secs()))),
    ("query_start_time_microseconds", "DateTime64(6)", Some(|r| micros(r.notes.began))),
    ("query_duration_ms", "UInt64", Some(|r| Value::UInt(r.elapsed.as_millis() as u64))),
    ("read_rows", "UInt64", Some(|r| Value::UInt(r.read.0))),
    ("read_bytes", "UInt64", Some(|r| Value::UInt(r.read.1))),
    ("written_rows", "UInt64", Some(|r| Value::UInt(r.written.0))),
    ("written_bytes", "UInt64", Some(|r| Value::UInt(r.written.1))),
    ("result_rows", "UInt64", Some(|r| Value::UInt(r.result.0))),
    ("result_bytes", "UInt64", Some(|r| Value::UInt(r.result.1))),
    ("memory_usage", "UInt64", Some(|r| Value::UInt(r.memory))),
    ("current_database", TEXT, Some(|r| Value::from(&*r.notes.database))),
    ("query", "String", Some(text_of_query)),
    ("formatted_query", "String", None),
    (
        "normalized_query_hash",
        "UInt64",
        Some(|r| Value::UInt(r.used.as_ref().map_or(0, |used| used.hash))),
    ),
    ("query_kind", TEXT, Some(|r| Value::from(r.notes.kind))),
    ("databases", TEXTS, Some(databases)),
    ("tables", TEXTS, Some(tables)),
    ("columns", TEXTS, Some(|r| r.notes.gathered(|g| list(g.columns.iter().map(String::as_str))))),
    ("partitions", TEXTS, None),
    ("projections", TEXTS, None),
    ("views", TEXTS, None),
    ("exception_code", "Int32", Some(|r| Value::Int(i64::from(failure(r, |f| f.0))))),
    ("exception", "String", Some(|r| Value::from(&*failure(r, |f| f.1.clone())))),
    ("stack_trace", "String", None),
    ("is_initial_query", "UInt8", Some(|_| Value::UInt(1))),
    ("user", TEXT, Some(|r| Value::from(&*r.notes.user))),
    ("query_id", "String", Some(|r| Value::from(&*r.notes.query_id))),
    ("address", "String", Some(address)),
    ("port", "UInt16", Some(port)),
    ("initial_user", TEXT, Some(|r| Value::from(&*r.notes.user))),
    ("initial_query_id", "String", Some(|r| Value::from(&*r.notes.query_id))),
    ("initial_address", "String", Some(address)),
    ("initial_port", "UInt16", Some(port)),
    ("interface", INTERFACES, Some(interface)),
    ("client_name", TEXT, None),
    ("http_user_agent", TEXT, None),
    ("http_referer", "String", None),
    ("forwarded_for", "String", None),
    ("quota_key", "String", None),
    ("distributed_depth", "UInt64", None),
    ("log_comment", "String", Some(comment)),
    ("thread_ids", "Array(UInt64)", None),
    ("peak_threads_usage", "UInt64", None),
    ("ProfileEvents", "Map(LowCardinality(String), UInt64)", Some(event_map)),
    ("Settings", "Map(LowCardinality(String), LowCardinality(String))", Some(settings_map)),
    ("used_aggregate_functions", TEXTS, Some(|r| used(r, |u| &u.aggregates))),
    ("used_aggregate_function_combinators", TEXTS, Some(|r| used(r, |u| &u.combinators))),
    ("used_database_engines", TEXTS, None),
    ("used_data_type_families", TEXTS, None),
    ("used_dictionaries", TEXTS, None),
    ("used_formats", TEXTS, Some(format_used)),
    ("used_functions", TEXTS, Some(|r| used(r, |u| &u.functions))),
    ("used_storages", TEXTS, None),
    ("used_table_functions", TEXTS, Some(|r| used(r, |u| &u.table_functions))),
    ("used_row_policies", TEXTS, None),
    ("used_privileges", TEXTS, None),
    ("missing_privileges", TEXTS, None),
    ("is_internal", "UInt8", None),
];

/// The log.
pub(super) fn log(capacity: usize) -> Log<QueryRow> {
    Log::new("query_log", COLUMNS, "event_date, event_time", capacity, prepare)
}

/// Looks into the texts, each once: a server is asked the same again and again.
fn prepare(rows: &mut Vec<QueryRow>, _: &EngineCatalog) {
    let mut texts: HashMap<String, Arc<Used>> = HashMap::new();
    for row in rows {
        let notes = Arc::clone(&row.notes);
        let found = texts.get(notes.query.as_str()).cloned();
        row.used = Some(found.unwrap_or_else(|| {
            let used = Arc::new(used::of(&notes.query));
            texts.insert(notes.query.clone(), Arc::clone(&used));
            used
        }));
    }
}
