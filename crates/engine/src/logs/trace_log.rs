//! `system.trace_log`: stacks of threads that worked for statements.
//!
//! One thread empties the profiler's rings while statements are sampled, and sleeps otherwise. The
//! profiler knows a statement by a number, which is removed when the rings have been emptied after
//! the statement's end. All engines of a process share the rings: the engine that empties them
//! gives each stack to the log of the engine that runs the statement.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use entasis_base::alloc::{self, Found, MemoryWatch};
use entasis_base::events::{self, EVENTS, Event};
use entasis_base::sync::lock;
use entasis_profile::{Kind, Sample, record};
use entasis_types::Value;

use super::Logs;
use super::bell::Bell;
use super::common::{Dated, TEXT, TEXTS};
use super::log::{Columns, Spec};

/// How often the rings are emptied. They hold about 600 stacks, which is 600 ms at periods of 1 ms.
const EVERY: Duration = Duration::from_millis(150);

/// How often the rings are emptied while they fill fast, for example with traced events.
const MORE: Duration = Duration::from_millis(1);

/// A stack of a thread.
pub(super) struct TraceRow {
    /// Nanoseconds since 1970.
    at: u64,
    kind: Kind,
    thread: u64,
    query_id: Arc<str>,
    frames: Box<[u64]>,
    weight: i64,
    what: u64,
}

/// The sampled statements of all engines of the process, by their numbers.
static STATEMENTS: Mutex<BTreeMap<u64, Statement>> = Mutex::new(BTreeMap::new());

/// Held while the rings are emptied, so that a second caller returns only when the stacks that the
/// first one has taken are in their logs.
static EMPTYING: Mutex<()> = Mutex::new(());

struct Statement {
    logs: Weak<Logs>,
    query_id: Arc<str>,
}

/// The sampled statements of one engine.
#[derive(Default)]
pub(super) struct Sampled {
    state: Mutex<State>,
    /// Wakes the thread that empties the rings.
    pub(super) bell: Arc<Bell>,
}

#[derive(Default)]
struct State {
    /// Number of statements that have a number, including those in `ended`.
    live: usize,
    /// Statements that have ended since the rings were last emptied, each with the watch over its
    /// memory.
    ended: Vec<(u64, Option<&'static MemoryWatch>)>,
    collects: bool,
    /// Set while the thread sleeps until a statement is sampled.
    sleeps: bool,
}

impl Sampled {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Gives a number to a statement that is to be sampled; starts or wakes the thread.
    pub(super) fn enter(&self, logs: &Arc<Logs>, query_id: &str) -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        let statement = Statement { logs: Arc::downgrade(logs), query_id: query_id.into() };
        lock(&STATEMENTS).insert(number, statement);
        let mut state = self.lock();
        state.live += 1;
        if !state.collects {
            state.collects = true;
            install_hooks();
            let (logs, bell) = (Arc::downgrade(logs), Arc::clone(&self.bell));
            let collect = move || {
                let mut pause = Some(EVERY);
                while bell.sleep(pause.map(|pause| Instant::now() + pause)) {
                    let Some(logs) = logs.upgrade() else { return };
                    // The thread was woken by a statement that has just begun and has no stacks
                    // yet.
                    pause = if pause.is_none() { Some(EVERY) } else { collect(&logs) };
                }
            };
            // If the thread cannot be started, there are no samples.
            state.collects =
                std::thread::Builder::new().name("trace".into()).spawn(collect).is_ok();
        } else if std::mem::take(&mut state.sleeps) {
            self.bell.ring();
        }
        number
    }

    /// Notes that a statement has ended. Its number and the watch over its memory are given back
    /// when the rings are emptied next.
    pub(super) fn leave(&self, number: u64, watch: Option<&'static MemoryWatch>) {
        self.lock().ended.push((number, watch));
    }
}

impl Drop for Sampled {
    fn drop(&mut self) {
        lock(&STATEMENTS).retain(|_, statement| statement.logs.strong_count() > 0);
    }
}

/// Installs the hooks that write stacks of traced events and of allocations.
fn install_hooks() {
    events::install_hook(|event, amount| {
        record(Kind::ProfileEvent, amount as i64, event as u64);
    });
    alloc::install_hook(|found| match found {
        Found::Step(bytes) => record(Kind::Memory, bytes, 0),
        Found::Sample(bytes, address) => record(Kind::MemorySample, bytes, address as u64),
    });
}

/// Empties the rings into the logs. Answers how long to wait until the next time; `None` if no
/// statement is sampled, so that the thread sleeps until one is.
fn collect(logs: &Logs) -> Option<Duration> {
    let pause = drain(logs);
    let mut state = logs.sampled.lock();
    // If no statement is sampled, the next one wakes the thread.
    state.sleeps = state.live == 0;
    (!state.sleeps).then_some(pause)
}

/// Empties the rings into the logs. Answers after what time they should be emptied again.
pub(super) fn drain(logs: &Logs) -> Duration {
    let ended = {
        let mut state = logs.sampled.lock();
        if state.live == 0 {
            return EVERY;
        }
        std::mem::take(&mut state.ended)
    };
    let (count, lost) = hand_out();
    if lost > 0 {
        events::add(Event::QueryProfilerSignalOverruns, lost);
    }
    logs.sampled.lock().live -= ended.len();
    for (number, watch) in ended {
        lock(&STATEMENTS).remove(&number);
        watch.into_iter().for_each(MemoryWatch::give_back);
    }
    if lost > 0 || count > 1000 { MORE } else { EVERY }
}

/// Gives each stack in the rings to the log that it belongs to. Answers how many there were, and
/// how many were lost.
fn hand_out() -> (usize, u64) {
    // Declared before the lock, so that it is dropped when the lock is free: it may hold the last
    // reference to a log.
    let mut owners: BTreeMap<u64, Option<(Arc<Logs>, Arc<str>)>> = BTreeMap::new();
    let _one = lock(&EMPTYING);
    let mut count = 0;
    let lost = entasis_profile::drain(&mut |sample| {
        let owner = owners.entry(sample.query).or_insert_with(|| owner(sample.query));
        if let Some((logs, query_id)) = owner {
            count += 1;
            logs.push(TraceRow::new(sample, query_id));
        }
    });
    (count, lost.ring_full + lost.interrupted)
}

/// The log and the query id to which stacks belong; `None` if the statement's engine no longer
/// exists.
fn owner(number: u64) -> Option<(Arc<Logs>, Arc<str>)> {
    let statements = lock(&STATEMENTS);
    let Statement { logs, query_id } = statements.get(&number)?;
    Some((logs.upgrade()?, Arc::clone(query_id)))
}

impl TraceRow {
    fn new(sample: &Sample<'_>, query_id: &Arc<str>) -> Self {
        Self {
            at: sample.time,
            kind: sample.kind,
            thread: sample.thread_id,
            query_id: Arc::clone(query_id),
            frames: sample.frames.into(),
            weight: sample.weight,
            what: sample.what,
        }
    }

    fn is_event(&self) -> bool {
        self.kind == Kind::ProfileEvent
    }

    fn kind(&self) -> i64 {
        match self.kind {
            Kind::Real => 0,
            Kind::Cpu => 1,
            Kind::Memory => 2,
            Kind::MemorySample => 3,
            Kind::ProfileEvent => 5,
        }
    }

    fn size(&self) -> i64 {
        if matches!(self.kind, Kind::Memory | Kind::MemorySample) { self.weight } else { 0 }
    }

    fn address(&self) -> u64 {
        if self.kind == Kind::MemorySample { self.what } else { 0 }
    }
}

fn event(row: &TraceRow) -> Value {
    let event = if row.is_event() { EVENTS.get(row.what as usize) } else { None };
    Value::from(event.map_or("", |event| event.name))
}

const TYPES: &str = "Enum8('Real' = 0, 'CPU' = 1, 'Memory' = 2, 'MemorySample' = 3, \
                     'MemoryPeak' = 4, 'ProfileEvent' = 5, 'JemallocSample' = 6, \
                     'MemoryAllocatedWithoutCheck' = 7, 'Instrumentation' = 8)";
const CONTEXTS: &str = "Enum8('Unknown' = -1, 'Global' = 0, 'User' = 1, 'Process' = 2, \
                        'Thread' = 3, 'Max' = 4)";

impl Dated for TraceRow {
    fn at(&self) -> Duration {
        Duration::from_nanos(self.at)
    }
}

const COLUMNS: Columns<TraceRow> = &[
    ("timestamp_ns", "UInt64", Some(|r| Value::UInt(r.at))),
    ("revision", "UInt32", None),
    ("trace_type", TYPES, Some(|r| Value::Int(r.kind()))),
    ("cpu_id", "UInt64", None),
    ("thread_id", "UInt64", Some(|r| Value::UInt(r.thread))),
    ("thread_name", TEXT, None),
    ("query_id", "String", Some(|r| Value::from(&*r.query_id))),
    (
        "trace",
        "Array(UInt64)",
        Some(|r| Value::Array(r.frames.iter().map(|&frame| Value::UInt(frame)).collect())),
    ),
    ("size", "Int64", Some(|r| Value::Int(r.size()))),
    ("ptr", "UInt64", Some(|r| Value::UInt(r.address()))),
    ("memory_context", CONTEXTS, None),
    ("memory_blocked_context", CONTEXTS, None),
    ("event", TEXT, Some(event)),
    ("increment", "Int64", Some(|r| Value::Int(if r.is_event() { r.weight } else { 0 }))),
    ("symbols", TEXTS, None),
    ("lines", TEXTS, None),
    ("function_id", "Nullable(Int32)", None),
    ("function_name", "Nullable(String)", None),
    ("handler", "Nullable(String)", None),
    ("entry_type", "Nullable(Enum8('Entry' = 0, 'Exit' = 1))", None),
    ("duration_nanoseconds", "Nullable(UInt64)", None),
];

/// The log.
pub(super) const LOG: Spec<TraceRow> = Spec {
    aliases: &[("build_id", "String", "''")],
    ..Spec::new("trace_log", &[TraceRow::HOST, TraceRow::TIME, TraceRow::MICROS, COLUMNS])
};
