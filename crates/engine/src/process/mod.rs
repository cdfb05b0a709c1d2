//! The running statements: their users, their progress, and the means to end them.
//!
//! A statement enters the list before it is planned and leaves it when its result is dropped. One
//! thread, which the first time limit starts, ends statements at their limits.

pub(crate) mod async_inserts;
pub(crate) mod client;
pub(crate) mod errors;
mod id;
pub(crate) mod kind;

use std::any::Any;
use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::time::{Duration, Instant};

use entasis_base::events::{self, Counters, Counts, Event, ThreadWork};
use entasis_base::log::{self, Level};
use entasis_base::sync::{Signal, lock};
use entasis_base::{CancelToken, Error, MemoryAccount, Result, Scope, codes, message};
use entasis_pipeline::Progress;

use errors::Errors;
pub use id::new_query_id;
pub(crate) use id::random;
use kind::QueryKind;

/// Observes a statement. The log of statements does, if it is kept.
pub(crate) trait Witness: Any + Debug {
    /// The statement fails with an error.
    fn fail(&self, error: &Error);

    /// The work of its threads, if the witness needs it; called before the counters end.
    fn threads(&self, counters: &Counters) -> Vec<ThreadWork>;

    /// The statement has ended.
    fn end(self: Arc<Self>, process: &Process, end: End<'_>);
}

/// What a witness learns when a statement has ended.
pub(crate) struct End<'a> {
    /// All that was counted for the statement.
    pub counts: &'a Counts,
    /// The work of its threads, if its witness needs it.
    pub threads: Vec<ThreadWork>,
    /// Whether its execution began; false if it was refused before.
    pub begun: bool,
}

/// Rows and bytes that a statement has written.
#[derive(Debug, Default)]
pub struct Written {
    rows: AtomicU64,
    bytes: AtomicU64,
}

impl Written {
    pub(crate) fn add(&self, rows: u64, bytes: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Rows and bytes so far.
    pub fn get(&self) -> (u64, u64) {
        (self.rows.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }
}

/// A running statement.
#[derive(Debug)]
pub struct Process {
    /// Its id, which is unique among running statements.
    pub query_id: String,
    /// Name of the user.
    pub user: String,
    /// Address of the client; empty if the statement comes from this process itself.
    pub address: String,
    /// The session's current database.
    pub database: String,
    /// The statement's text, without the data of an INSERT.
    pub query: String,
    /// The kind of the statement.
    pub kind: QueryKind,
    /// When it entered the list.
    pub started: Instant,
    /// Cancels it.
    pub cancel: CancelToken,
    /// Rows and bytes that it has read.
    pub progress: Arc<Progress>,
    /// Rows and bytes that it has written.
    pub written: Written,
    memory: Arc<MemoryAccount>,
    events: Arc<Counters>,
    deadline: Mutex<Option<Instant>>,
    /// Whether it is counted as a statement: set when its execution begins.
    begun: AtomicBool,
    /// The code of the error that it failed with; 0 if it has not failed.
    failure: AtomicU16,
    errors: Arc<Errors>,
    /// Observes the statement for the log of statements, if that is kept.
    witness: OnceLock<Arc<dyn Witness + Send + Sync>>,
}

impl Process {
    /// The statement's memory account.
    pub fn account(&self) -> &Arc<MemoryAccount> {
        &self.memory
    }

    /// Bytes in use now, and their maximum so far.
    pub fn memory(&self) -> (u64, u64) {
        (self.memory.used(), self.memory.peak())
    }

    /// The counters of its threads.
    pub fn events(&self) -> &Arc<Counters> {
        &self.events
    }

    /// Ends the statement because its time limit has passed.
    fn time_out(&self) {
        if !self.progress.time_out() {
            self.cancel.time_out();
        }
    }

    /// When its time limit ends it.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        *lock(&self.deadline)
    }

    /// All that was counted for it so far; complete once it has left the list.
    pub fn counts(&self) -> Counts {
        self.events.counts()
    }

    /// The scope in which a thread works for it.
    pub(crate) fn scope(&self) -> Scope {
        Scope::new(&self.cancel, &self.memory, &self.events)
    }

    /// Begins its execution. It is called by a thread in its scope.
    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::Relaxed);
        events::one(Event::Query);
        let (user, text) = (&self.user, &self.query);
        message!(Debug, "executeQuery", "(from {}, user: {}) {}", self.from(), user, text);
        match self.kind {
            QueryKind::Select => events::one(Event::SelectQuery),
            QueryKind::Insert => events::one(Event::InsertQuery),
            _ => {}
        }
    }

    /// Counts and logs the error that it fails with.
    pub(crate) fn fail(&self, error: &Error) {
        if self.failure.swap(error.code().0, Ordering::Relaxed) == 0 {
            self.errors.add(error, &self.query_id);
            if log::wanted(Level::Error) {
                self.scope().run(|| self.say_failure(error));
            }
        }
        if let Some(witness) = self.witness() {
            witness.fail(error);
        }
    }

    fn say_end(&self) {
        let (rows, bytes, _) = self.progress.get();
        let seconds = self.started.elapsed().as_secs_f64();
        let peak = self.memory.peak();
        message!(
            Debug,
            "executeQuery",
            "Read {} rows, {} bytes in {} sec., memory peak {} bytes",
            rows,
            bytes,
            seconds,
            peak
        );
    }

    fn say_failure(&self, error: &Error) {
        let (from, text) = (self.from(), &self.query);
        let error = error.to_string();
        let error = entasis_sql::mask_secrets(&error);
        message!(Error, "executeQuery", "{} (from {}) (in query: {})", error, from, text);
    }

    fn from(&self) -> &str {
        if self.address.is_empty() { "this process" } else { &self.address }
    }

    /// The observer of the statement.
    pub(crate) fn witness(&self) -> Option<&Arc<dyn Witness + Send + Sync>> {
        self.witness.get()
    }

    /// Sets the observer of the statement; only the first call has an effect.
    pub(crate) fn tell(&self, witness: Arc<dyn Witness + Send + Sync>) {
        let _ = self.witness.set(witness);
    }

    /// Counts its outcome and its time.
    fn count_end(&self) {
        if !self.begun.load(Ordering::Relaxed) {
            return;
        }
        let failure = self.failure.load(Ordering::Relaxed);
        let (time, failed) = match self.kind {
            QueryKind::Select => {
                (Event::SelectQueryTimeMicroseconds, Some(Event::FailedSelectQuery))
            }
            QueryKind::Insert => {
                (Event::InsertQueryTimeMicroseconds, Some(Event::FailedInsertQuery))
            }
            _ => (Event::OtherQueryTimeMicroseconds, None),
        };
        events::elapsed(time, self.started);
        events::elapsed(Event::QueryTimeMicroseconds, self.started);
        if failure == 0 {
            self.say_end();
            return;
        }
        events::one(Event::FailedQuery);
        if let Some(failed) = failed {
            events::one(failed);
        }
        if failure == codes::QUERY_WAS_CANCELLED.0 {
            events::one(Event::QueriesCancelled);
        } else if failure == codes::TIMEOUT_EXCEEDED.0 {
            events::one(Event::QueriesTimedOut);
        }
    }
}

/// What is known of a statement when it enters the list.
pub(crate) struct NewProcess<'a> {
    pub query_id: &'a str,
    pub user: &'a str,
    pub address: &'a str,
    pub database: &'a str,
    pub query: &'a str,
    pub kind: QueryKind,
    pub cancel: &'a CancelToken,
    pub progress: &'a Arc<Progress>,
    pub memory: Arc<MemoryAccount>,
    /// How long it waits for a statement of the same user and with the same id to stop, which it
    /// cancels; `None` if it is refused instead.
    pub replaces: Option<Duration>,
}

/// The list of running statements, with the memory account of the server.
pub struct Processes {
    shared: Arc<Shared>,
    memory: Arc<MemoryAccount>,
    since: Instant,
    errors: Arc<Errors>,
    /// The data of asynchronous INSERTs.
    pub(crate) async_inserts: Arc<async_inserts::AsyncInserts>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Signal,
    /// Statements have left the list.
    left: Signal,
}

#[derive(Default)]
struct State {
    running: HashMap<String, Arc<Process>>,
    /// The accounts of users with running statements.
    users: HashMap<String, Weak<MemoryAccount>>,
    /// Whether the thread that keeps time limits exists.
    watched: bool,
    closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn watch(&self) {
        let mut state = self.lock();
        while !state.closed {
            let now = Instant::now();
            let mut next: Option<Instant> = None;
            for process in state.running.values() {
                match process.deadline() {
                    Some(at) if at <= now => process.time_out(),
                    Some(at) => next = Some(next.map_or(at, |n| n.min(at))),
                    None => {}
                }
            }
            let wait = next.map_or(Duration::from_hours(1), |at| at - now);
            state = self.changed.wait_timeout(state, wait);
        }
    }
}

impl Processes {
    /// An empty list; `memory` is the server's account.
    pub(crate) fn new(memory: Arc<MemoryAccount>) -> Self {
        let (since, async_inserts) = (Instant::now(), Arc::default());
        Self { shared: Arc::default(), memory, since, errors: Arc::default(), async_inserts }
    }

    /// The server's account.
    pub fn memory(&self) -> &Arc<MemoryAccount> {
        &self.memory
    }

    /// Bytes that a statement may use if its settings say nothing: half of the server's limit, or 0
    /// if the server has no limit.
    pub(crate) fn statement_memory(&self) -> u64 {
        self.memory.least_limit().map_or(0, |limit| limit / 2)
    }

    /// When the engine was opened.
    pub fn since(&self) -> Instant {
        self.since
    }

    /// The errors that statements have ended with.
    pub(crate) fn errors(&self) -> &Arc<Errors> {
        &self.errors
    }

    /// Enters a statement into the list. Fails if a statement with the same id is running.
    pub(crate) fn start(&self, new: NewProcess<'_>) -> Result<Running> {
        let query_id =
            if new.query_id.is_empty() { new_query_id() } else { new.query_id.to_string() };
        let process = Arc::new(Process {
            query_id: query_id.clone(),
            user: new.user.to_string(),
            address: new.address.to_string(),
            database: new.database.to_string(),
            query: entasis_sql::mask_secrets(new.query).into_owned(),
            kind: new.kind,
            started: Instant::now(),
            cancel: new.cancel.clone(),
            progress: Arc::clone(new.progress),
            written: Written::default(),
            memory: new.memory,
            events: Counters::start(new.user, &query_id),
            deadline: Mutex::default(),
            begun: AtomicBool::new(false),
            failure: AtomicU16::new(0),
            errors: Arc::clone(&self.errors),
            witness: OnceLock::new(),
        });
        let mut state = self.shared.lock();
        let since = Instant::now();
        while let Some(old) = state.running.get(&query_id) {
            let waits = new.replaces.filter(|_| old.user == new.user);
            if waits.is_some() {
                old.cancel.cancel();
            }
            if let Some(wait) = waits.and_then(|most| most.checked_sub(since.elapsed())) {
                state = self.shared.left.wait_timeout(state, wait);
                continue;
            }
            let message = format!(
                "Query with id = {query_id} is already running: choose another query_id, \
                 or KILL QUERY WHERE query_id = '{query_id}'"
            );
            return Err(Error::new(codes::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING, message));
        }
        state.running.insert(query_id, Arc::clone(&process));
        drop(state);
        Ok(Running { process, shared: Arc::clone(&self.shared) })
    }

    /// Sets the limits of a statement: bytes of it and of its user, and seconds.
    pub(crate) fn limit(&self, process: &Process, memory: u64, of_user: u64, seconds: f64) {
        process.memory.set_limit(memory);
        if let Some(account) = process.memory.parent() {
            account.set_limit(of_user);
        }
        if let (None, Some(at)) = (process.deadline(), end_of(process.started, seconds)) {
            self.end_by(process, Some(at));
        }
    }

    /// Sets the time at which the statement is ended; `None` removes the limit. When this returns,
    /// the earlier limit can no longer end it: the watching thread uses the same lock.
    pub(crate) fn end_by(&self, process: &Process, at: Option<Instant>) {
        let mut state = self.shared.lock();
        *lock(&process.deadline) = at;
        if at.is_none() {
            return;
        }
        if !state.watched {
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name("time-limits".into());
            state.watched = thread.spawn(move || shared.watch()).is_ok();
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// An account for a new statement of a user. Its parent is the user's account, which exists as
    /// long as the user has statements.
    pub(crate) fn memory_of(&self, user: &str) -> Arc<MemoryAccount> {
        let mut state = self.shared.lock();
        let held = state.users.get(user).and_then(Weak::upgrade);
        let account = held.unwrap_or_else(|| {
            let account = self.memory.child("user", 0);
            state.users.insert(user.to_string(), Arc::downgrade(&account));
            account
        });
        account.child("query", 0)
    }

    /// Users with running statements, each with its account.
    pub fn users(&self) -> Vec<(String, Arc<MemoryAccount>)> {
        let state = self.shared.lock();
        let live = |(user, account): (&String, &Weak<MemoryAccount>)| {
            Some((user.clone(), account.upgrade()?))
        };
        let mut list: Vec<_> = state.users.iter().filter_map(live).collect();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list
    }

    /// Number of running statements.
    pub(crate) fn count(&self) -> usize {
        self.shared.lock().running.len()
    }

    /// All running statements, oldest first.
    pub fn list(&self) -> Vec<Arc<Process>> {
        let mut list: Vec<_> = self.shared.lock().running.values().cloned().collect();
        list.sort_by_key(|p| p.started);
        list
    }

    /// The running statement with this id.
    pub fn find(&self, query_id: &str) -> Option<Arc<Process>> {
        self.shared.lock().running.get(query_id).cloned()
    }

    /// Cancels every running statement.
    pub fn cancel_all(&self) {
        self.shared.lock().running.values().for_each(|p| p.cancel.cancel());
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
    }
}

/// The end of a time limit that begins at `began`; `None` if `seconds` is not above 0.
pub(crate) fn end_of(began: Instant, seconds: f64) -> Option<Instant> {
    let limit = Duration::try_from_secs_f64(seconds).ok().filter(|_| seconds > 0.0);
    began.checked_add(limit?)
}

/// A statement's entry in the list; dropping it removes the statement.
pub struct Running {
    process: Arc<Process>,
    shared: Arc<Shared>,
}

impl Running {
    /// The statement.
    pub fn process(&self) -> &Arc<Process> {
        &self.process
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.scope().run(|| self.process.count_end());
        let witness = self.process.witness();
        let threads = witness.map(|witness| witness.threads(&self.process.events));
        let counts = self.process.events.end();
        if let Some(witness) = witness {
            let begun = self.process.begun.load(Ordering::Relaxed);
            let threads = threads.unwrap_or_default();
            Arc::clone(witness).end(&self.process, End { counts: &counts, threads, begun });
        }
        self.shared.lock().running.remove(&self.process.query_id);
        self.shared.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(processes: &Processes, id: &str, cancel: &CancelToken) -> Result<Running> {
        processes.start(NewProcess {
            query_id: id,
            user: "default",
            address: "",
            database: "default",
            query: "SELECT 1",
            kind: QueryKind::Select,
            cancel,
            progress: &Arc::default(),
            memory: MemoryAccount::root("user", 0).child("query", 0),
            replaces: None,
        })
    }

    #[test]
    fn a_statement_replaces_one_with_its_id() {
        let processes = Processes::new(MemoryAccount::root("server", 0));
        let old_cancel = CancelToken::new();
        let old = enter(&processes, "a", &old_cancel).unwrap();
        let replace = |user: &str, wait| {
            processes.start(NewProcess {
                query_id: "a",
                user,
                address: "",
                database: "default",
                query: "SELECT 2",
                kind: QueryKind::Select,
                cancel: &CancelToken::new(),
                progress: &Arc::default(),
                memory: MemoryAccount::root("user", 0).child("query", 0),
                replaces: Some(wait),
            })
        };
        // Statements of other users stay, and so do those that do not stop in time.
        assert!(replace("other", Duration::from_hours(1)).is_err());
        assert!(!old_cancel.is_cancelled());
        assert!(replace("default", Duration::ZERO).is_err());
        assert!(old_cancel.is_cancelled());
        std::thread::scope(|scope| {
            let new = scope.spawn(|| replace("default", Duration::from_hours(1)).is_ok());
            drop(old);
            assert!(new.join().unwrap());
        });
        assert!(processes.list().is_empty());
    }

    #[test]
    fn ids_are_unique_while_they_run() {
        let processes = Processes::new(MemoryAccount::root("server", 0));
        let first = enter(&processes, "a", &CancelToken::new()).unwrap();
        let error = enter(&processes, "a", &CancelToken::new()).err().unwrap();
        assert_eq!(error.code(), codes::QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING);
        drop(first);
        assert!(enter(&processes, "a", &CancelToken::new()).is_ok());
        assert!(processes.list().is_empty());
    }

    #[test]
    fn the_nearest_time_limit_is_kept() {
        let processes = Processes::new(MemoryAccount::root("server", 0));
        let (slow, fast) = (CancelToken::new(), CancelToken::new());
        let first = enter(&processes, "slow", &slow).unwrap();
        processes.limit(first.process(), 0, 0, 3600.0);
        let second = enter(&processes, "fast", &fast).unwrap();
        processes.limit(second.process(), 0, 0, 0.001);
        while !fast.is_cancelled() {
            std::thread::yield_now();
        }
        assert_eq!(fast.check().unwrap_err().code(), codes::TIMEOUT_EXCEEDED);
        assert!(!slow.is_cancelled());
    }

    #[test]
    fn a_statement_whose_time_is_over_may_go_on_with_what_it_has_read() {
        let processes = Processes::new(MemoryAccount::root("server", 0));
        let cancel = CancelToken::new();
        let running = enter(&processes, "breaks", &cancel).unwrap();
        running.process().progress.may_break(true, false);
        processes.limit(running.process(), 0, 0, 0.001);
        while !running.process().progress.is_over() {
            std::thread::yield_now();
        }
        assert!(!cancel.is_cancelled());
    }

    #[test]
    fn an_end_can_be_moved() {
        let processes = Processes::new(MemoryAccount::root("server", 0));
        let cancel = CancelToken::new();
        let running = enter(&processes, "moved", &cancel).unwrap();
        let began = running.process().started;
        assert_eq!((end_of(began, 0.0), end_of(began, -1.0)), (None, None));
        processes.limit(running.process(), 0, 0, 3600.0);
        assert_eq!(running.process().deadline(), end_of(began, 3600.0));
        processes.end_by(running.process(), None);
        assert_eq!(running.process().deadline(), None);
        assert!(!cancel.is_cancelled());
        processes.end_by(running.process(), end_of(began, 0.001));
        while !cancel.is_cancelled() {
            std::thread::yield_now();
        }
    }

    #[test]
    fn ids_look_like_uuids() {
        let id = new_query_id();
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
        assert_ne!(id, new_query_id());
    }
}
